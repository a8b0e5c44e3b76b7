import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { jsonAt, numberAt, textAt, toRecord, toRun } from '../rows.js';
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

it('a batch that is made while it is written comes after what was written before, and is kept whole or not at all', async () => {
  const sqlite = await openSqlite(MEMORY);
  sqlite.exec('CREATE TABLE notes (note TEXT)');
  const db = createSqliteDb(sqlite);
  const insert = (note: string) => ({ sql: 'INSERT INTO notes (note) VALUES (?)', params: [note] });
  function* batch(end?: Error) {
    yield insert('b');
    yield insert('c');
    if (end) throw end;
  }
  const first = db.transaction([insert('a')]);
  await db.load(batch());
  await expect(db.load(batch(new Error('The file has changed.')))).rejects.toThrow('The file has changed.');
  await expect(
    db.load([insert('d'), { sql: 'DELETE FROM notes WHERE 1 = 0', params: [], guard: true }]),
  ).rejects.toThrow();
  await expect(db.load([insert('e'), insert('nul\0')])).rejects.toThrow('NUL');
  await first;
  const notes = await db.all('SELECT note FROM notes ORDER BY rowid', []);
  expect(notes.map(({ note }) => note)).toEqual(['a', 'b', 'c']);
});

const DAMAGED = { code: 'unavailable', details: { reason: 'damaged' } };

it('a damaged page is refused like a full disk, by reads and writes, and is found by a check', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-damaged-'));
  const file = join(folder, 'store.db');
  const whole = createSqliteDb(await openSqlite(file));
  const insert = (key: number) => ({
    sql: 'INSERT INTO notes VALUES (?, ?)',
    params: [key, 'x'.repeat(1_000)],
  });
  await whole.transaction([
    { sql: 'CREATE TABLE notes (key INTEGER PRIMARY KEY, note TEXT)', params: [] },
    ...Array.from({ length: 100 }, (_, key) => insert(key)),
  ]);
  expect(await whole.check()).toEqual([]);
  await whole.close();
  const bytes = readFileSync(file);
  // The last page is a leaf of the table.
  writeFileSync(file, bytes.fill(0, bytes.length - 8_192));
  const db = createSqliteDb(await openSqlite(file));
  await expect(db.all('SELECT * FROM notes', [])).rejects.toMatchObject(DAMAGED);
  await expect(db.transaction([insert(100)])).rejects.toMatchObject(DAMAGED);
  expect(await db.check().catch((error) => [error.details.reason])).not.toEqual([]);
  await db.close();
  rmSync(folder, { recursive: true });
});

it('a row of another type, or with JSON that cannot be read, is refused as damaged', () => {
  const row = { broken: '{"a":', number: 7, text: 'seven', none: null };
  const reads = [
    () => jsonAt(row, 'broken'),
    () => jsonAt(row, 'number'),
    () => textAt(row, 'none'),
    () => numberAt(row, 'text'),
    () => toRecord({ ordinal: 1, repeat: 1, events: '[]', score: row.broken }),
  ];
  const details = expect.objectContaining({ reason: 'damaged' });
  for (const read of reads) expect(read).toThrow(expect.objectContaining({ code: 'unavailable', details }));
});

it.each([
  'not an object',
  {},
  { kind: 'constructor' },
  { kind: 'workflow' },
  { kind: 'agent' },
  { kind: 'deployment', agentId: 'local.acme.bot' },
  { kind: 'eval', agent: {}, modes: [], totalTasks: 1, repeats: 1, concurrency: 1 },
])('a plan that has lost a member is refused as damaged: %j', (plan) => {
  const row = { plan: JSON.stringify(plan), request: '{}', created_at: 1, status: 'running' };
  const details = expect.objectContaining({ reason: 'damaged', column: 'plan' });
  expect(() => toRun(row)).toThrow(expect.objectContaining({ code: 'unavailable', details }));
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
