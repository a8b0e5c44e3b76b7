import { expect, it } from 'vitest';
import { SQLITE } from '../dialect.js';
import type { Migration } from '../migrations/index.js';
import { migrate } from './migrate.js';
import { MEMORY, openSqlite, type Sqlite } from './open-sqlite.js';

const first: Migration = (t) => [
  `CREATE TABLE things (thing_no ${t.insertedKey})`,
  'INSERT INTO things VALUES (7)',
];
const second: Migration = () => [
  'ALTER TABLE things ADD COLUMN name TEXT',
  "UPDATE things SET name = 'seven'",
];
const broken: Migration = () => ['CREATE TABLE more (a TEXT)', 'CREATE TABLE things (a TEXT)'];

const rowsOf = (sqlite: Sqlite, sql: string) =>
  sqlite
    .prepare(sql)
    .all()
    .map((row) => ({ ...(row as object) }));
const run = (sqlite: Sqlite, migrations: readonly Migration[]) =>
  migrate(sqlite, 'store.db', SQLITE, migrations);

it('an older database gets the steps it lacks, once, and keeps its rows', async () => {
  const sqlite = await openSqlite(MEMORY);
  run(sqlite, [first]);
  run(sqlite, [first, second]);
  run(sqlite, [first, second]);
  expect(rowsOf(sqlite, 'SELECT * FROM things')).toEqual([{ thing_no: 7, name: 'seven' }]);
  expect(rowsOf(sqlite, 'SELECT version FROM schema_version')).toEqual([{ version: 1 }, { version: 2 }]);
});

it('a step that fails leaves the database as it was', async () => {
  const sqlite = await openSqlite(MEMORY);
  run(sqlite, [first]);
  expect(() => run(sqlite, [first, second, broken])).toThrow('things');
  expect(rowsOf(sqlite, 'SELECT * FROM things')).toEqual([{ thing_no: 7 }]);
  run(sqlite, [first, second]);
});

it('a database of a newer version is refused and says what to do', async () => {
  const sqlite = await openSqlite(MEMORY);
  run(sqlite, [first, second]);
  expect(() => run(sqlite, [first])).toThrow(
    'Cannot open the store store.db: it has schema version 2, and this program knows versions up to 1. Install a newer Touchstone.',
  );
});

it("another program's database is refused and left alone", async () => {
  const sqlite = await openSqlite(MEMORY);
  sqlite.exec('CREATE TABLE bookmarks (url TEXT)');
  expect(() => run(sqlite, [first])).toThrow('a SQLite database of another program');
  expect(rowsOf(sqlite, "SELECT name FROM sqlite_master WHERE type = 'table'")).toEqual([
    { name: 'bookmarks' },
  ]);
});

it('a part of a copy is refused, also when steps are missing, and opened by the copy that goes on', async () => {
  const sqlite = await openSqlite(MEMORY);
  run(sqlite, [first]);
  sqlite.exec('CREATE TABLE unfinished_copy (mark INTEGER)');
  for (const migrations of [[first], [first, second]])
    expect(() => run(sqlite, migrations)).toThrow('it holds an unfinished copy');
  expect(rowsOf(sqlite, 'SELECT MAX(version) AS version FROM schema_version')).toEqual([{ version: 1 }]);
  migrate(sqlite, 'store.db', SQLITE, [first, second], true);
  expect(rowsOf(sqlite, 'SELECT MAX(version) AS version FROM schema_version')).toEqual([{ version: 2 }]);
});
