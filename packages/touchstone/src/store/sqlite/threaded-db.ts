import { checkText, closedError } from '../access.js';
import type { Db } from '../db.js';
import type { Writing } from '../log/group-commit.js';
import type { Sqlite } from './open-sqlite.js';
import { createSqliteDb } from './sqlite-db.js';
import type { CallResult, WriterMethod } from './writer-messages.js';
import { startWriterThread, type WriterThread } from './writer-thread.js';

/**
 * The Db of a host: another thread writes the file, over a connection of its own. A commit waits for the disk, for a tenth of a
 * second at times, and whoever only reads should not wait with it. Reading stays here: readers never wait for a writer.
 */
export function createThreadedDb(
  sqlite: Sqlite,
  file: string,
  writing: Writing,
  startThread = startWriterThread,
): Db {
  const reads = createSqliteDb(sqlite);
  let thread: WriterThread | undefined;
  let open = true;
  const call = async <M extends WriterMethod>(method: M, argument?: unknown): Promise<CallResult<M>> => {
    if (!open) throw closedError();
    const onEnd = () => {
      thread = undefined;
    };
    thread ??= startThread(file, writing, onEnd);
    return thread.call(method, argument);
  };
  return {
    dialect: reads.dialect,
    all: reads.all,
    ping: reads.ping,
    scan: reads.scan,
    async transaction(batch) {
      for (const { params } of batch) checkText(params);
      return call('transaction', batch);
    },
    reclaim: () => call('reclaim'),
    rewrite: () => call('rewrite'),
    copyTo: (copy) => call('copyTo', copy),
    check: () => call('check'),
    warnings: reads.warnings,
    async close() {
      if (!open) return;
      const closing = thread && call('close');
      open = false;
      await closing?.finally(() => thread?.stop());
      await reads.close();
    },
  };
}
