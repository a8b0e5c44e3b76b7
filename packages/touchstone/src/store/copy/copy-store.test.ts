import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId } from '@touchstone/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../ports/index.js';
import type { Db } from '../db.js';
import { SQLITE } from '../dialect.js';
import { MIGRATIONS } from '../migrations/index.js';
import { copyStore, openStore } from '../open-store.js';
import { migrate } from '../sqlite/migrate.js';
import { openSqlite } from '../sqlite/open-sqlite.js';
import { createSqliteDb } from '../sqlite/sqlite-db.js';
import { copyRows } from './copy-store.js';

const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() };
const OWNER = { tenant: 'acme', workspace: 'main' };
const REFUSED = {
  code: 'unavailable',
  details: { reason: 'unfinished_copy' },
  message: expect.stringContaining('Give the same "touchstone store copy" again, or remove the file.'),
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

async function source(): Promise<string> {
  const store = await openStore({ file: at('source.db'), clock });
  await store.runs.create({
    runId: asId('r1'),
    owner: OWNER,
    principal: 'ci',
    origin: 'host',
    workflowId: 'w',
    plan: { kind: 'workflow', workflowId: 'w' },
    request: {},
    createdAt: 1,
    engineVersion: 1,
  });
  await store.close();
  return at('source.db');
}

/** As the copy opens it: whatever is in it. */
async function openTarget(): Promise<Db> {
  const sqlite = await openSqlite(at('target.db'));
  migrate(sqlite, at('target.db'), SQLITE, MIGRATIONS, true);
  return createSqliteDb(sqlite);
}

/** A copy that ends before its second batch of rows or at one of `table`, as when the process is killed. */
async function interruptedAt(table: string): Promise<void> {
  const [from, to] = [createSqliteDb(await openSqlite(await source())), await openTarget()];
  const killed: Db = {
    ...to,
    transaction: async (batch, queue) => {
      if (batch.some(({ sql }) => new RegExp(`(INTO|FROM) ${table}\\b`).test(sql))) throw new Error('killed');
      return to.transaction(batch, queue);
    },
  };
  await expect(copyRows(from, killed)).rejects.toThrow('killed');
  await from.close();
  await to.close();
}

it.each([
  ['before its first row', 'runs'],
  ['in the middle', 'run_requests'],
  ['before its last table', 'stored_bytes'],
])('a copy that ended %s can be used by nobody, and goes on', async (_, table) => {
  await interruptedAt(table);
  const file = at('target.db');
  await expect(openStore({ file, clock })).rejects.toMatchObject(REFUSED);
  await expect(copyStore(file, at('third.db'), clock)).rejects.toMatchObject(REFUSED);
  expect(existsSync(at('third.db'))).toBe(false);
  expect((await copyStore(at('source.db'), file, clock)).every(({ isEqual }) => isEqual)).toBe(true);
  const store = await openStore({ file, clock });
  expect((await store.runs.list(OWNER, { limit: 9 })).items).toHaveLength(1);
  await store.close();
});

it('a copy that differs from its source can be used by nobody', async () => {
  const file = await source();
  await copyStore(file, at('target.db'), clock);
  const sqlite = await openSqlite(at('target.db'));
  sqlite.exec("UPDATE runs SET principal = 'somebody'");
  sqlite.close();
  const copied = await copyStore(file, at('target.db'), clock);
  expect(copied.filter(({ isEqual }) => !isEqual).map((one) => one.table)).toEqual(['runs']);
  await expect(openStore({ file: at('target.db'), clock })).rejects.toMatchObject(REFUSED);
});

it('a store of other runs that is named as the target by mistake stays in use', async () => {
  const file = await source();
  const other = await openStore({ file: at('other.db'), clock });
  await other.close();
  const sqlite = await openSqlite(file);
  sqlite.exec("UPDATE runs SET run_id = 'r2'");
  sqlite.close();
  await copyStore(file, at('other.db'), clock);
  rmSync(file);
  await expect(copyStore(await source(), at('other.db'), clock)).rejects.toMatchObject({
    message: expect.stringContaining('The store to copy to holds other runs.'),
  });
  await (await openStore({ file: at('other.db'), clock })).close();
});

it.each([
  ['not there', () => undefined],
  ['empty', () => writeFileSync(at('typo.db'), '')],
])('a source that is %s is refused, and nothing is made', async (_, prepare) => {
  prepare();
  const before = existsSync(at('typo.db'));
  await expect(copyStore(at('typo.db'), at('new/out.db'), clock)).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringMatching(
      /^There is no store to copy: .*typo\.db is not there, or empty\. Correct the address\.$/,
    ),
  });
  expect([existsSync(at('typo.db')), existsSync(at('new'))]).toEqual([before, false]);
  expect(existsSync(at('typo.db-wal'))).toBe(false);
});

it('a source that is in use is refused before a target is made', async () => {
  const file = await source();
  const sqlite = await openSqlite(file);
  sqlite.exec("UPDATE runs SET lease_holder = 'host', lease_until = 9");
  sqlite.close();
  await expect(copyStore(file, at('new/out.db'), clock)).rejects.toMatchObject({
    message: expect.stringContaining('A process works on run r1 of the store to copy.'),
  });
  expect(existsSync(at('new'))).toBe(false);
});
