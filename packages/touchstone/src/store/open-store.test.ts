import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostError } from '@touchstone/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clock } from '../ports/index.js';
import { openStore } from './open-store.js';
import { isOpenToOthers, openSqlite } from './sqlite/open-sqlite.js';
import { accessError, openError } from './sqlite/sqlite-errors.js';

const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-open-'));
});
afterAll(() => rm(folder, { recursive: true }));

const refusalOf = (file: string): Promise<HostError> =>
  openStore({ file, clock }).then(
    () => Promise.reject(new Error('It opened.')),
    (error) => error,
  );

it('creates the folders on the way; after closing, the one file holds everything', async () => {
  const file = join(folder, 'deep', 'down', 'store.db');
  const store = await openStore({ file, clock });
  const key = {
    keyHash: 'h',
    owner: { tenant: 't', workspace: 'w' },
    principal: 'p',
    roles: [],
    createdAt: 1,
  };
  await store.keys.put(key);
  await store.close();
  const copy = join(folder, 'copy.db');
  await copyFile(file, copy);
  const reopened = await openStore({ file: copy, clock });
  expect(await reopened.keys.list()).toEqual([key]);
  await reopened.close();
});

it('a file that is no database is refused and not touched', async () => {
  const file = join(folder, 'notes.txt');
  const content = 'Dear diary. '.repeat(200);
  await writeFile(file, content);
  const refusal = await refusalOf(file);
  expect(refusal).toMatchObject({ code: 'unavailable', details: { reason: 'foreign' } });
  expect(refusal.message).toBe(
    `Cannot open the store ${file}: it is not a SQLite database. Choose another path, or move the file away.`,
  );
  expect(await readFile(file, 'utf8')).toBe(content);
});

it("another program's database and a folder are refused", async () => {
  const foreign = join(folder, 'foreign.db');
  const sqlite = await openSqlite(foreign);
  sqlite.exec('CREATE TABLE bookmarks (url TEXT)');
  sqlite.close();
  expect((await refusalOf(foreign)).details).toEqual({ reason: 'foreign' });
  await mkdir(join(folder, 'sub'));
  expect((await refusalOf(join(folder, 'sub'))).details).toEqual({ reason: 'unreachable' });
  expect((await refusalOf(join(foreign, 'store.db'))).details).toEqual({ reason: 'unreachable' });
});

it('a damaged file is refused with advice', async () => {
  const file = join(folder, 'damaged.db');
  await (await openStore({ file, clock })).close();
  const bytes = await readFile(file);
  // The first page holds the list of tables; its header is kept so that the file still looks like a database.
  await writeFile(file, bytes.fill(0xff, 100, 8_192));
  const refusal = await refusalOf(file);
  expect(refusal).toMatchObject({ code: 'unavailable', details: { reason: 'damaged' } });
  expect(refusal.message).toContain('Restore a backup');
});

it('each kind of trouble has its own advice and keeps the cause for the operator', () => {
  const sqlite = (errcode: number) => Object.assign(new Error('raw'), { code: 'ERR_SQLITE_ERROR', errcode });
  const system = (code: string) => Object.assign(new Error('raw'), { code });
  const reasonOf = (error: unknown) => openError('f', error).details?.reason;
  expect([5, 8, 8 + 256, 10, 11, 13, 14, 26].map((code) => reasonOf(sqlite(code)))).toEqual([
    'locked',
    'read_only',
    'read_only',
    'io',
    'damaged',
    'full',
    'unreachable',
    'foreign',
  ]);
  expect(['EACCES', 'EROFS', 'ENOSPC', 'ENOTDIR'].map((code) => reasonOf(system(code)))).toEqual([
    'read_only',
    'read_only',
    'full',
    'unreachable',
  ]);
  const cause = sqlite(13);
  expect(accessError(cause)).toMatchObject({ code: 'unavailable', details: { reason: 'full' }, cause });
  expect(accessError(sqlite(2067))).toMatchObject({ code: 'conflict' });
  expect(accessError(sqlite(1))).toMatchObject({ code: 'internal_error' });
});

it('a new file, its log and its folder are closed to other users of the machine', async () => {
  const file = join(folder, 'fresh/deep/a.db');
  const store = await openStore({ file, clock });
  const modes = await Promise.all(
    ['fresh', 'fresh/deep', 'fresh/deep/a.db', 'fresh/deep/a.db-wal'].map(
      async (name) => (await stat(join(folder, name))).mode & 0o777,
    ),
  );
  expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
  expect(isOpenToOthers(file)).toBe(false);
  await chmod(file, 0o644);
  expect(isOpenToOthers(file)).toBe(true);
  await store.close();
});
