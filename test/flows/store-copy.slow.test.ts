import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPgbouncer, type Pooler, startPgbouncer } from '../setup/pgbouncer.js';
import {
  hasPostgres,
  queryPostgres,
  querySqlite,
  type Rows,
  type Server,
  startServer,
} from '../setup/postgres.js';
import { setStore } from './database-host.js';
import { kill, runCli, startCli, temporaryFolder, writeProject } from './processes.js';

// Goal: nobody uses a part of a copy, and whoever only looks changes nothing in a database. Method: the real program on a real
// server; a copy is killed in the middle, and every other command tries to use what it left.
describe.skipIf(!hasPostgres())('a store that is copied or looked at', () => {
  let server: Server;
  let pooler: Pooler | undefined;
  let folder: ReturnType<typeof temporaryFolder>;
  let schemas = 0;
  beforeAll(async () => {
    server = await startServer({ durable: true });
    if (hasPgbouncer()) pooler = await startPgbouncer(server.url);
  });
  afterAll(async () => {
    await pooler?.stop();
    await server?.stop();
  });
  beforeEach(() => {
    folder = temporaryFolder();
    writeProject(folder.path, 3);
    schemas += 1;
  });
  afterEach(() => folder.remove());

  const schema = () => `copied${schemas}`;
  const url = () => `${server.url}?schema=${schema()}`;
  const run = (args: readonly string[], address = url()) =>
    runCli(args, folder.path, { DATABASE_URL: address });
  const schemasMade = () =>
    queryPostgres(server.url, `SELECT nspname FROM pg_namespace WHERE nspname = '${schema()}'`);
  const storeLine = (out: string): string => out.split('\n').find((line) => / store +/.test(line)) ?? '';

  describe('in a database', () => {
    beforeEach(() => setStore(folder.path, 'env:DATABASE_URL'));
    const UNPREPARED = 'the tables are missing or of an earlier release; the first run makes them';

    it('without tables is left as it is by doctor and store check', async () => {
      const doctor = await run(['doctor']);
      expect(doctor).toMatchObject({ code: 0 });
      expect(storeLine(doctor.stdout)).toMatch(/! store +/);
      expect(storeLine(doctor.stdout)).toContain(UNPREPARED);
      expect(doctor.stdout).toContain('touchstone store prepare');
      const check = await run(['store', 'check']);
      expect(check).toMatchObject({ code: 3, stdout: '' });
      expect(check.stderr).toContain('its tables are missing or of an earlier release');
      expect(await schemasMade()).toEqual([]);
      await run(['store', 'prepare']);
      expect(storeLine((await run(['doctor'])).stdout)).toContain(
        'the PostgreSQL database is sound and holds',
      );
      expect(await run(['store', 'check'])).toMatchObject({ code: 0 });
    });

    it('of an earlier release is left to its hosts by doctor, and by a copy from it', async () => {
      await run(['store', 'prepare']);
      await queryPostgres(
        url(),
        'DELETE FROM schema_version WHERE version = (SELECT MAX(version) FROM schema_version)',
      );
      const versions = () =>
        queryPostgres(url(), 'SELECT version, reads_from FROM schema_version ORDER BY 1');
      const before = await versions();
      const doctor = await run(['doctor']);
      expect(doctor).toMatchObject({ code: 0 });
      expect(storeLine(doctor.stdout)).toContain(UNPREPARED);
      const copy = await run(['store', 'copy', 'env:DATABASE_URL', 'sqlite:new/out.db']);
      expect(copy).toMatchObject({ code: 2, stdout: '' });
      expect(await versions()).toEqual(before);
    });
  });

  it('is not there: the copy is refused, and nothing is made', async () => {
    const copy = await run(['store', 'copy', 'env:DATABASE_URL', 'sqlite:new/out.db']);
    expect(copy).toMatchObject({ code: 2, stdout: '' });
    expect(copy.stderr).toContain('There is no store to copy: the tables of postgres://127.0.0.1:');
    expect(copy.stderr).not.toContain('pg-test-password');
    expect(await schemasMade()).toEqual([]);
    expect(existsSync(join(folder.path, 'new'))).toBe(false);
    expect(await run(['store', 'copy', 'sqlite:typo.db', 'env:DATABASE_URL'])).toMatchObject({ code: 2 });
    expect(await schemasMade()).toEqual([]);
    expect(existsSync(join(folder.path, 'typo.db'))).toBe(false);
  });

  const SOURCE = '.touchstone/touchstone.db';
  /** More than is copied while this process looks twice. */
  const ROWS = 50_000;
  const fillSource = async (): Promise<void> => {
    await run(['run', 'numbers.suite.json', '--agent', 'local.test.numbers']);
    querySqlite(
      join(folder.path, SOURCE),
      `INSERT INTO sessions WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
        SELECT 'session-' || i, 'key', 1, 1 FROM n`,
    );
  };
  const file = () => join(folder.path, 'there/touchstone.db');
  const targets = {
    'a file': {
      store: 'sqlite:there/touchstone.db',
      address: url,
      ask: async (sql: string): Promise<Rows> => (existsSync(file()) ? querySqlite(file(), sql) : []),
      remove: 'remove the file',
    },
    'a database': {
      store: 'env:DATABASE_URL',
      address: url,
      ask: (sql: string) => queryPostgres(url(), sql),
      remove: 'remove the schema',
    },
    'a database behind a pooler': {
      store: 'env:DATABASE_URL',
      address: () => `${pooler?.url}?schema=${schema()}&prepare=false`,
      ask: (sql: string) => queryPostgres(url(), sql),
      remove: 'remove the schema',
    },
  };
  const names = (Object.keys(targets) as (keyof typeof targets)[]).filter(
    (name) => name !== 'a database behind a pooler' || hasPgbouncer(),
  );

  it.each(names)(
    '%s that holds a part of a copy is used by nobody, until the copy is complete',
    async (name) => {
      const { store, address, ask, remove } = targets[name];
      await fillSource();
      const rows = async (): Promise<number> => {
        const [row] = await ask('SELECT COUNT(*) AS rows FROM sessions').catch(() => []);
        return Number(row?.rows ?? 0);
      };
      const copy = ['store', 'copy', `sqlite:${SOURCE}`, store];
      const copying = startCli(copy, folder.path, { DATABASE_URL: address() });
      while ((await rows()) === 0) await wait(5);
      await kill(copying);
      expect(await rows()).toBeLessThan(ROWS);

      setStore(folder.path, store);
      for (const verb of [['serve', '--port', '0'], ['runs'], ['store', 'prepare'], ['store', 'check']]) {
        const refused = await run(verb, address());
        expect({ verb, ...refused }).toMatchObject({ verb, code: 3, stdout: '' });
        expect(refused.stderr).toContain(
          'it holds an unfinished copy. Give the same "touchstone store copy" again',
        );
        expect(refused.stderr).toContain(remove);
      }
      const doctor = await run(['doctor'], address());
      expect(doctor.code).toBe(1);
      expect(storeLine(doctor.stdout)).toContain('it holds an unfinished copy');

      expect(await run(copy, address())).toMatchObject({ code: 0, stderr: '' });
      expect(await rows()).toBe(ROWS);
      expect(await run(['store', 'check'], address())).toMatchObject({ code: 0 });
      expect(await run(['show', 'last'], address())).toMatchObject({ code: 0 });
    },
  );
});
