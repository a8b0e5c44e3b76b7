import { readFileSync } from 'node:fs';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import { EVAL, setStore } from './database-host.js';
import { KEY, kill, runCli, type Serving, serve, temporaryFolder, writeProject } from './processes.js';

// Goal: hosts work with a user who can neither make tables nor change what has been recorded. Method: the very SQL of the
// documentation, and the commands with the addresses of the two users.
const PAGE = new URL('../../docs/scaling-out.md', import.meta.url);
const DATABASE = 'touchstone';
const RUN = ['run', 'numbers.suite.json', '--agent', 'local.test.numbers', '--json'];

describe.skipIf(!hasPostgres())('two users of a database', () => {
  let database: Server;
  let folder: ReturnType<typeof temporaryFolder>;
  let host: Serving | undefined;
  const [ROLES = '', GRANTS = ''] = sqlUnder('## Rights');
  beforeAll(async () => {
    // `store check` finds a server that does not flush.
    database = await startServer({ durable: true });
    await queryPostgres(database.url, ROLES.replaceAll(' …', " 'unused'"));
  });
  afterAll(() => database?.stop());
  beforeEach(async () => {
    await queryPostgres(database.url, `CREATE DATABASE ${DATABASE} ENCODING 'UTF8' TEMPLATE template0`);
    await queryPostgres(database.url, `GRANT CREATE ON DATABASE ${DATABASE} TO touchstone_owner`);
    folder = temporaryFolder();
    writeProject(folder.path, 20);
    setStore(folder.path, 'env:DATABASE_URL');
  });
  afterEach(async () => {
    if (host) await kill(host);
    host = undefined;
    folder.remove();
    await queryPostgres(database.url, `DROP DATABASE ${DATABASE} WITH (FORCE)`);
  });

  const urlOf = (user: string) => {
    const url = new URL(database.url);
    url.username = user;
    url.pathname = DATABASE;
    return url.href;
  };
  const as = (user: string, ...args: readonly string[]) =>
    runCli(args, folder.path, { DATABASE_URL: urlOf(user) });
  const prepared = async () => {
    expect(await as('touchstone_owner', 'store', 'prepare')).toMatchObject({ code: 0 });
    await queryPostgres(urlOf('touchstone_owner'), GRANTS);
  };

  it('the second one runs and serves, and can change nothing that is recorded', async () => {
    await prepared();
    expect(await as('touchstone_app', ...RUN)).toMatchObject({ code: 0, stderr: '' });
    host = await serve([], folder.path, { DATABASE_URL: urlOf('touchstone_app') });
    const client = createClient({ baseUrl: host.url, key: KEY });
    const runId = asId<RunId>((await client.runs.create(EVAL)).runId);
    expect(await client.waitForScorecard(runId)).toMatchObject({ taskCount: 20 });
    for (const table of ['audit', 'records', 'log_entries', 'schema_version'])
      for (const change of [`DELETE FROM ${table}`, `TRUNCATE ${table}`])
        await expect(queryPostgres(urlOf('touchstone_app'), change)).rejects.toThrow('permission denied');
    for (const change of ['audit SET seq = 0', 'records SET score = NULL', 'log_entries SET result = NULL'])
      await expect(queryPostgres(urlOf('touchstone_app'), `UPDATE ${change}`)).rejects.toThrow(
        'permission denied',
      );
    await expect(queryPostgres(urlOf('touchstone_app'), 'CREATE TABLE mine ()')).rejects.toThrow(
      'permission denied',
    );
    expect(await as('touchstone_app', 'store', 'check', '--json')).toMatchObject({ code: 0 });
  });

  it('what the second one removes is absent at once, and its rows go when the first one prunes', async () => {
    await prepared();
    host = await serve([], folder.path, { DATABASE_URL: urlOf('touchstone_app') });
    const client = createClient({ baseUrl: host.url, key: KEY });
    const runId = asId<RunId>((await client.runs.create(EVAL)).runId);
    await client.waitForScorecard(runId);
    await client.runs.remove(runId);
    await expect(client.runs.get(runId)).rejects.toMatchObject({ code: 'not_found' });
    const count = async () =>
      (await queryPostgres(urlOf('touchstone_owner'), 'SELECT 1 FROM records')).length;
    const { stderr } = await kill(host, 'SIGTERM');
    expect(stderr).toMatch(/may not do this.*retention\.failed/);
    expect(await count()).toBe(20);
    expect(await as('touchstone_owner', 'prune', '--older-than', '3650d')).toMatchObject({ code: 0 });
    expect(await count()).toBe(0);
  });

  it('the second one is told what is missing: tables, rights, or the tables of this release', async () => {
    const refused = {
      code: 3,
      stderr: expect.stringMatching(/may not do this\. Run "touchstone store prepare" as the owner/),
    };
    expect(await as('touchstone_app', ...RUN.slice(0, -1))).toMatchObject(refused);
    expect(await as('touchstone_owner', 'store', 'prepare')).toMatchObject({ code: 0 });
    expect(await as('touchstone_app', ...RUN.slice(0, -1))).toMatchObject(refused);
    await queryPostgres(urlOf('touchstone_owner'), GRANTS);
    expect(await as('touchstone_app', ...RUN)).toMatchObject({ code: 0 });
    await queryPostgres(
      urlOf('touchstone_owner'),
      'DELETE FROM schema_version WHERE version = (SELECT MAX(version) FROM schema_version)',
    );
    expect(await as('touchstone_app', ...RUN.slice(0, -1))).toMatchObject(refused);
  });
});

/** The blocks of SQL under a heading of the page. */
function sqlUnder(heading: string): readonly string[] {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split(`${heading}\n`);
  const [ours = ''] = section.split('\n## ');
  return [...ours.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql);
}
