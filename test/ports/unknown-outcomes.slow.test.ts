import { asId, type ModelName } from '@touchstone/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { openPostgresStore } from '../../packages/touchstone/src/store/index.js';
import {
  hasPostgres,
  holdPostgres,
  queryPostgres,
  type Server,
  schemaUrl,
  startServer,
} from '../setup/postgres.js';
import { ACME, commitSteps, leasedRun } from './store/givens.js';

// Goal: a write whose confirmation never came, and which takes effect later than the next try, counts once. Method: a lock holds a
// write back until the store has given its connection up and sends the write again; then both go on.
const POLL = { timeout: 120_000, interval: 100 };

describe.skipIf(!hasPostgres())('a write with an unknown outcome', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.stop());

  /** Does the work while the table of runs is locked, until two connections wait for it: the first try and the second. */
  async function heldBack(url: string, work: () => Promise<unknown>): Promise<void> {
    const { letGo } = await holdPostgres(url, 'LOCK TABLE runs IN EXCLUSIVE MODE');
    const working = work();
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await expect.poll(() => queryPostgres(url, waiting), POLL).toHaveLength(2);
    await letGo();
    await working;
  }

  it('of a spending is booked once', async () => {
    const url = schemaUrl(server.url);
    const store = await openPostgresStore({ url, clock: systemClock });
    const { run } = await leasedRun(store, 'r1');
    const call = {
      provider: asId<ModelName>('local'),
      model: asId<ModelName>('small-1'),
      inputTokens: 10,
      outputTokens: 5,
      costUsd: 0.25,
    };
    await heldBack(url, () => store.ledger.record(ACME, run.runId, [call, call]));
    expect(await store.ledger.total(ACME, run.runId)).toEqual({ usd: 0.5, unpriced: 0 });
    expect(await queryPostgres(url, 'SELECT spend_id FROM ledger')).toHaveLength(2);
    await store.close();
  });

  it('of a commit is written once, and its driver goes on', async () => {
    const url = schemaUrl(server.url);
    const store = await openPostgresStore({ url, clock: systemClock });
    const { run, lease } = await leasedRun(store, 'r1');
    let end = 0;
    await heldBack(url, async () => {
      end = await commitSteps(store, lease, [0, 1]);
    });
    expect(await store.log.read(ACME, run.runId, -1, 100)).toHaveLength(end);
    expect(await store.log.appended(ACME, run.runId)).toEqual([0, 1]);
    await store.close();
  });
});
