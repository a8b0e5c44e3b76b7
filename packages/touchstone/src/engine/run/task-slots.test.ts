import { asId, type EvalPlan } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import { expect, it, vi } from 'vitest';
import { createDeferred, createSlots } from '../../net/index.js';
import {
  answered,
  type Bench,
  type BenchOptions,
  countingTasks,
  openBench,
  owner,
} from '../testing/bench.js';

/** Waits for an event, however busy the machine is. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000 });

/** Agents that answer when the test says so, one after the other. */
function answeringInTurn() {
  const turns: (() => void)[] = [];
  const behave: BenchOptions['behave'] = async (input) => {
    const turn = createDeferred<void>();
    turns.push(turn.resolve);
    await turn.promise;
    return answered(`answer ${input}`);
  };
  return { behave, turns };
}

const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type);
const latencies = async (bench: Bench, runId: Parameters<Bench['events']>[0]) =>
  (await bench.events(runId)).flatMap(({ type, payload }) =>
    type === 'eval.scored' ? [(payload as { latencyMs: number }).latencyMs] : [],
  );

it('tasks beyond those that a tenant may have at work wait, and the wait is not the latency of the agent', async () => {
  const { behave, turns } = answeringInTurn();
  const onWait = vi.fn();
  const bench = await openBench({ behave, slots: { tasks: createSlots({ perTenant: 1, onWait }) } });
  const runId = await bench.createRun('r');
  const driven = bench.engine.drive(owner, runId);
  for (let task = 0; task < 3; task += 1) {
    await until(() => expect(turns).toHaveLength(task + 1));
    await bench.clock.advance(100);
    turns[task]?.();
  }
  await driven;
  expect(await latencies(bench, runId)).toEqual([100, 100, 100]);
  expect(onWait).toHaveBeenCalledTimes(2);
});

it('tasks of a run that hang leave slots for another tenant', async () => {
  const bench = await openBench({
    tasks: countingTasks(9),
    slots: { tasks: createSlots({ perTenant: 100, total: 8 }) },
    behave: () => new Promise(() => undefined),
  });
  const runId = await bench.createRun('r', { concurrency: 9 });
  void bench.engine.drive(owner, runId);
  await until(() => expect(bench.calls).toHaveLength(4));
  await driveOther(bench);
  await until(() => expect(bench.calls).toHaveLength(6));
  await bench.engine.shutdown();
});

/** A run of another tenant on the same engine. */
async function driveOther({ store, engine }: Bench): Promise<void> {
  const found = await store.runs.get(owner, asId('r'));
  if (!found) throw new Error('there is no run');
  const rival = { tenant: 'rival', workspace: 'main' };
  const { suite } = found.plan as EvalPlan;
  const head = await store.suites.byDigest(owner, suite.digest);
  if (head) await store.suites.put(rival, { head, tasks: countingTasks(9) }, 0);
  const runId = asId<typeof found.runId>('other');
  await store.runs.create({ ...found, runId, owner: rival, createdAt: 0 });
  void engine.drive(rival, runId);
}

it('a draining pause does not wait for tasks that wait for a slot, and they are not lost', async () => {
  const { behave, turns } = answeringInTurn();
  const bench = await openBench({ behave, slots: { tasks: createSlots({ perTenant: 1 }) } });
  const runId = await bench.createRun('r');
  const driven = bench.engine.drive(owner, runId);
  await until(() => expect(turns).toHaveLength(1));
  await bench.engine.pause(owner, runId, 'me', 'drain-current-node');
  turns[0]?.();
  await driven;
  expect(typesOf(await bench.events(runId)).at(-1)).toBe('run.paused');
  expect(bench.calls).toHaveLength(1);
  await bench.engine.resume(owner, runId, 'me');
  const again = bench.engine.drive(owner, runId);
  for (const task of [1, 2]) {
    await until(() => expect(turns).toHaveLength(task + 1));
    turns[task]?.();
  }
  await again;
  expect(typesOf(await bench.events(runId)).at(-1)).toBe('run.completed');
});

it('a task that waits for a slot when the cost ceiling is reached is not started', async () => {
  const bench = await openBench({
    slots: { tasks: createSlots({ perTenant: 1 }) },
    behave: async (input, host) => {
      await host.spend([
        { provider: asId('p'), model: asId('m'), inputTokens: 1, outputTokens: 1, costUsd: 1 },
      ]);
      return answered(`answer ${input}`);
    },
  });
  const runId = await bench.createRun('r', { ceilingUsd: 1 });
  await bench.engine.drive(owner, runId);
  expect(bench.calls).toHaveLength(1);
  expect((await bench.events(runId)).at(-1)?.payload).toMatchObject({ error: { code: 'budget_exhausted' } });
});

it('tasks wait while their tenant is ahead of its share of the thread, and the wait is not the latency of the agent', async () => {
  const turn = createDeferred<void>();
  const entered: string[] = [];
  const shares = {
    enter: (tenant: string) => {
      entered.push(tenant);
      return turn.promise;
    },
    charge: () => undefined,
    arrived: () => undefined,
  };
  const bench = await openBench({ tasks: countingTasks(1), parts: { shares } });
  const runId = await bench.createRun('r');
  const driven = bench.engine.drive(owner, runId);
  await until(() => expect(entered).toEqual([owner.tenant]));
  await bench.clock.advance(100);
  expect(bench.calls).toEqual([]);
  turn.resolve();
  await driven;
  expect(await latencies(bench, runId)).toEqual([0]);
});

it('a run whose tasks are done is folded when its tenant may use the thread', async () => {
  const closing = createDeferred<void>();
  let entered = 0;
  const shares = {
    enter: () => {
      entered += 1;
      return entered === 1 ? undefined : closing.promise;
    },
    charge: () => undefined,
    arrived: () => undefined,
  };
  const bench = await openBench({ tasks: countingTasks(1), parts: { shares } });
  const runId = await bench.createRun('r');
  const driven = bench.engine.drive(owner, runId);
  await until(() => expect(entered).toBe(2));
  expect(typesOf(await bench.events(runId)).at(-1)).toBe('eval.scored');
  closing.resolve();
  await driven;
  expect(typesOf(await bench.events(runId)).at(-1)).toBe('run.completed');
});

it('a task that waits for its share is let go when its run is cancelled', async () => {
  const waiting = createDeferred<void>();
  const shares = {
    enter: (_tenant: string, _ms: number, signal?: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        waiting.resolve();
      }),
    charge: () => undefined,
    arrived: () => undefined,
  };
  const bench = await openBench({ tasks: countingTasks(1), parts: { shares } });
  const runId = await bench.createRun('r');
  const driven = bench.engine.drive(owner, runId);
  await waiting.promise;
  await bench.engine.cancel(owner, runId, 'me');
  await driven;
  expect(typesOf(await bench.events(runId)).at(-1)).toBe('run.cancelled');
  expect(bench.calls).toEqual([]);
});
