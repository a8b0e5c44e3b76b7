import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/index.js';
import type { Store } from '../../packages/touchstone/src/ports/index.js';
import { openPostgresStore } from '../../packages/touchstone/src/store/index.js';
import { type Cluster, hasPostgres, queryPostgres, startCluster } from '../setup/postgres.js';
import { ACME, createRun } from './store/givens.js';

// Goal: a tenant with a very long queue is slow neither for itself nor for others. Method: a million tasks in runs that wait, and
// the server's own count of the rows that it reads for what hosts and workers do. A look that reads the queue reads all of it.
const RUNS = 100_000;
const GLOBEX = { tenant: 'globex', workspace: 'main' };
const MOST_ROWS = 3_000;

describe.skipIf(!hasPostgres())('a tenant with a hundred thousand runs of ten tasks that wait', () => {
  let cluster: Cluster;
  let url: string;
  beforeAll(async () => {
    cluster = await startCluster();
    url = cluster.newUrl();
    const store = await open();
    const run = await createRun(store, 'first', { owner: GLOBEX });
    expect(run.runId).toBe('first');
    await store.close();
    await queryPostgres(url, copiesOf('runs', 'run_id', "'r' || n"));
    await queryPostgres(
      url,
      // Counting the bytes of one tenant row by row would take minutes, and is not what is looked at.
      `ALTER TABLE run_requests DISABLE TRIGGER USER;
      INSERT INTO run_requests (run_no, plan, request) SELECT u.run_no, q.plan, q.request FROM runs u, run_requests q
        WHERE u.run_id <> 'first' AND q.run_no = (SELECT run_no FROM runs WHERE run_id = 'first');
      ALTER TABLE run_requests ENABLE TRIGGER USER`,
    );
    await queryPostgres(url, 'ANALYZE');
  });
  afterAll(() => cluster?.stop());

  const open = (): Promise<Store> => openPostgresStore({ url, clock: systemClock, holder: 'me|here|1|1' });
  /** Sessions that end tell the server at once what they have read. */
  const rowsReadBy = async (use: (store: Store) => Promise<unknown>): Promise<number> => {
    const before = await rowsRead(url);
    const store = await open();
    await use(store);
    await store.close();
    return (await rowsRead(url)) - before;
  };

  it.each<readonly [string, (store: Store) => Promise<unknown>]>([
    ['creates another run', (store) => createRun(store, 'one-more', { owner: GLOBEX })],
    ['lists its runs', (store) => store.runs.list(GLOBEX, { limit: 50 })],
    ['has another tenant counted for its limit', (store) => store.amounts.pendingRuns(ACME, 1_000)],
    ['is counted for its limit of runs that wait', (store) => store.amounts.pendingRuns(GLOBEX, 1_000)],
    ['is looked through for a run to take up', (store) => store.leases.adoptable(10, 32)],
  ])('%s: the queue is not read', async (_name, use) => {
    expect(await rowsReadBy(use)).toBeLessThan(MOST_ROWS);
  });

  it('does not hide the run of another tenant', async () => {
    const store = await open();
    const { runId } = await createRun(store, 'small');
    const found = await store.leases.adoptable(10, 32);
    expect(found).toContainEqual({ owner: ACME, runId });
    expect(found.filter(({ owner }) => owner.tenant === 'globex')).toHaveLength(10);
    expect(await store.leases.take(ACME, runId, 60_000, 32)).toBeDefined();
    await store.close();
  });
});

/** Many rows like the one that is there, each with an id of its own; the number is the server's. */
const copiesOf = (table: string, id: string, made: string): string => `DO $$ DECLARE columns text; BEGIN
  SELECT string_agg(column_name, ', ') INTO columns FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = '${table}' AND column_name NOT IN ('run_no', '${id}');
  EXECUTE 'INSERT INTO ${table} (${id}, ' || columns || ') SELECT ' || $q$${made}$q$ || ', ' || columns
    || ' FROM ${table}, generate_series(1, ${RUNS}) AS n'; END $$`;

async function rowsRead(url: string): Promise<number> {
  const [row] = await queryPostgres(
    url,
    `SELECT COALESCE(SUM(seq_tup_read + COALESCE(idx_tup_fetch, 0)), 0)::float8 AS rows
      FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname IN ('runs', 'run_requests')`,
  );
  return Number(row?.rows);
}
