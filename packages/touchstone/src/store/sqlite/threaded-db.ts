import { checkText, closedError } from '../access.js';
import type { Db, Outcome, Statement } from '../db.js';
import type { Writing } from '../log/group-commit.js';
import type { Sqlite } from './open-sqlite.js';
import { createSqliteDb } from './sqlite-db.js';
import type { CallResult, WriterMethod } from './writer-messages.js';
import { startWriterThread, type WriterThread } from './writer-thread.js';

/** So many batches are written on the main thread first: a host that has little to write needs no thread for it. */
const FIRST_HERE = 100;

/**
 * The Db of a host: another thread writes the file, over a connection of its own. A commit waits for the disk, for a tenth of a
 * second at times, and whoever only reads should not wait with it. Reading stays here: readers never wait for a writer.
 */
export function createThreadedDb(
  sqlite: Sqlite,
  file: string,
  writing: Writing,
  startThread = startWriterThread,
  firstHere = FIRST_HERE,
): Db {
  const here = createSqliteDb(sqlite, writing);
  let thread: WriterThread | undefined;
  let open = true;
  let leftHere = firstHere;
  let lastHere: Promise<unknown> = Promise.resolve();
  const writeHere = (batch: readonly Statement[]): Promise<readonly Outcome[]> => {
    leftHere -= 1;
    const written = here.transaction(batch);
    lastHere = written.catch(() => undefined);
    return written;
  };
  /** From the first call on the thread alone writes: two would wait for each other. */
  const call = async <M extends WriterMethod>(method: M, argument?: unknown): Promise<CallResult<M>> => {
    if (!open) throw closedError();
    leftHere = 0;
    await lastHere;
    const onEnd = () => {
      thread = undefined;
    };
    thread ??= startThread(file, writing, onEnd);
    return thread.call(method, argument);
  };
  const write = async (batch: readonly Statement[]): Promise<readonly Outcome[]> => {
    if (leftHere > 0) return writeHere(batch);
    for (const { params } of batch) checkText(params);
    return call('transaction', batch);
  };
  return {
    dialect: here.dialect,
    all: here.all,
    ping: here.ping,
    scan: here.scan,
    transaction: write,
    load: async (statements) => void (await write([...statements])),
    reclaim: () => call('reclaim'),
    rewrite: () => call('rewrite'),
    copyTo: (copy) => call('copyTo', copy),
    check: () => call('check'),
    warnings: here.warnings,
    async close() {
      if (!open) return;
      open = false;
      // Whoever waits for this has called before, and so goes on before.
      await lastHere;
      const last = thread;
      await last?.call('close').finally(() => last.stop());
      await here.close();
    },
  };
}
