import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../packages/touchstone/src/store/index.js';
import { hasPgbouncer, type Pooler, startPgbouncer } from '../setup/pgbouncer.js';
import { hasPostgres, queryPostgres, type Server, schemaUrl, startServer } from '../setup/postgres.js';
import { ACME, createRun, refusalOf, testClock } from './store/givens.js';
import { raceCases } from './store/race-cases.js';
import { storeCases } from './store-cases.js';

// Goal: a store works behind a pooler that gives sessions to transactions, and one that is not told so says what to do. Method: the
// real PgBouncer, with fewer sessions than the store has connections.
describe.skipIf(!hasPostgres() || !hasPgbouncer())('PostgreSQL store behind a pooler', () => {
  let server: Server;
  let pooler: Pooler;
  beforeAll(async () => {
    server = await startServer();
    pooler = await startPgbouncer(server.url);
  });
  afterAll(async () => {
    await pooler?.stop();
    await server?.stop();
  });
  const newUrl = () => `${schemaUrl(pooler.url)}&prepare=false`;
  const open = (url: string) => openPostgresStore({ url, clock: testClock() });

  describe('with prepare=false', () => {
    storeCases((clock, holder) => openPostgresStore({ url: newUrl(), clock, holder }));
    describe('several processes at once', () =>
      raceCases((count) => {
        const url = newUrl();
        const one = (_: unknown, i: number) =>
          openPostgresStore({ url, clock: testClock(), holder: `h${i}` });
        return Promise.all(Array.from({ length: count }, one));
      }));
  });

  it('tells an operator what the pooler costs, and says nothing where there is none', async () => {
    for (const [url, warnings] of [
      [newUrl(), [expect.stringContaining('A pooler stands before the server.')]],
      [schemaUrl(server.url), []],
    ] as const) {
      const store = await open(url);
      expect(await store.warnings()).toEqual(warnings);
      await store.close();
    }
  });

  const SAYS_WHAT_TO_DO = {
    code: 'unavailable',
    details: { reason: 'pooler' },
    message: expect.stringContaining('Add ?prepare=false to the address.'),
  };

  it('without it is refused when the pooler takes no settings', async () => {
    expect(await refusalOf(open(schemaUrl(pooler.url)))).toMatchObject(SAYS_WHAT_TO_DO);
  });

  it('without it is refused when the pooler loses settings', async () => {
    const losing = await startPgbouncer(server.url, { ignore_startup_parameters: 'options' });
    expect(await refusalOf(open(schemaUrl(losing.url)))).toMatchObject(SAYS_WHAT_TO_DO);
    await losing.stop();
  });

  it('without it does not execute statements of another connection', async () => {
    const one = await startPgbouncer(server.url, {
      ignore_startup_parameters: 'options',
      default_pool_size: 1,
    });
    const url = schemaUrl(one.url);
    const schema = new URL(url).searchParams.get('schema');
    await queryPostgres(server.url, `ALTER ROLE touchstone SET search_path = ${schema}`);
    const store = await open(url);
    const reads = Array.from({ length: 4 }, () => store.runs.list(ACME, { limit: 1 }));
    const refusals = (await Promise.allSettled(reads)).flatMap((read) =>
      read.status === 'rejected' ? [read.reason] : [],
    );
    expect(refusals[0]).toMatchObject(SAYS_WHAT_TO_DO);
    await store.close();
    await one.stop();
    await queryPostgres(server.url, 'ALTER ROLE touchstone RESET search_path');
  });

  it('outlives a pooler that is started again', async () => {
    const first = await startPgbouncer(server.url);
    const store = await open(`${schemaUrl(first.url)}&prepare=false`);
    const { runId } = await createRun(store, 'r1');
    await first.stop();
    expect(await refusalOf(store.runs.get(ACME, runId))).toMatchObject({
      details: { reason: 'unreachable' },
    });
    const again = await startPgbouncer(server.url, { listen_port: new URL(first.url).port });
    expect(await store.runs.get(ACME, runId)).toMatchObject({ runId });
    await store.close();
    await again.stop();
  });
});
