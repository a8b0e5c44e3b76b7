import { asId, type Digest, HostError } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { answered, type Bench, countingTasks, openBench, owner } from '../testing/bench.js';
import { createEngine } from './engine.js';

const sharing = {
  environment: asId<Digest>('sha256:here'),
  presence: () => 1,
  processes: async () => 1,
  activeRuns: 32,
  suits: async () => true,
  waits: async () => true,
};

const statusOf = async ({ store }: Bench, runId: Parameters<Bench['events']>[0]) =>
  (await store.runs.get(owner, runId))?.status;
const settled = () => new Promise((resolve) => setImmediate(resolve));
const until = async (condition: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await condition())) await settled();
};

describe('draining', () => {
  it('what is being executed is finished and sealed, nothing new begins, and the next process executes only the rest', async () => {
    const open: (() => void)[] = [];
    const bench = await openBench({
      tasks: countingTasks(6),
      behave: async (input) => {
        await new Promise<void>((resolve) => open.push(resolve));
        return answered(`answer ${input}`);
      },
    });
    const runId = await bench.createRun('r', { concurrency: 2 });
    const driven = bench.engine.drive(owner, runId);
    await until(() => open.length === 2);
    const drained = bench.engine.drain(60_000);
    await settled();
    expect(bench.calls).toHaveLength(2);
    for (const finish of open) finish();
    await drained;
    await driven;
    expect(await statusOf(bench, runId)).toBe('running');
    expect(await bench.store.leases.adoptable(9)).toEqual([{ owner, runId }]);
    const next = bench.reopen((input) => answered(`answer ${input}`));
    await next.drive(owner, runId);
    expect(await statusOf(bench, runId)).toBe('completed');
    expect([...bench.calls].sort()).toEqual([0, 1, 2, 3, 4, 5].map((i) => `inv-${i}.0`));
  });

  it('what takes longer is left when the time is over, and executed again elsewhere', async () => {
    const bench = await openBench({ tasks: countingTasks(1), behave: () => new Promise(() => undefined) });
    const runId = await bench.createRun('r');
    void bench.engine.drive(owner, runId);
    await until(() => bench.calls.length === 1);
    const drained = bench.engine.drain(5_000);
    await bench.clock.advance(5_000);
    await drained;
    await bench.engine.shutdown();
    const next = bench.reopen((input) => answered(`answer ${input}`));
    await next.drive(owner, runId);
    expect(await statusOf(bench, runId)).toBe('completed');
  });

  it('a run that comes while the process drains is left to others', async () => {
    const bench = await openBench();
    await bench.engine.drain(0);
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    await bench.engine.adopt();
    expect(await statusOf(bench, runId)).toBe('pending');
  });
});

describe('a lease that may have run out', () => {
  it('is waited for without keeping the process from anything else, and the run goes on when it is renewed', async () => {
    const bench = await openBench({ tasks: countingTasks(3) });
    const { clock, store, parts } = bench;
    let looks = 0;
    let isAway = true;
    // A loop that spins is let go on: nothing could end it from outside.
    const elapsed = () => {
      looks += 1;
      return looks > 1_000 ? 0 : clock.elapsed();
    };
    const renew: typeof store.leases.renew = (...given) =>
      isAway ? Promise.reject(new HostError('unavailable', 'Away.')) : store.leases.renew(...given);
    const openAgent: typeof parts.openAgent = async (...given) => {
      const agent = await parts.openAgent(...given);
      const invoke: typeof agent.invoke = async (...asked) => {
        if (bench.calls.length === 0) await clock.advance(parts.limits.leaseMs * 2);
        return agent.invoke(...asked);
      };
      return { ...agent, invoke };
    };
    const engine = createEngine({
      ...parts,
      openAgent,
      clock: { ...clock, elapsed },
      store: { ...store, leases: { ...store.leases, renew } },
    });
    const runId = await bench.createRun('r', { concurrency: 1 });
    const driven = engine.drive(owner, runId);
    await until(async () => (await bench.events(runId)).some(({ type }) => type === 'eval.scored'));
    await settled();
    expect(bench.calls).toHaveLength(1);
    isAway = false;
    await clock.advance(parts.limits.leaseMs);
    await driven;
    expect(looks).toBeLessThan(1_000);
    expect(await statusOf(bench, runId)).toBe('completed');
  });
});

describe('a driver that the others have counted as lost', () => {
  it('begins nothing before it has renewed its lease', async () => {
    let presence: number | undefined = 1;
    const open: (() => void)[] = [];
    const bench = await openBench({
      tasks: countingTasks(4),
      parts: { sharing: { ...sharing, presence: () => presence } },
      behave: async (input) => {
        await new Promise<void>((resolve) => open.push(resolve));
        return answered(`answer ${input}`);
      },
    });
    const scored = async (runId: Parameters<Bench['events']>[0]) =>
      (await bench.events(runId)).filter(({ type }) => type === 'eval.scored').length;
    const runId = await bench.createRun('r', { concurrency: 2 });
    const driven = bench.engine.drive(owner, runId);
    await until(() => open.length === 2);
    presence = undefined;
    for (const finish of open.splice(0)) finish();
    await until(async () => (await scored(runId)) === 2);
    await bench.clock.advance(3_000);
    expect(bench.calls).toHaveLength(2);
    presence = 2;
    await settled();
    expect(bench.calls).toHaveLength(2);
    await bench.clock.advance(1_000);
    await until(() => open.length === 2);
    for (const finish of open.splice(0)) finish();
    await driven;
    expect(await statusOf(bench, runId)).toBe('completed');
  });
});

describe('sharing runs', () => {
  it('a process that does not work offers the run, and takes up none', async () => {
    const offered: string[] = [];
    const bench = await openBench();
    const leases = { ...bench.store.leases, offer: (runId: string) => offered.push(runId) };
    const door = createEngine({ ...bench.parts, works: false, store: { ...bench.store, leases } });
    const runId = await bench.createRun('r');
    await door.drive(owner, runId);
    await door.adopt();
    expect(offered).toContain(runId);
    expect(bench.calls).toEqual([]);
    await door.cancel(owner, runId, 'someone');
    await bench.engine.drive(owner, runId);
    expect(await statusOf(bench, runId)).toBe('cancelled');
  });

  it('a run that another process is to execute is not opened here', async () => {
    const bench = await openBench({ parts: { sharing: { ...sharing, suits: async () => false } } });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    await bench.engine.adopt();
    expect(bench.calls).toEqual([]);
    expect(await bench.store.leases.adoptable(9)).toEqual([{ owner, runId }]);
  });

  it('a run whose agent is not here waits for a process that has it, and fails when it has waited long enough', async () => {
    let isWaiting = true;
    const openAgent = () =>
      Promise.reject(new HostError('not_found', 'Agent a@1.0.0 is not known to this host.'));
    const bench = await openBench({
      parts: { openAgent, sharing: { ...sharing, waits: async () => isWaiting } },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    expect(await statusOf(bench, runId)).toBe('pending');
    expect(await bench.events(runId)).toEqual([]);
    isWaiting = false;
    await bench.engine.drive(owner, runId);
    expect((await bench.store.runs.get(owner, runId))?.error).toEqual({
      code: 'agent_unavailable',
      message: 'Agent a@1.0.0 is not known to this host.',
    });
  });

  it('two processes take turns at what waits, whichever looks first', async () => {
    const open: (() => void)[] = [];
    const behave = async () => {
      await new Promise<void>((resolve) => open.push(resolve));
      return answered('x');
    };
    const bench = await openBench({ tasks: countingTasks(1), behave, parts: { sharing } });
    const other = bench.reopen();
    for (const name of ['r1', 'r2', 'r3', 'r4']) await bench.createRun(name);
    const looks = [bench.engine.adopt(), other.adopt()];
    while (open.length < 4) {
      await bench.clock.advance(10);
      await settled();
    }
    expect([bench.engine.load.atWork, other.load.atWork]).toEqual([2, 2]);
    for (const finish of open) finish();
    await bench.clock.advance(1_000);
    await Promise.all(looks);
  });

  it('a tenant has so many runs at work in all processes together', async () => {
    const open: (() => void)[] = [];
    const behave = async () => {
      await new Promise<void>((resolve) => open.push(resolve));
      return answered('x');
    };
    const bench = await openBench({
      tasks: countingTasks(1),
      behave,
      parts: { sharing: { ...sharing, activeRuns: 2 } },
    });
    const engines = [bench.engine, bench.reopen(), bench.reopen()];
    for (const name of ['r1', 'r2', 'r3', 'r4']) await bench.createRun(name);
    const look = async () => {
      for (const engine of engines) void engine.adopt();
      await bench.clock.advance(100);
      await settled();
    };
    for (let ended = 0; ended < 4; ended += 1) {
      while (open.length < Math.min(2, 4 - ended)) await look();
      for (let looks = 0; looks < 3; looks += 1) await look();
      expect(open.length).toBeLessThanOrEqual(2);
      open.shift()?.();
      await until(async () => (await bench.store.runs.count(owner)).completed === ended + 1);
    }
  });
});
