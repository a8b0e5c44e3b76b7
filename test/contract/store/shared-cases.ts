import type { Store } from '@touchstone/contract/ports';
import { expect, it } from 'vitest';
import {
  ACME,
  commitSteps,
  createRun,
  endingCommit,
  newRun,
  refusalOf,
  runIdOf,
  type TestClock,
  takeLease,
} from './givens.js';

/** For engines whose data outlives a store or is used by several at once. `open` always opens the same data. */
export function sharedStoreCases(open: (holder: string) => Promise<Store>, clock: () => TestClock): void {
  it('what one store has acknowledged, another reads, also after the first has closed', async () => {
    const first = await open('one');
    const second = await open('two');
    const run = await createRun(first, 'r1');
    const end = await commitSteps(first, await takeLease(first, run), [0, 1]);
    expect(await second.log.read(ACME, run.runId, -1, 100)).toHaveLength(end);
    await first.close();
    expect(await second.runs.get(ACME, run.runId)).toMatchObject({ status: 'running', eventCount: end });
    const third = await open('three');
    expect(await third.log.read(ACME, run.runId, -1, 100)).toEqual(
      await second.log.read(ACME, run.runId, -1, 100),
    );
  });

  it('a run changes hands between stores, and the former driver is fenced off', async () => {
    const first = await open('one');
    const second = await open('two');
    const run = await createRun(first, 'r1');
    const old = await takeLease(first, run);
    expect(await second.leases.take(ACME, run.runId, 1_000)).toBeUndefined();
    expect(await second.leases.adoptable(9)).toEqual([]);
    clock().move(30_001);
    expect(await second.leases.adoptable(9)).toEqual([{ owner: ACME, runId: 'r1' }]);
    const lease = await takeLease(second, run);
    await second.log.commit(lease, endingCommit(0));
    expect((await refusalOf(first.log.commit(old, endingCommit(0)))).name).toBe('LeaseLost');
    expect(await first.log.read(ACME, run.runId, -1, 9)).toHaveLength(1);
  });

  it('simultaneous writes of two stores all arrive, and a race between them has one winner', async () => {
    const stores = [await open('one'), await open('two')];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => (stores[i % 2] as Store).runs.create(newRun(`r${i}`))),
    );
    expect((await (stores[0] as Store).runs.list(ACME, { limit: 100 })).items).toHaveLength(40);
    const takes = await Promise.all(stores.map((store) => store.leases.take(ACME, runIdOf('r0'), 1_000)));
    expect(takes.filter((lease) => lease !== undefined)).toHaveLength(1);
  });
}
