import { asId, type ModelName } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Store, Usage } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, createRun, refusalOf, runIdOf } from './givens.js';

const call = (costUsd?: number): Usage => ({
  provider: asId<ModelName>('local'),
  model: asId<ModelName>('small-1'),
  inputTokens: 10,
  outputTokens: 5,
  ...(costUsd !== undefined && { costUsd }),
});

export function ledgerCases(open: () => Promise<Store>): void {
  it('adds up known prices and counts unknown ones, also of simultaneous calls', async () => {
    const store = await open();
    const run = await createRun(store, 'r1');
    const other = await createRun(store, 'r2');
    expect(await store.ledger.total(ACME, run.runId)).toEqual({ usd: 0, unpriced: 0 });
    await Promise.all([
      store.ledger.record(ACME, run.runId, [call(0.5), call()]),
      store.ledger.record(ACME, run.runId, [call(0.25)]),
      store.ledger.record(ACME, run.runId, []),
      store.ledger.record(ACME, other.runId, [call(8), call(0)]),
    ]);
    expect(await store.ledger.total(ACME, run.runId)).toEqual({ usd: 0.75, unpriced: 1 });
    expect(await store.ledger.total(ACME, other.runId)).toEqual({ usd: 8, unpriced: 0 });
  });

  it('answers what the run has spent with each booking', async () => {
    const store = await open();
    const { runId } = await createRun(store, 'r1');
    expect(await store.ledger.record(ACME, runId, [call(0.5), call()])).toBe(0.5);
    expect(await store.ledger.record(ACME, runId, [call(0.25)])).toBe(0.75);
    expect(await store.ledger.record(ACME, runId, [])).toBe(0.75);
  });

  it('usage of a run that is not there is refused, not forgotten', async () => {
    const store = await open();
    expect((await refusalOf(store.ledger.record(ACME, runIdOf('none'), [call(1)]))).code).toBe('not_found');
  });
}
