// Goal: nobody who reads waits for the disk of a writer, and nothing is lost between the threads. Method: the real thread on a real
// file; another connection holds the write lock in place of a slow disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Db } from '../db.js';
import { openSqlite, type Sqlite } from './open-sqlite.js';
import { createThreadedDb } from './threaded-db.js';
import { startWriterThread, type WriterThread } from './writer-thread.js';

let folder: string;
let file: string;
let db: Db;
let other: Sqlite;
let threads: WriterThread[];
let charges: [string, number][];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-thread-'));
  file = join(folder, 'store.db');
  other = await openSqlite(file);
  other.exec('CREATE TABLE notes (note TEXT PRIMARY KEY)');
  threads = [];
  charges = [];
  db = await open(0);
});

/** A Db that writes so many batches without its thread. */
async function open(firstHere: number): Promise<Db> {
  const writing = { elapsed: () => 0, charge: (tenant: string, ms: number) => charges.push([tenant, ms]) };
  const startThread: typeof startWriterThread = (...args) => {
    const thread = startWriterThread(...args);
    threads.push(thread);
    return thread;
  };
  return createThreadedDb(await openSqlite(file), file, writing, startThread, firstHere);
}

afterEach(async () => {
  await db.close();
  other.close();
  rmSync(folder, { recursive: true });
});

const insert = (note: string) => ({ sql: 'INSERT INTO notes VALUES (?)', params: [note] });
const notes = async () => (await db.all('SELECT note FROM notes ORDER BY rowid', [])).map(({ note }) => note);

it('reading goes on while a write waits', async () => {
  await db.transaction([insert('first')]);
  other.exec('BEGIN IMMEDIATE');
  const written = db.transaction([insert('second')]);
  expect(await notes()).toEqual(['first']);
  other.exec('COMMIT');
  await written;
  expect(await notes()).toEqual(['first', 'second']);
});

it('batches take effect in the order of the calls, and what was submitted before closing is kept', async () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `note ${at}`);
  const written = Promise.all(names.map((name) => db.transaction([insert(name)])));
  await db.close();
  await written;
  const kept = other.prepare('SELECT note FROM notes ORDER BY rowid').all() as { note: string }[];
  expect(kept.map(({ note }) => note)).toEqual(names);
});

it('the first ones are written without the thread, and the order is kept when it takes over', async () => {
  const first = await open(3);
  const names = Array.from({ length: 3 }, (_, at) => `note ${at}`);
  await Promise.all(names.map((name) => first.transaction([insert(name)])));
  expect(threads).toEqual([]);
  await first.close();
  const second = await open(2);
  const more = Array.from({ length: 600 }, (_, at) => `more ${at}`);
  const written = Promise.all(more.map((name) => second.transaction([insert(name)])));
  await second.close();
  await written;
  expect(threads).toHaveLength(1);
  expect(await notes()).toEqual([...names, ...more]);
});

it('a refusal keeps its kind on the way between the threads', async () => {
  const touchNothing = { sql: "DELETE FROM notes WHERE note = 'none'", params: [], guard: true as const };
  await expect(db.transaction([insert('undone'), touchNothing])).rejects.toMatchObject({
    name: 'GuardFailed',
    index: 1,
  });
  await db.transaction([insert('once')]);
  await expect(db.transaction([insert('once')])).rejects.toMatchObject({
    name: 'HostError',
    code: 'conflict',
    cause: { message: expect.stringContaining('UNIQUE') },
  });
  await expect(db.transaction([{ sql: 'NO SQL', params: [] }])).rejects.toMatchObject({
    code: 'internal_error',
  });
  await expect(db.transaction([insert('a\0b')])).rejects.toMatchObject({ code: 'validation_error' });
  expect(await notes()).toEqual(['once']);
});

it('a write whose thread has ended may have been kept or not, and the next one has a new thread', async () => {
  await db.transaction([insert('first')]);
  const lost = db.transaction([insert('second')]);
  await Promise.all([
    expect(lost).rejects.toMatchObject({ name: 'OutcomeUnknown', code: 'unavailable' }),
    threads[0]?.stop(),
  ]);
  await db.transaction([insert('third')]);
  expect(threads).toHaveLength(2);
  expect((await notes()).filter((note) => note !== 'second')).toEqual(['first', 'third']);
});

it('what the thread has written counts for its tenant here', async () => {
  await db.transaction([{ ...insert('y'.repeat(1_000)), tenant: 'acme' }]);
  expect(charges).toEqual([['acme', expect.any(Number)]]);
});

it('after closing nothing is read or written, and closing twice is closing once', async () => {
  await db.transaction([insert('first')]);
  await db.close();
  await db.close();
  await expect(db.transaction([insert('late')])).rejects.toMatchObject({ code: 'unavailable' });
  await expect(notes()).rejects.toMatchObject({ code: 'unavailable' });
});
