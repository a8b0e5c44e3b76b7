import { asId, type Digest, type RunId } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { answered, type Bench, countingTasks, openBench, owner } from '../testing/bench.js';

const ENVIRONMENT = asId<Digest>('sha256:here');
const WIDE = { concurrency: 20 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Processes that share runs, of which this is one: the others never take anything. */
type Others = { alive: number; onCount?: () => Promise<unknown> };

type SharedOptions = {
  readonly tasks?: number;
  readonly others?: Others;
  /** How long the task with this number takes. */
  readonly takes: (number: number) => number | Promise<void>;
};

async function openShared({ tasks = 60, others = { alive: 2 }, takes }: SharedOptions) {
  const sharing = {
    environment: ENVIRONMENT,
    presence: () => 1,
    processes: async () => {
      await others.onCount?.();
      return others.alive;
    },
    activeRuns: 32,
    suits: async () => true,
    waits: async () => true,
  };
  const seen = { running: 0, most: 0, opened: [] as number[] };
  const bench: Bench = await openBench({
    tasks: countingTasks(tasks),
    parts: { sharing },
    behave: async (input) => {
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      const taken = takes(Number(input));
      await (typeof taken === 'number' ? bench.clock.sleep(taken) : taken);
      seen.running -= 1;
      return answered(`answer ${input}`);
    },
  });
  await bench.store.workers.beat({ environment: ENVIRONMENT, version: '1', atWork: 0 });
  const { open } = bench.store.work;
  bench.store.work.open = (lease, plan) => {
    seen.opened.push(plan.firstUnit);
    return open(lease, plan);
  };
  return { bench, seen };
}

const slotsIn = async ({ store }: Bench): Promise<number> =>
  (await store.assignments.list()).assignments.reduce((sum, { slots }) => sum + slots, 0);

async function passUntil(bench: Bench, isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) {
    await bench.clock.advance(10);
    await settled();
  }
}

/** Drives the run while time passes. */
async function driven(bench: Bench, runId: RunId, engine = bench.engine): Promise<void> {
  let isOver = false;
  const done = engine.drive(owner, runId).finally(() => {
    isOver = true;
  });
  await passUntil(bench, () => isOver);
  await done;
}

/** Each unit was executed once, and the log is that of a process which is alone. */
async function expectLogOfOne(bench: Bench, runId: RunId, tasks = 60): Promise<void> {
  expect((await bench.store.runs.get(owner, runId))?.status).toBe('completed');
  expect(new Set(bench.calls).size).toBe(tasks);
  expect(bench.calls).toHaveLength(tasks);
  const alone = await openBench({ tasks: countingTasks(tasks) });
  const whole = await alone.createRun('whole', WIDE);
  await alone.engine.drive(owner, whole);
  const logOf = async (one: Bench, id: RunId) =>
    (await one.events(id)).map(({ type, sequence, nodeId }) => [type, sequence, nodeId]);
  expect(await logOf(bench, runId)).toEqual(await logOf(alone, whole));
  expect((await bench.store.assignments.list()).assignments).toEqual([]);
}

describe('a run that several processes could execute', () => {
  it('of short tasks is executed by its driver', async () => {
    const { bench, seen } = await openShared({ tasks: 2_000, takes: () => 10 });
    const runId = await bench.createRun('r', WIDE);
    await driven(bench, runId);
    expect(seen).toMatchObject({ opened: [], most: 20 });
    await expectLogOfOne(bench, runId, 2_000);
  });

  it('of long tasks is begun by its driver with the slots of one assignment; the others get the rest of them', async () => {
    const { bench, seen } = await openShared({ takes: () => 5_000 });
    const runId = await bench.createRun('r', WIDE);
    const done = driven(bench, runId);
    await passUntil(bench, () => seen.opened.length > 0);
    expect(bench.calls).toHaveLength(16);
    await passUntil(bench, () => bench.calls.length === 20);
    expect(await slotsIn(bench)).toBe(4);
    await done;
    expect(seen).toMatchObject({ opened: [16], most: 20 });
    await expectLogOfOne(bench, runId);
  });

  it('is spread when its tasks become long, however many were short', async () => {
    const { bench, seen } = await openShared({
      tasks: 2_000,
      takes: (number) => (number < 1_500 ? 10 : 5_000),
    });
    const runId = await bench.createRun('r', WIDE);
    await driven(bench, runId);
    expect(seen.opened).toHaveLength(1);
    expect(seen.opened[0]).toBeGreaterThanOrEqual(1_500);
    expect(seen.most).toBe(20);
    await expectLogOfOne(bench, runId, 2_000);
  });

  it('is continued by its driver for a while after it was spread: others need some time before they can begin', async () => {
    const { bench, seen } = await openShared({ tasks: 200, takes: () => 100 });
    const runId = await bench.createRun('r', WIDE);
    const done = driven(bench, runId);
    await passUntil(bench, async () => (await bench.store.assignments.list()).assignments.length > 0);
    const [begun, firstUnit] = [bench.calls.length, seen.opened[0] ?? 0];
    expect(firstUnit).toBeGreaterThan(begun);
    expect(await slotsIn(bench)).toBe(0);
    await done;
    expect(seen.most).toBe(20);
    await expectLogOfOne(bench, runId, 200);
  });
});

it('a run that is cancelled while its driver looks for others is not spread any more', async () => {
  const others: Others = { alive: 2 };
  const { bench, seen } = await openShared({ others, takes: () => 5_000 });
  const runId = await bench.createRun('r', WIDE);
  const done = driven(bench, runId);
  await passUntil(bench, () => bench.calls.length > 0);
  others.onCount = () => bench.engine.cancel(owner, runId, 'someone');
  await done;
  expect((await bench.store.runs.get(owner, runId))?.status).toBe('cancelled');
  expect(seen.opened).toEqual([]);
});

describe('a run that one process began alone', () => {
  it('is spread when another one comes, and each task that ends gives its slot away: none is waited for', async () => {
    const others = { alive: 1 };
    const held: (() => void)[] = [];
    const takes = () => (others.alive === 1 ? new Promise<void>((resolve) => held.push(resolve)) : 10);
    const { bench, seen } = await openShared({ others, takes });
    const runId = await bench.createRun('r', WIDE);
    const done = driven(bench, runId);
    await passUntil(bench, () => held.length === 20);
    expect(await slotsIn(bench)).toBe(0);
    others.alive = 2;
    await passUntil(bench, () => seen.opened.length > 0);
    for (const finish of held.slice(0, 5)) finish();
    await passUntil(bench, async () => (await slotsIn(bench)) === 5);
    await passUntil(bench, () => bench.calls.length > 30);
    for (const finish of held) finish();
    await done;
    expect(seen).toMatchObject({ opened: [20], most: 20 });
    await expectLogOfOne(bench, runId);
  });

  it('is not spread at its end: what is left could begin at once', async () => {
    const others = { alive: 1 };
    const held: (() => void)[] = [];
    const takes = () => (others.alive === 1 ? new Promise<void>((resolve) => held.push(resolve)) : 10);
    const { bench, seen } = await openShared({ tasks: 30, others, takes });
    const runId = await bench.createRun('r', WIDE);
    const done = driven(bench, runId);
    await passUntil(bench, () => held.length === 20);
    others.alive = 2;
    await bench.clock.advance(1_000);
    for (const finish of held) finish();
    await done;
    expect(seen.opened).toEqual([]);
    await expectLogOfOne(bench, runId, 30);
  });
});

describe('a driver that takes over', () => {
  const WORK = { units: 60, hasSealed: false, slots: [0, 0] };
  /** An earlier driver has kept the first ten units, and executed none of them. */
  async function keptBy(bench: Bench, isLost: boolean): Promise<RunId> {
    const runId = await bench.createRun('r', WIDE);
    const lease = await bench.store.leases.take(owner, runId, 1_000);
    if (!lease) throw new Error('The run has a driver.');
    await bench.store.work.open(lease, { ...WORK, firstUnit: 10 });
    if (isLost) await bench.clock.advance(2_000);
    else await bench.store.leases.release(lease);
    return runId;
  }

  it('executes what the one before has kept for itself, and gives its slots away', async () => {
    const { bench, seen } = await openShared({ takes: () => 5_000 });
    const runId = await keptBy(bench, false);
    const done = driven(bench, runId);
    await passUntil(bench, () => bench.calls.length === 20);
    expect(await slotsIn(bench)).toBe(10);
    await done;
    expect(seen.most).toBe(20);
    await expectLogOfOne(bench, runId);
  });

  it('leaves all of it to others when the one before was lost: it may have been lost by one of its tasks', async () => {
    const { bench, seen } = await openShared({ takes: () => 5_000 });
    const runId = await keptBy(bench, true);
    await driven(bench, runId);
    expect(seen).toMatchObject({ opened: [10, 0], most: 20 });
    await expectLogOfOne(bench, runId);
  });
});
