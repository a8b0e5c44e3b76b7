import type { RunId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Run, RunLog, Store } from '../../ports/index.js';
import { openSpendMeter } from '../invoke/spend-meter.js';
import type { Parts } from '../parts.js';
import { answered, type Bench, countingTasks, openBench, owner } from '../testing/bench.js';
import { openExecutor, openRunKind } from './open.js';
import { taskSourceOf } from './task-source.js';

const rowOf = async ({ store }: Bench, runId: RunId): Promise<Run> =>
  (await store.runs.get(owner, runId)) as Run;

const refuse = (name: string) => () => {
  throw new Error(`${name} was used.`);
};

/** A log that can only be sealed into: all that a worker may use of it. */
const sealOnly = (store: Store): Store => {
  const log = { seal: store.log.seal } as Partial<RunLog>;
  return {
    ...store,
    log: new Proxy(log, {
      get: (to, name) => Reflect.get(to, name) ?? refuse(`log.${String(name)}`),
    }) as RunLog,
  };
};

async function openWorker(parts: Parts, run: Run) {
  const own = { ...parts, store: sealOnly(parts.store) };
  const meter = await openSpendMeter(own.store, owner, run.runId, own, () => undefined);
  return { own, executor: await openExecutor(own, run, meter, taskSourceOf(own, run)) };
}

it('a driver has the kind of a run without opening its agent or its scoring', async () => {
  const bench = await openBench({ tasks: countingTasks(5) });
  const run = await rowOf(bench, await bench.createRun('r', { repeats: 2 }));
  const parts = { ...bench.parts, openAgent: refuse('openAgent'), openScoring: refuse('openScoring') };
  const kind = await openRunKind(parts, run, taskSourceOf(parts, run));
  expect([kind.steps, kind.repeats, kind.ordinalAt(4)]).toEqual([5, 2, 4]);
  expect(kind.opening(0).map(({ type }) => type)).toEqual(['eval.started']);
});

it('units that another process executes and seals are appended by the driver as if it had executed them', async () => {
  const bench = await openBench({ tasks: countingTasks(6), behave: () => new Promise(() => undefined) });
  const runId = await bench.createRun('split', { repeats: 2, concurrency: 1 });
  const driven = bench.engine.drive(owner, runId);
  while (bench.calls.length === 0) await bench.clock.advance(1);
  await bench.engine.shutdown();
  await driven;
  const run = await rowOf(bench, runId);
  const other = await openBench({ tasks: countingTasks(6) });
  const { own, executor } = await openWorker({ ...bench.parts, openAgent: other.parts.openAgent }, run);
  for (const ordinal of [3, 0, 5, 1, 4, 2])
    for (const repeat of [1, 0]) {
      const { record } = await executor.execute({ ordinal, repeat }, new AbortController().signal);
      await own.store.log.seal({ owner, runId }, [record]);
    }
  await executor.close();
  const calls = bench.calls.length;
  await bench.reopen(() => answered('never')).drive(owner, runId);
  expect(bench.calls).toHaveLength(calls);

  const whole = await other.createRun('split', { repeats: 2, concurrency: 1 });
  await other.engine.drive(owner, whole);
  const facts = async (from: Bench) =>
    (await from.events(runId)).map(({ timestamp: _, ...event }) =>
      JSON.stringify(event).replace(/"(latency|duration)Ms":\d+/g, ''),
    );
  expect(await facts(bench)).toEqual(await facts(other));
});
