import {
  type CallId,
  defined,
  type EvalPlan,
  HOST_OWNER,
  type InvocationId,
  type Owner,
  type RunId,
  type TaskId,
  type TaskResult,
  type Timestamp,
  type ToolId,
  timestampOf,
  type UnscoredReason,
} from '@touchstone/protocol';
import {
  type Body,
  type Expected,
  type MemoryEntry,
  type NewEvent,
  type Task,
  type ToolCallBody,
  toBody,
} from '@touchstone/protocol/bodies';
import { PAGE_BYTES, type Run, type Store, type TaskRecord } from '../../ports/index.js';
import { foldTask, taskThreshold } from '../../scorecard/index.js';

/** A task of a run with its content: the one read of bodies besides `agent.*` events. */
export type TaskView = {
  readonly taskId: TaskId;
  readonly score: number;
  readonly passed: boolean;
  /** What the score has to reach. */
  readonly bar: number;
  readonly unscored?: UnscoredReason;
  /** Since when the content of the run is gone. */
  readonly bodiesRemovedAt?: Timestamp;
  readonly expected: Expected;
  readonly invocations: readonly {
    readonly invocationId: InvocationId;
    readonly input: Body;
    readonly output?: Body;
    readonly outcome: string;
    readonly reason?: string;
    readonly attempts?: number;
    readonly printed?: string;
    readonly toolCalls: readonly ToolCallBody[];
    /** Long-term memory that it read. */
    readonly memory?: readonly MemoryEntry[];
    readonly criteria?: readonly object[];
    /** What was measured of this repeat alone. */
    readonly result?: TaskResult;
    /** Of the agent's own model calls. */
    readonly tokens?: TokenCount;
  }[];
  /** The repeat to read on from, when not all invocations fit. */
  readonly nextRepeat?: number;
};

type TokenCount = { readonly input: number; readonly output: number };

/** Of JSON text. One invocation is shown however long it is. */
export const MAX_VIEW_BYTES = 4 * PAGE_BYTES;

/** Where tasks are read from, and what decides whether they passed. */
export type TaskSources = {
  readonly store: Store;
  /** Those that a contract sets for its own tasks. */
  readonly openThresholds: (owner: Owner, plan: EvalPlan) => Promise<(taskId: TaskId) => number | undefined>;
};

/** Everything there is to read about one task of one run. The only reader of bodies besides the `agent.*` events. */
export async function viewTask(
  sources: TaskSources,
  owner: Owner,
  runId: RunId,
  taskId: TaskId,
  fromRepeat = 0,
): Promise<TaskView | undefined> {
  const { store } = sources;
  const run = await store.runs.get(owner, runId);
  if (run?.plan.kind !== 'eval') return undefined;
  const found = await findTask(sources, owner, run.plan, taskId);
  return found && viewFound(store, run, found, fromRepeat);
}

/** What there is to read about a task that was found. */
export async function viewFound(
  { log }: Store,
  run: Run,
  found: FoundTask,
  fromRepeat = 0,
): Promise<TaskView | undefined> {
  const { invocations, nextRepeat } = await viewInvocations(log, run, found, fromRepeat);
  if (invocations.length === 0) return undefined;
  const { taskId, expected } = found.task;
  const { score, passed, unscored } = foldTask(
    taskId,
    await log.scores(run.owner, run.runId, found.ordinal),
    found.threshold,
  );
  return {
    taskId,
    score,
    passed,
    bar: found.threshold,
    ...(unscored && { unscored }),
    ...(run.bodiesRemovedAt !== undefined && { bodiesRemovedAt: timestampOf(run.bodiesRemovedAt) }),
    expected,
    invocations,
    ...(nextRepeat !== undefined && { nextRepeat }),
  };
}

/** The invocations from a repeat on, as many as fit one answer. */
async function viewInvocations(
  log: Store['log'],
  { owner, runId, bodiesRemovedAt }: Run,
  { task, ordinal, threshold }: FoundTask,
  fromRepeat: number,
): Promise<Pick<TaskView, 'invocations' | 'nextRepeat'>> {
  const invocations: TaskView['invocations'][number][] = [];
  let bytes = 0;
  for await (const record of recordsOf(log, owner, runId, ordinal, fromRepeat)) {
    const view = viewInvocation(task, threshold, record, bodiesRemovedAt !== undefined);
    bytes += Buffer.byteLength(JSON.stringify(view));
    if (bytes > MAX_VIEW_BYTES && invocations.length > 0) return { invocations, nextRepeat: record.repeat };
    invocations.push(view);
  }
  return { invocations };
}

/** The records of a task, page by page. */
export async function* recordsOf(
  log: Pick<Store['log'], 'records'>,
  owner: Owner,
  runId: RunId,
  ordinal: number,
  fromRepeat = 0,
): AsyncGenerator<TaskRecord, undefined> {
  for (let next = fromRepeat; ; ) {
    const page = await log.records(owner, runId, ordinal, next);
    yield* page;
    const last = page.at(-1);
    if (!last) return undefined;
    next = last.repeat + 1;
  }
}

type FoundTask = { readonly ordinal: number; readonly task: Task; readonly threshold: number };

async function findTask(
  sources: TaskSources,
  owner: Owner,
  plan: EvalPlan,
  taskId: TaskId,
): Promise<FoundTask | undefined> {
  const { suites } = sources.store;
  const { digest } = plan.suite;
  const suite = await findSuite(sources, owner, plan);
  const ordinal = suite && (await suites.ordinalOf(suite.holder, digest, taskId));
  if (!suite || ordinal === undefined) return undefined;
  const [task] = await suites.tasks(suite.holder, digest, ordinal, 1);
  return task && { ordinal, task, threshold: suite.thresholdOf(task) };
}

/** The suite of a run belongs to its owner, or to the host. */
export async function findSuite({ store, openThresholds }: TaskSources, owner: Owner, plan: EvalPlan) {
  for (const holder of [owner, HOST_OWNER]) {
    const head = await store.suites.byDigest(holder, plan.suite.digest);
    if (!head) continue;
    const own = await openThresholds(owner, plan);
    const thresholdOf = ({ taskId, expected }: Task): number =>
      own(taskId) ?? taskThreshold(expected.kind, head.thresholds);
    return { holder, thresholdOf };
  }
  return undefined;
}

function viewInvocation(
  task: Task,
  threshold: number,
  record: TaskRecord,
  isCleared: boolean,
): TaskView['invocations'][number] {
  const started = eventOf(record, 'agent.invocation.started');
  const decided = eventOf(record, 'agent.decided');
  const completed = eventOf(record, 'agent.invocation.completed');
  return {
    invocationId: started?.payload.invocationId as InvocationId,
    input: task.input,
    ...(decided && !isCleared && { output: decided.payload.decision }),
    outcome: completed?.payload.outcome ?? 'failed',
    ...defined({
      reason: record.bodies?.reason,
      attempts: record.bodies?.attempts,
      printed: record.bodies?.printed,
    }),
    toolCalls: toolCalls(record),
    ...(record.bodies?.memory && { memory: record.bodies.memory }),
    ...(record.bodies?.criteria && { criteria: record.bodies.criteria }),
    ...(record.score && { result: foldTask(task.taskId, [record.score], threshold) }),
    ...defined({ tokens: tokensOf(record) }),
  };
}

/** A judge is asked when the invocation is over: what is used after that is not the agent's. */
function tokensOf({ events }: TaskRecord): TokenCount | undefined {
  const end = events.findIndex(({ type }) => type === 'agent.invocation.completed');
  const calls = events
    .slice(0, end < 0 ? events.length : end)
    .flatMap((event) => (event.type === 'provider.usage' ? [event.payload] : []));
  const input = calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const output = calls.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  return input + output === 0 ? undefined : { input, output };
}

function eventOf<T extends NewEvent['type']>(
  record: TaskRecord,
  type: T,
): Extract<NewEvent, { type: T }> | undefined {
  return record.events.find((event): event is Extract<NewEvent, { type: T }> => event.type === type);
}

/** Calls in the order they were made; the ones the allowlist refused left no event and are put in by their number. */
function toolCalls(record: TaskRecord): readonly ToolCallBody[] {
  const made = record.events.flatMap((event) =>
    event.type === 'agent.toolCalled' ? [madeCall(record, event.payload)] : [],
  );
  const refused = (record.bodies?.refusedCalls ?? []).map((call) => ({
    ...call,
    status: 'forbidden' as const,
  }));
  return [...made, ...refused].sort((a, b) => callNumber(a.callId) - callNumber(b.callId));
}

type CallEvents = {
  readonly callId: CallId;
  readonly toolName: ToolId;
  readonly inputs?: Body;
  readonly observed?: true;
};

function madeCall(record: TaskRecord, called: CallEvents): ToolCallBody {
  const returned = record.events.find(
    (event) => event.type === 'agent.toolReturned' && event.payload.callId === called.callId,
  );
  const payload = returned?.type === 'agent.toolReturned' ? returned.payload : undefined;
  return {
    callId: called.callId,
    toolId: called.toolName,
    status: payload?.status ?? 'error',
    inputs: called.inputs ?? toBody(null),
    ...(payload?.outcome !== undefined && { outcome: payload.outcome }),
    ...(payload?.error && { error: payload.error.message }),
    ...defined({ observed: called.observed }),
  };
}

const callNumber = (callId: CallId): number => Number(callId.slice(callId.lastIndexOf('.') + 1));
