import {
  type AgentId,
  asId,
  type Digest,
  type EvalPlan,
  type Fork,
  type ForkRun,
  HostError,
  type Issue,
  type JsonObject,
  type Principal,
  type RunId,
  type RunPlan,
  type RunStatus,
  type SuiteId,
  type TaskId,
  type Version,
} from '@touchstone/protocol';
import { type NewEvent, type Task, toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AgentFacts,
  checkAtOnce,
  type LogEntry,
  type Run,
  type RunRequest,
  type Store,
  type SuiteHead,
} from '../../ports/index.js';
import { createMemoryStore } from '../../store/index.js';
import { IMPLEMENTED_MODES } from '../capabilities.js';
import { createManualClock } from '../testing/manual-clock.js';
import { ACME } from '../testing/test-host.js';
import { createFork } from './fork-run.js';

const principal: Principal = { id: 'someone', owner: ACME, roles: [], scopes: new Set(['*']) };
const version = asId<Version>('1.0.0');
const tasks: readonly Task[] = ['a', 'b', 'c'].map((name) => ({
  taskId: asId<TaskId>(name),
  input: toBody(name),
  expected: { kind: 'golden', match: { strategy: 'exact', value: toBody(name) } },
}));
const head: SuiteHead = {
  suiteId: asId<SuiteId>('local.test.evals.forked'),
  version,
  digest: asId<Digest>('sha256:suite'),
  modes: ['golden', 'adversarial'],
  taskCount: tasks.length,
  rubricTasks: 0,
  judgedTasks: 0,
};
const facts: AgentFacts = {
  agentId: asId<AgentId>('local.test.agent'),
  version,
  digest: asId<Digest>('sha256:agent'),
  kind: 'scripted',
  persona: 'Test',
  toolAllowlist: [],
};
const agent = { agentId: facts.agentId, version, digest: facts.digest };
const evalPlan: EvalPlan = {
  kind: 'eval',
  suite: { suiteId: head.suiteId, version, digest: head.digest },
  agent,
  modes: ['golden', 'adversarial'],
  totalTasks: tasks.length,
  repeats: 1,
  concurrency: 8,
};

let store: Store;
let made: number;
/** Which agents and suites have been asked for. */
let asked: string[];
/** What stands in their places now. */
let now: { suite: SuiteHead; agent: AgentFacts };
const clock = createManualClock();

beforeEach(async () => {
  store = await createMemoryStore(clock);
  await store.suites.put(ACME, { head, tasks }, 0);
  made = 0;
  asked = [];
  now = { suite: head, agent: facts };
});
afterEach(() => store.close());

const forked = (runId: RunId, body: ForkRun, by = principal): Promise<Run> =>
  createFork(
    {
      store,
      clock,
      ids: {
        runId() {
          made += 1;
          return asId<RunId>(`fork-${made}`);
        },
        token: () => 'token',
      },
      scorers: { pin: async () => [], hasFunction: () => false },
      checkerFor: () => checkAtOnce,
      priceOf: () => undefined,
      unsetVariable: () => undefined,
      suiteSignature: async () => undefined,
      async findSuite(owner, reference) {
        asked.push(reference);
        return { head: now.suite, owner };
      },
      async findAgent(_, reference) {
        asked.push(reference);
        return { facts: now.agent, hostOwned: true };
      },
      chooseModel: async () => ({}),
      chooseUser: async () => ({}),
      judges: { choosePortable: async () => ({ issue: 'none' }) },
      chooseJudge: () => ({ issue: 'There is no judge here.' }),
      chooseSafetyJudge: () => undefined,
      safetyPolicy: undefined,
      evalSettings: { modes: IMPLEMENTED_MODES },
      contracts: {
        embedder: () => undefined,
        of: () => Promise.reject(new Error('What is attached by now is not asked.')),
        pinned: async (_, digest) => ({ digest, contract: {} as never }),
        plan: async (_, { digest }) => ({ contract: digest }),
      },
      tolerance: 0,
    },
    by,
    runId,
    body,
    'host',
  );

const loose = (...types: readonly NewEvent['type'][]): LogEntry => ({
  kind: 'events',
  events: types.map((type) => ({ type, at: 1, payload: {} }) as unknown as NewEvent),
});

type Source = {
  readonly plan?: RunPlan;
  readonly request?: RunRequest;
  readonly status?: RunStatus;
  readonly entries?: readonly LogEntry[];
};
const OPENING = loose('run.started', 'eval.started');
const CLOSING = loose('eval.completed', 'run.completed');

async function source(options: Source = {}): Promise<RunId> {
  made += 1;
  const runId = asId<RunId>(`source-${made}`);
  await store.runs.create({
    runId,
    owner: ACME,
    principal: 'author',
    origin: 'cli',
    workflowId: head.suiteId,
    plan: options.plan ?? evalPlan,
    request: options.request ?? {},
    createdAt: 0,
    engineVersion: 1,
  });
  const lease = await store.leases.take(ACME, runId, 60_000);
  if (!lease) throw new Error('The lease is taken.');
  const entries = options.entries ?? [OPENING, loose('node.started'), CLOSING];
  await store.log.commit(lease, {
    entries,
    firstSequence: 0,
    run: { status: options.status ?? 'completed' },
  });
  await store.leases.release(lease);
  return runId;
}
const refusalOf = (attempt: Promise<unknown>): Promise<HostError> =>
  attempt.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error) => error as HostError,
  );
const pointersOf = ({ details }: HostError) =>
  ((details?.issues ?? []) as readonly Issue[]).map(({ pointer }) => pointer);

describe('a replay', () => {
  it('is planned as its source was, by whoever asks for it, without looking at anything else', async () => {
    const plan: EvalPlan = { ...evalPlan, repeats: 3, rejudgeOf: asId<RunId>('run-0') };
    const request = { configurable: { repeats: 3 }, tags: ['x'], inputs: toBody({ q: 1 }) };
    const runId = await source({ plan, request, status: 'failed' });
    const fork: Fork = { source: runId, mode: 'replay', fromSeq: 0 };
    expect(await forked(runId, { mode: 'replay' })).toMatchObject({
      owner: ACME,
      principal: 'someone',
      origin: 'host',
      workflowId: head.suiteId,
      plan: { ...plan, fork },
      request,
      status: 'pending',
      createdAt: clock.now(),
    });
    expect(asked).toEqual([]);
  });

  it('may begin anywhere in the log, also inside a block, and takes an overlay that says nothing', async () => {
    const runId = await source();
    const body = { mode: 'replay', fromSeq: 3, runOptionsOverlay: {} } as const;
    expect((await forked(runId, body)).plan.fork).toEqual({ source: runId, mode: 'replay', fromSeq: 3 });
  });

  it('of a replay or a branch is a fork of that one alone', async () => {
    const first = await source();
    const second = await source({
      plan: { ...evalPlan, fork: { source: first, mode: 'branch', fromSeq: 2 } },
    });
    expect((await forked(second, { mode: 'replay' })).plan.fork).toMatchObject({
      source: second,
      mode: 'replay',
    });
  });

  it.each(['pending', 'running', 'paused', 'cancelling'] as const)(
    'of a %s run has to wait',
    async (status) => {
      const error = await refusalOf(forked(await source({ status }), { mode: 'replay' }));
      expect(error).toMatchObject({ code: 'run_state_conflict', details: { runStatus: status } });
    },
  );
});

describe('a branch', () => {
  it.each([undefined, asId<Digest>('sha256:contract')])(
    'is under the contract of its source, here %s, whatever the suite has been given since',
    async (contract) => {
      const runId = await source({ plan: { ...evalPlan, ...(contract && { contract }) } });
      const { plan } = await forked(runId, { mode: 'branch', fromSeq: 0 });
      expect((plan as EvalPlan).contract).toBe(contract);
    },
  );

  it('is planned anew with the pins of its source and the options that the overlay changes', async () => {
    const request = { configurable: { repeats: 2, concurrency: 4 }, tags: ['old'], metadata: { a: 1, b: 1 } };
    const runId = await source({ request, plan: { ...evalPlan, repeats: 2, concurrency: 4 } });
    const runOptionsOverlay = { configurable: { concurrency: 1 }, metadata: { b: 2 }, tags: [] };
    const branch = await forked(runId, { mode: 'branch', fromSeq: 2, runOptionsOverlay });
    expect(asked).toEqual([`${head.suiteId}@1.0.0`, `${facts.agentId}@1.0.0`]);
    expect(branch.request).toEqual({
      configurable: { repeats: 2, concurrency: 1 },
      metadata: { a: 1, b: 2 },
      tags: [],
    });
    expect(branch.plan).toMatchObject({ repeats: 2, concurrency: 1, fork: { mode: 'branch', fromSeq: 2 } });
  });

  it('of an agent run has its inputs again', async () => {
    const request = { inputs: toBody({ say: 'hi' }) };
    const runId = await source({ plan: { kind: 'agent', agent }, request });
    const branch = await forked(runId, { mode: 'branch', fromSeq: 0 });
    expect([branch.plan.kind, branch.request]).toEqual(['agent', request]);
  });

  it('is refused when its agent or its suite is not what it was', async () => {
    const runId = await source();
    now = { ...now, agent: { ...facts, digest: asId<Digest>('sha256:other') } };
    expect((await refusalOf(forked(runId, { mode: 'branch', fromSeq: 0 }))).code).toBe('conflict');
    now = { suite: { ...head, digest: asId<Digest>('sha256:other') }, agent: facts };
    await store.suites.put(ACME, { head: now.suite, tasks }, 0);
    expect((await refusalOf(forked(runId, { mode: 'branch', fromSeq: 0 }))).code).toBe('conflict');
    expect((await forked(runId, { mode: 'replay' })).plan).toMatchObject({ suite: { digest: head.digest } });
  });

  it.each<[string, JsonObject]>([
    ['evalModes', { evalModes: ['golden'] }],
    ['repeats', { repeats: 2 }],
    ['onlyTasks', { onlyTasks: ['b'] }],
  ])('may change %s from the beginning and not after it', async (member, configurable) => {
    const runId = await source();
    const runOptionsOverlay = { configurable };
    expect((await forked(runId, { mode: 'branch', fromSeq: 0, runOptionsOverlay })).status).toBe('pending');
    const error = await refusalOf(forked(runId, { mode: 'branch', fromSeq: 2, runOptionsOverlay }));
    expect(pointersOf(error)).toEqual([`/runOptionsOverlay/configurable/${member}`]);
  });

  it('may say again what its source said', async () => {
    const runId = await source({ plan: { ...evalPlan, ordinals: [1], modes: ['golden'] } });
    const configurable = { onlyTasks: ['b'], evalModes: ['golden'], repeats: 1 };
    const body: ForkRun = { mode: 'branch', fromSeq: 2, runOptionsOverlay: { configurable } };
    expect((await forked(runId, body)).plan).toMatchObject({ ordinals: [1], modes: ['golden'] });
  });

  it('with several options that no run can have is told of all of them, where they are', async () => {
    const runOptionsOverlay = { configurable: { repeats: 0, concurrency: 'many' } };
    const error = await refusalOf(forked(await source(), { mode: 'branch', fromSeq: 0, runOptionsOverlay }));
    expect(error.code).toBe('validation_error');
    expect(pointersOf(error).sort()).toEqual([
      '/runOptionsOverlay/configurable/concurrency',
      '/runOptionsOverlay/configurable/repeats',
    ]);
  });
});

it('a run of another owner is none', async () => {
  const stranger = { ...principal, owner: { tenant: 'globex', workspace: 'main' } };
  const runId = await source();
  const foreign = await refusalOf(forked(runId, { mode: 'replay' }, stranger));
  const absent = await refusalOf(forked(asId<RunId>('run-absent'), { mode: 'replay' }));
  expect([foreign.code, foreign.message, foreign.details]).toEqual([
    absent.code,
    absent.message,
    absent.details,
  ]);
});

// Goal: a branch never tears a block, and whoever asks for a point that would is told of one that is taken. Method: logs
// of blocks of any length with pauses anywhere; every place in them, and some beyond.
it('of every place in any log, a branch begins there or is told where it can', async () => {
  const block = fc.constantFrom<readonly NewEvent['type'][]>(
    ['node.started'],
    ['node.started', 'node.completed'],
    ['node.started', 'provider.usage', 'node.completed'],
    ['run.paused'],
  );
  const withPauses = (blocks: readonly (readonly NewEvent['type'][])[]): LogEntry[] =>
    blocks.flatMap((types) =>
      types[0] === 'run.paused' ? [loose('run.paused'), loose('run.resumed')] : [loose(...types)],
    );
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 6 }), fc.nat(30), async (blocks, fromSeq) => {
      const entries = [OPENING, ...withPauses(blocks), CLOSING];
      const starts: number[] = [];
      let length = 0;
      for (const entry of entries) {
        const events = entry.kind === 'events' ? entry.events : [];
        if (events[0]?.type !== 'run.resumed') starts.push(length);
        length += events.length;
      }
      const runId = await source({ entries });
      const attempt = forked(runId, { mode: 'branch', fromSeq });
      if (starts.includes(fromSeq)) return void expect((await attempt).plan.fork?.fromSeq).toBe(fromSeq);
      const error = await refusalOf(attempt);
      expect(error).toBeInstanceOf(HostError);
      expect(error.code).toBe('fork_point_invalid');
      if (fromSeq >= length) return void expect(error.details).toMatchObject({ lastSequence: length - 1 });
      const blockStart = starts.findLast((start) => start < fromSeq);
      expect(error.details).toMatchObject({ field: 'fromSeq', blockStart });
    }),
    { numRuns: 60 },
  );
});
