import { expect, it } from 'vitest';
import { MEMORY, openSqlite } from './open-sqlite.js';
import { createSqliteDb } from './sqlite-db.js';

it('a full disk rejects what does not fit, keeps what does, and goes on when there is room', async () => {
  const sqlite = await openSqlite(MEMORY);
  sqlite.exec('CREATE TABLE notes (note TEXT); PRAGMA max_page_count = 20');
  const db = createSqliteDb(sqlite);
  const insert = (size: number) =>
    db.transaction([{ sql: 'INSERT INTO notes (note) VALUES (?)', params: ['x'.repeat(size)] }]);
  const settled = await Promise.allSettled([insert(10), insert(1_000_000), insert(20)]);
  expect(settled).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'unavailable', details: { reason: 'full' } } },
    { status: 'fulfilled' },
  ]);
  sqlite.exec('PRAGMA max_page_count = 1000');
  await insert(1_000_000);
  const sizes = await db.all('SELECT length(note) AS size FROM notes ORDER BY size', []);
  expect(sizes.map((row) => row.size)).toEqual([10, 20, 1_000_000]);
});

it('an answer to a statement tells rows written or rows returned', async () => {
  const db = createSqliteDb(await openSqlite(MEMORY));
  const outcomes = await db.transaction([
    { sql: 'CREATE TABLE t (a INTEGER UNIQUE)', params: [] },
    { sql: 'INSERT INTO t (a) VALUES (?), (?)', params: [1, 2] },
    { sql: 'INSERT INTO t (a) VALUES (?) ON CONFLICT DO NOTHING', params: [2] },
    { sql: 'UPDATE t SET a = a + 10 RETURNING a', params: [] },
    { sql: 'SELECT a FROM t WHERE a > ?', params: [11] },
  ]);
  expect(outcomes.slice(1).map((outcome) => outcome.changes)).toEqual([2, 0, 2, 1]);
  expect(outcomes[4]?.rows.map((row) => row.a)).toEqual([12]);
});
