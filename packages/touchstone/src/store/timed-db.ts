import type { Db } from './db.js';

/** Told how long the store takes, for metrics. */
export type StoreTimes = {
  /** Until a read was answered, or a write was durable; what failed counts as well. */
  called(kind: 'read' | 'write', ms: number): void;
  /** From the end of a task until its step was durable in the log. */
  appended(ms: number): void;
};

/** The same database, with the time of each call told, waiting for its turn included. */
export function timedDb(db: Db, elapsed: () => number, times: Pick<StoreTimes, 'called'>): Db {
  const timed = async <T>(kind: 'read' | 'write', call: () => Promise<T>): Promise<T> => {
    const startedAt = elapsed();
    try {
      return await call();
    } finally {
      times.called(kind, elapsed() - startedAt);
    }
  };
  return {
    ...db,
    all: (sql, params) => timed('read', () => db.all(sql, params)),
    transaction: (batch, queue) => timed('write', () => db.transaction(batch, queue)),
  };
}
