import { asId, type Digest, type EvalPlan, isTerminal, type RunId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import {
  answered,
  type Bench,
  type BenchOptions,
  countingTasks,
  openBench,
  owner,
} from '../testing/bench.js';

const ENVIRONMENT = asId<Digest>('sha256:here');
/** Two processes are known, of which this is one: the other one never takes anything. */
const sharing = {
  environment: ENVIRONMENT,
  presence: () => 1,
  processes: async () => 2,
  activeRuns: 32,
  suits: async () => true,
  waits: async () => true,
};
const WIDE = { concurrency: 20 };

async function openShared(options: BenchOptions = {}): Promise<Bench> {
  const bench = await openBench({ tasks: countingTasks(60), parts: { sharing }, ...options });
  await bench.store.workers.beat({ environment: ENVIRONMENT, version: '1', atWork: 0 });
  return bench;
}

/** A run of which an earlier driver has left all units to others. */
async function createShared(bench: Bench, name: string, plan: Partial<EvalPlan> = {}): Promise<RunId> {
  const runId = await bench.createRun(name, { ...WIDE, ...plan });
  const lease = await bench.store.leases.take(owner, runId, 1_000);
  if (!lease) throw new Error('The run has a driver.');
  const units = 60 * (plan.repeats ?? 1);
  await bench.store.work.open(lease, { firstUnit: 0, units, hasSealed: false, slots: [10, 10] });
  await bench.store.leases.release(lease);
  return runId;
}

/** Drives the run while time passes. */
async function driven(bench: Bench, runId: RunId): Promise<void> {
  let isOver = false;
  const done = bench.engine.drive(owner, runId).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await bench.clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
}

const typesAndSequences = async (bench: Bench, runId: RunId) =>
  (await bench.events(runId)).map(({ type, sequence, nodeId }) => [type, sequence, nodeId]);
const runOf = async (bench: Bench, runId: RunId) => {
  const run = await bench.store.runs.get(owner, runId);
  if (!run) throw new Error('The run is gone.');
  return run;
};

it('a run whose units are executed by assignments has the log of one that is executed by its driver', async () => {
  const bench = await openShared();
  const shared = await createShared(bench, 'shared', { repeats: 2 });
  await driven(bench, shared);
  expect(bench.calls).toHaveLength(120);
  expect((await bench.store.assignments.list()).assignments).toEqual([]);
  const alone = await openBench({ tasks: countingTasks(60) });
  const whole = await alone.createRun('whole', { ...WIDE, repeats: 2 });
  await alone.engine.drive(owner, whole);
  expect(await typesAndSequences(bench, shared)).toEqual(await typesAndSequences(alone, whole));
  expect((await runOf(bench, shared)).headline).toEqual((await runOf(alone, whole)).headline);
});

it('recorded answers are judged again by assignments, and no agent is called', async () => {
  const bench = await openShared();
  const source = await createShared(bench, 'source');
  await driven(bench, source);
  const again = await createShared(bench, 'again', { rejudgeOf: source });
  await driven(bench, again);
  expect(bench.calls).toHaveLength(60);
  expect((await runOf(bench, again)).headline).toEqual((await runOf(bench, source)).headline);
});

it('no more units are executed at a time than the run allows', async () => {
  let [running, most] = [0, 0];
  const behave = async (input: unknown) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return answered(`answer ${input}`);
  };
  const bench = await openShared({ behave });
  const runId = await createShared(bench, 'r');
  await driven(bench, runId);
  expect(most).toBe(20);
});

it('a run whose agent is written to meanwhile has no result', async () => {
  const bench = await openShared({ agent: { hasChanged: async () => true } });
  const runId = await createShared(bench, 'r');
  await driven(bench, runId);
  expect((await runOf(bench, runId)).error?.code).toBe('agent_changed');
});

it('a pause finds out that the agent was written to', async () => {
  const paused: { runId?: RunId } = {};
  const behave = async (input: unknown) => {
    if (paused.runId && input === 5) await bench.engine.pause(owner, paused.runId, 'x', 'drain-current-node');
    return answered(`answer ${input}`);
  };
  const bench = await openShared({ behave, agent: { hasChanged: async () => true } });
  const runId = await createShared(bench, 'r');
  paused.runId = runId;
  await driven(bench, runId);
  expect((await runOf(bench, runId)).error?.code).toBe('agent_changed');
});

it('a defect while a unit is executed ends the run, and says so to the operator', async () => {
  const behave = (input: unknown) => {
    if (input === 7) throw new Error('A defect.');
    return answered(`answer ${input}`);
  };
  const bench = await openShared({ behave });
  const runId = await createShared(bench, 'r');
  await driven(bench, runId);
  expect((await runOf(bench, runId)).error?.code).toBe('internal_error');
  expect(bench.errors.map(String)).toContain('Error: A defect.');
});

it('a driver that lets go leaves those who execute at work, and another one goes on', async () => {
  const open: (() => void)[] = [];
  const behave = async (input: unknown) => {
    await new Promise<void>((resolve) => open.push(resolve));
    return answered(`answer ${input}`);
  };
  const bench = await openShared({ behave });
  const runId = await createShared(bench, 'r');
  const first = bench.engine.drive(owner, runId);
  while (open.length < 20) {
    await bench.clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const stop = bench.engine.drain(0);
  await bench.clock.advance(50);
  await stop;
  await first;
  expect(isTerminal((await runOf(bench, runId)).status)).toBe(false);
  const [assignment] = (await bench.store.assignments.list()).assignments;
  expect(assignment?.holder).toBeDefined();
  for (const finish of open) finish();
  const left = async () => (await bench.store.assignments.list()).assignments.every(({ holder }) => !holder);
  while (!(await left())) await bench.clock.advance(50);
  const next = bench.reopen((input) => answered(`answer ${input}`));
  await driven({ ...bench, engine: next }, runId);
  expect((await runOf(bench, runId)).status).toBe('completed');
  expect(bench.calls).toHaveLength(60);
});

it('a process that the others have counted as lost begins nothing before it has seen what is still its own', async () => {
  let presence: number | undefined = 1;
  const held: (() => void)[] = [];
  let isHeld = true;
  const bench = await openShared({
    parts: { sharing: { ...sharing, presence: () => presence } },
    behave: async (input) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return answered(`answer ${input}`);
    },
  });
  const runId = await createShared(bench, 'r');
  const done = driven(bench, runId);
  while (held.length < 20) await new Promise((resolve) => setImmediate(resolve));
  presence = undefined;
  isHeld = false;
  for (const finish of held) finish();
  await bench.clock.advance(5_000);
  expect(bench.calls).toHaveLength(20);
  // Seen again: what it held may be with others, until it has looked.
  presence = 2;
  await bench.clock.advance(500);
  expect(bench.calls).toHaveLength(20);
  void bench.engine.adopt();
  await done;
  expect(bench.calls).toHaveLength(60);
});

it('a process that the others count as lost takes nothing', async () => {
  let presence: number | undefined;
  const bench = await openShared({ parts: { sharing: { ...sharing, presence: () => presence } } });
  const runId = await createShared(bench, 'r');
  await bench.engine.drive(owner, runId);
  await bench.engine.adopt();
  expect((await runOf(bench, runId)).status).toBe('pending');
  presence = 1;
  await driven(bench, runId);
  expect((await runOf(bench, runId)).status).toBe('completed');
});
