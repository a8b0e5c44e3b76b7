import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, createRun, leasedRun, newRun, refusalOf, runIdOf } from './givens.js';

export function closingCases(open: () => Promise<Store>): void {
  it('closing finishes what was submitted and refuses what comes later', async () => {
    const store = await open();
    const { lease } = await leasedRun(store, 'r1');
    const written = [
      createRun(store, 'r2'),
      store.log.commit(lease, { firstSequence: 0, run: { status: 'running' } }),
    ];
    await store.close();
    await Promise.all(written);
    for (const late of [
      store.runs.get(ACME, runIdOf('r1')),
      store.runs.create(newRun('r3')),
      store.keys.list(),
    ]) {
      expect(await refusalOf(late)).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('closed'),
      });
    }
    await store.close();
  });
}
