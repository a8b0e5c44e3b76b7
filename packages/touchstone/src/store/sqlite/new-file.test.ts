import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SQLITE } from '../dialect.js';
import { migrate } from './migrate.js';
import { createFile } from './new-file.js';
import { openSqlite, type Sqlite } from './open-sqlite.js';

/** What the build has made of these sources. */
const BUILT = new URL('../../../dist/store/sqlite/empty-store.db', import.meta.url);

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-new-'));
  file = join(folder, 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const rowsOf = (sqlite: Sqlite, sql: string) =>
  sqlite
    .prepare(sql)
    .all()
    .map((row) => ({ ...(row as object) }));
const SETTINGS = ['page_size', 'auto_vacuum', 'journal_mode', 'encoding', 'user_version', 'application_id'];

const contentOf = (sqlite: Sqlite) => ({
  tables: rowsOf(sqlite, 'SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid'),
  versions: rowsOf(sqlite, 'SELECT * FROM schema_version'),
  settings: SETTINGS.map((name) => rowsOf(sqlite, `PRAGMA ${name}`)),
});

it('the build has made the file by the migrations that these sources have', async () => {
  createFile(file, BUILT);
  const built = await openSqlite(file);
  const made = contentOf(built);
  const migrated = await openSqlite(join(folder, 'migrated.db'));
  migrate(migrated, 'migrated.db', SQLITE);
  expect(made).toEqual(contentOf(migrated));
  const names = rowsOf(built, "SELECT name FROM sqlite_master WHERE type = 'table'") as { name: string }[];
  const filled = names.filter(({ name }) => rowsOf(built, `SELECT 1 FROM ${name} LIMIT 1`).length > 0);
  expect(filled).toEqual([{ name: 'schema_version' }]);
  built.close();
  migrated.close();
});

it('the file is for its owner alone, and nothing is left beside it', () => {
  createFile(file, BUILT);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(readFileSync(file).equals(readFileSync(BUILT))).toBe(true);
  expect(readdirSync(folder)).toEqual(['store.db']);
});

it('a file that another process has made meanwhile stays as it is', () => {
  writeFileSync(file, 'theirs');
  createFile(file, BUILT);
  expect(readFileSync(file, 'utf8')).toBe('theirs');
  expect(readdirSync(folder)).toEqual(['store.db']);
});

it('where no build has been made, the file is empty', () => {
  createFile(file, new URL('./none.db', import.meta.url));
  expect(statSync(file).size).toBe(0);
  expect(statSync(file).mode & 0o077).toBe(0);
});
