import { createHash } from 'node:crypto';
import {
  type AgentId,
  asId,
  canonicalJson,
  type Digest,
  type EvalPlan,
  type Json,
  type Owner,
  type RunId,
  type SuiteId,
  type TaskId,
  type ToolId,
  type Version,
} from '@touchstone/protocol';
import { type Fixtures, fromBody, type RunEvent, type Task, toBody } from '@touchstone/protocol/bodies';
import { createSlots } from '../../net/index.js';
import {
  type Agent,
  type AgentFacts,
  type AgentHost,
  type Answer,
  type Clock,
  checkAtOnce,
  type Engine,
  type ForeignSchemas,
  type Invocation,
  type Log,
  type Store,
  type SuiteHead,
  type Tools,
  UNSHARED,
} from '../../ports/index.js';
import { createSummary } from '../../scorecard/fold/build.js';
import { foldTask, taskThreshold } from '../../scorecard/fold/fold-task.js';
import { createScoring } from '../../scoring/index.js';
import { createMemoryStore } from '../../store/index.js';
import { DEFAULT_LIMITS, ENGINE_VERSION, type Parts } from '../parts.js';
import { createEngine } from '../run/engine.js';
import { createManualClock } from './manual-clock.js';

/** What a test's agent does with one invocation. */
export type Behaviour = (input: Json, host: AgentHost, invocation: Invocation) => Promise<Answer> | Answer;

export const owner: Owner = { tenant: 'acme', workspace: 'main' };
export const answered = (output: Json): Answer => ({ kind: 'answered', output: toBody(output) });

const digestOf = (value: Json): Digest =>
  asId<Digest>(`sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`);

export const suiteId = asId<SuiteId>('local.test.evals.sample');
export const agentId = asId<AgentId>('local.test.agent');
const version = asId<Version>('1.0.0');

/** Tasks `t0…`, each asking for its own number back. */
export const countingTasks = (count: number, fixtures?: Fixtures): Task[] =>
  Array.from({ length: count }, (_, i) => ({
    taskId: asId<TaskId>(`t${i}`),
    input: toBody(i),
    expected: { kind: 'golden', match: { strategy: 'exact', value: toBody(`answer ${i}`) } },
    ...(fixtures && { fixtures }),
  }));

export type Bench = {
  readonly store: Store;
  readonly clock: ReturnType<typeof createManualClock>;
  readonly engine: Engine;
  /** What that engine is made of. */
  readonly parts: Parts;
  readonly calls: string[];
  readonly errors: unknown[];
  /** Another engine on the same store, as after a crash of the first. */
  reopen(behave?: Behaviour): Engine;
  createRun(runId: string, plan?: Partial<EvalPlan>): Promise<RunId>;
  events(runId: RunId): Promise<readonly RunEvent[]>;
};

export type BenchOptions = {
  readonly tasks?: readonly Task[];
  readonly behave?: Behaviour;
  readonly facts?: Partial<AgentFacts>;
  readonly agent?: Pick<Agent, 'model' | 'prompt' | 'hasChanged' | 'takesTurns'>;
  readonly thresholds?: SuiteHead['thresholds'];
  readonly tools?: Tools;
  readonly limits?: Partial<Parts['limits']>;
  readonly slots?: Partial<Parts['slots']>;
  readonly parts?: Partial<Parts>;
};

export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const clock = createManualClock();
  const store = await createMemoryStore(clock);
  const tasks = options.tasks ?? countingTasks(3);
  const head: SuiteHead = {
    suiteId,
    version,
    digest: digestOf(tasks.map((task) => task.taskId)),
    modes: ['golden'],
    taskCount: tasks.length,
    rubricTasks: 0,
    judgedTasks: 0,
    ...(options.thresholds && { thresholds: options.thresholds }),
  };
  await store.suites.put(owner, { head, tasks }, clock.now());
  const calls: string[] = [];
  const errors: unknown[] = [];
  const facts: AgentFacts = {
    agentId,
    version,
    digest: digestOf('agent'),
    kind: 'scripted',
    persona: 'Test',
    toolAllowlist: [],
    ...options.facts,
  };
  const partsWith = (behave: Behaviour): Parts =>
    partsOf({ store, clock, options, facts, calls, errors, behave });
  const behave = options.behave ?? ((input) => answered(`answer ${input}`));
  const parts = partsWith(behave);
  return {
    store,
    clock,
    engine: createEngine(parts),
    parts,
    calls,
    errors,
    reopen: (other = behave) => createEngine(partsWith(other)),
    async createRun(name, plan) {
      const runId = asId<RunId>(name);
      await store.runs.create({
        runId,
        owner,
        principal: 'tester',
        origin: 'host',
        workflowId: suiteId,
        plan: {
          kind: 'eval',
          suite: head,
          agent: facts,
          modes: ['golden'],
          totalTasks: tasks.length,
          repeats: 1,
          concurrency: 8,
          ...plan,
        },
        request: {},
        createdAt: clock.now(),
        engineVersion: ENGINE_VERSION,
      });
      return runId;
    },
    events: (runId) => readAll(store, runId),
  };
}

async function readAll(store: Store, runId: RunId): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await store.log.read(owner, runId, events.length - 1, 50);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

type Inside = {
  readonly store: Store;
  readonly clock: Clock;
  readonly options: BenchOptions;
  readonly facts: AgentFacts;
  readonly calls: string[];
  readonly errors: unknown[];
  readonly behave: Behaviour;
};

function partsOf({ store, clock, options, facts, calls, errors, behave }: Inside): Parts {
  const agent: Agent = {
    facts,
    ...options.agent,
    async invoke(invocation, host) {
      const input = fromBody(invocation.input);
      // As the log names it; the agent itself is given other ids.
      calls.push(`inv-${input}.${invocation.repeat}`);
      return untilAborted(behave(input, host, invocation), host.signal);
    },
    close: async () => undefined,
  };
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (_event, _facts, cause) => void errors.push(cause),
  };
  return {
    store,
    clock,
    log,
    tools: options.tools ?? noTools,
    priceOf: () => undefined,
    schemaCheckFor: () => () => [],
    redact: undefined,
    openAgent: async () => agent,
    suiteHead: (who, digest) => store.suites.byDigest(who, digest),
    suiteTasks: (who, digest, from, limit) => store.suites.tasks(who, digest, from, limit),
    openScoring: async (_owner, { modes }) =>
      createScoring({ modes, check: checkAtOnce, schemas: NO_SCHEMAS, tierOf: async () => undefined }),
    taskThreshold,
    openThresholds: async () => () => undefined,
    foldTask,
    createSummary,
    openContract: async () => ({ add: () => undefined, result: () => ({}) }),
    openOutcomes: async () => ({
      add: () => undefined,
      result: () => ({ outcomes: '', figures: { interval: [0, 1] } }),
    }),
    mask: async (text) => text,
    maskDeep: async (_owner, value) => value,
    castVote: () => ({ kind: 'refused', why: 'not_allowed' }),
    carryOut: async () => ({ code: 'conflict', message: 'Nothing is deployed here.' }),
    limits: { ...DEFAULT_LIMITS, gatherMs: 0, ...options.limits },
    shares: UNSHARED,
    works: true,
    slots: { runs: createSlots({ perTenant: 32 }), tasks: createSlots({ perTenant: 512 }), ...options.slots },
    ...options.parts,
  };
}

/** As real adapters do: an abort rejects at once, whatever the agent is busy with. */
function untilAborted(answer: Promise<Answer> | Answer, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    Promise.resolve(answer).then(resolve, reject);
  });
}

const NO_SCHEMAS: ForeignSchemas = { fit: () => [], costUs: () => 0 };

const noTools: Tools = {
  granted: async () => [],
  described: async (_owner, wanted) => wanted.map((toolId: ToolId) => ({ toolId })),
  tierOf: async () => undefined,
  call: async () => ({ status: 'error', error: 'There are no live tools here.' }),
};
