import type { Clock, Store } from '../ports/index.js';
import { keepTrying } from './log/keep-trying.js';

/** Answers promises, whatever it is called with. */
type Asynchronous = (...args: never[]) => Promise<unknown>;

/** The same function, for those who drive runs: it waits for a database that is away, for as long as their commits do. */
export const retried = <F extends Asynchronous>(clock: Clock, read: F): F =>
  // The wrapper takes and answers what the function does.
  ((...args: Parameters<F>) => keepTrying(clock, () => read(...args))) as F;

/**
 * The store for those who drive runs. A driver that fails to read while the database is away lets go of its run, and what is in
 * flight would be executed again. Entries of memory and remembered responses are the same when they are written twice.
 */
export function withRetriedReads(store: Store, clock: Clock): Store {
  const { runs, log, ledger, memory, responses, baselines, assignments } = store;
  const again = <F extends Asynchronous>(read: F): F => retried(clock, read);
  return {
    ...store,
    runs: { ...runs, get: again(runs.get), head: again(runs.head) },
    log: {
      ...log,
      read: again(log.read),
      last: again(log.last),
      results: again(log.results),
      pending: again(log.pending),
      appended: again(log.appended),
      records: again(log.records),
      scores: again(log.scores),
      entries: again(log.entries),
    },
    ledger: { ...ledger, total: again(ledger.total) },
    memory: { put: again(memory.put), snapshot: again(memory.snapshot) },
    responses: { get: again(responses.get), put: again(responses.put) },
    baselines: { ...baselines, kept: again(baselines.kept) },
    assignments: { ...assignments, list: again(assignments.list) },
  };
}
