import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPostgresStore, openStore, STORED_TABLES } from '../../packages/touchstone/src/store/index.js';
import { type Cluster, hasPostgres, queryPostgres, querySqlite, startCluster } from '../setup/postgres.js';
import { ACME, commitSteps, events, leasedRun, record, started, step, testClock } from './store/givens.js';
import { raceCases } from './store/race-cases.js';
import { sharedCases, storeCases } from './store-cases.js';

describe.skipIf(!hasPostgres())('PostgreSQL store', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());

  storeCases((clock, holder) => openPostgresStore({ url: cluster.newUrl(), clock, holder }));
  sharedCases(async () => {
    const url = cluster.newUrl();
    return (clock, holder) => openPostgresStore({ url, clock, holder });
  });
  describe('several processes at once', () =>
    raceCases((count) => {
      const url = cluster.newUrl();
      const open = (_: unknown, i: number) => openPostgresStore({ url, clock: testClock(), holder: `h${i}` });
      return Promise.all(Array.from({ length: count }, open));
    }));

  it('a new one has the tables and columns of a new SQLite store', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'touchstone-columns-'));
    const [url, file] = [cluster.newUrl(), join(folder, 'store.db')];
    await (await openPostgresStore({ url, clock: testClock() })).close();
    await (await openStore({ file, clock: testClock() })).close();
    const columns = await queryPostgres(
      url,
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name <> 'schema_version'`,
    );
    const expected = querySqlite(
      file,
      `SELECT m.name || '.' || c.name AS name FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT IN ('schema_version', 'sqlite_sequence')`,
    );
    expect(columns.map(({ name }) => name).sort()).toEqual(expected.map(({ name }) => name).sort());
    await rm(folder, { recursive: true });
  });

  it('a page of results reads its own rows, and not all that is left of the log', async () => {
    const url = cluster.newUrl();
    const store = await openPostgresStore({ url, clock: testClock() });
    const [steps, page] = [8_000, 100];
    const { lease } = await leasedRun(store, 'long');
    const ordinals = Array.from({ length: steps }, (_, at) => at);
    const seals = ordinals.map((ordinal) => record(ordinal));
    const entries = [events(started()), ...ordinals.map((ordinal) => step(ordinal))];
    await store.log.commit(lease, { seals, entries, firstSequence: 0, run: { status: 'running' } });
    const rowsRead = async (): Promise<number> => {
      const [row] = await queryPostgres(
        url,
        `SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables
          WHERE relname = 'log_entries' AND schemaname = current_schema()`,
      );
      return Number(row?.rows);
    };
    const before = await rowsRead();
    for (let at = 0; at < steps; at += page)
      expect(await store.log.results(lease.owner, lease.runId, at, page)).toHaveLength(page);
    // A connection tells the server's statistics what it has read at its end.
    await store.close();
    await vi.waitFor(async () => expect((await rowsRead()) - before).toBeGreaterThanOrEqual(steps), 20_000);
    // A server plans the first few executions of a statement by themselves, and may read all that is left for each of those.
    expect((await rowsRead()) - before).toBeLessThan(8 * steps);
  });

  it('everything that is stored is copied', async () => {
    const url = cluster.newUrl();
    await (await openPostgresStore({ url, clock: testClock() })).close();
    const tables = await queryPostgres(
      url,
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_version'",
    );
    expect(STORED_TABLES.map(({ table }) => table).sort()).toEqual(tables.map(({ name }) => name).sort());
  });

  it('a schema of a newer release is used when it says so, and refused otherwise; one of another program is left alone', async () => {
    const url = cluster.newUrl();
    const open = () => openPostgresStore({ url, clock: testClock() });
    await (await open()).close();
    await queryPostgres(url, 'INSERT INTO schema_version VALUES (999, 1)');
    await (await open()).close();
    await queryPostgres(url, 'UPDATE schema_version SET reads_from = 999');
    await expect(open()).rejects.toMatchObject({ code: 'unavailable', details: { reason: 'newer' } });
    await queryPostgres(url, 'DROP TABLE schema_version');
    await expect(open()).rejects.toMatchObject({ code: 'unavailable', details: { reason: 'foreign' } });
  });

  it('a step that has nothing to do here keeps no older program out', async () => {
    const url = cluster.newUrl();
    await (await openPostgresStore({ url, clock: testClock() })).close();
    const rows = await queryPostgres(url, 'SELECT version, reads_from FROM schema_version ORDER BY version');
    const readsFrom = rows.map((row) => Number(row.reads_from));
    expect(readsFrom.slice(18, 20)).toEqual([19, 19]);
    expect(readsFrom.slice(0, 18)).toEqual(readsFrom.slice(0, 18).map((_, at) => at + 1));
  });

  it('a server that is not there is unreachable, and the password is in no message', async () => {
    const url = 'postgres://ann:hidden-password@127.0.0.1:1/evals';
    const error = await openPostgresStore({ url, clock: testClock() }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'unavailable', details: { reason: 'unreachable', retryAfter: 1 } });
    expect(inspect(error, { depth: 9 })).not.toContain('hidden-password');
  });

  it('a connection that the server ends is replaced, and nothing that was acknowledged is lost', async () => {
    const url = cluster.newUrl();
    const store = await openPostgresStore({ url, clock: testClock() });
    for (let round = 0; round < 5; round += 1) {
      const { run, lease } = await leasedRun(store, `r${round}`);
      const others =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'touchstone'";
      const cut = queryPostgres(url, others);
      await Promise.all([cut, commitSteps(store, lease, [0, 1, 2])]);
      expect(await store.log.appended(ACME, run.runId)).toEqual([0, 1, 2]);
    }
    await store.close();
  });

  it('audit records are neither changed nor removed nor cut off, also by a program of an operator', async () => {
    const url = cluster.newUrl();
    await (await openPostgresStore({ url, clock: testClock() })).close();
    const row = "INSERT INTO audit VALUES ('a', 'b', 1, 1, 'p', 'x', 'r', 1, NULL, NULL, '', '')";
    await queryPostgres(url, row);
    for (const sql of ['UPDATE audit SET seq = 2', 'DELETE FROM audit', 'TRUNCATE audit'])
      await expect(queryPostgres(url, sql)).rejects.toThrow('audit is append-only');
    expect(await queryPostgres(url, 'SELECT seq FROM audit')).toHaveLength(1);
  });
});
