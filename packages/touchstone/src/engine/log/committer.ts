import type { TaskResult } from '@touchstone/protocol';
import {
  eventCountOf,
  type Lease,
  type LogEntry,
  type RunChange,
  type RunLog,
  type TaskRecord,
} from '../../ports/index.js';

/** This many waiting seals fill a commit; to wait for more would not make the flush any cheaper per task. */
const FULL = 256;

/**
 * The one writer of a run's log. A flush of the disk costs as much as a dozen tasks, so seals wait a few milliseconds
 * here for more of them and go to disk together, one commit at a time. No task waits for its seal: its place is free as
 * soon as it has been executed. When nothing runs any more there is nothing to wait for.
 */
export type Committer = {
  /** `result` comes with the seal that finishes its step. There is no record of what another process has sealed. */
  add(record: TaskRecord | undefined, result: TaskResult | undefined): void;
  /** Commits what is waiting, now. */
  flush(): void;
  readonly uncommitted: number;
  /** Commits `entries` and a change of the run after everything that waits. */
  write(entries: readonly LogEntry[], run?: RunChange, unlessControlled?: true): Promise<void>;
};

type CommitterParts = {
  readonly log: RunLog;
  readonly lease: Lease;
  readonly firstSequence: number;
  readonly takeReady: () => readonly LogEntry[];
  /** Results of the steps whose last seal has just become durable, in completion order. */
  readonly onCommitted: (results: readonly TaskResult[]) => void;
  readonly onFailed: (error: unknown) => void;
  /** Resolves when seals have waited long enough for more of them. */
  readonly gather: () => Promise<void>;
};

export function createCommitter(parts: CommitterParts): Committer {
  let sequence = parts.firstSequence;
  let waiting: { readonly record: TaskRecord | undefined; readonly result: TaskResult | undefined }[] = [];
  let inFlight = 0;
  let gathering: object | undefined;
  let busy: Promise<void> | undefined;
  let failed = false;

  const commit = async (
    seals: readonly TaskRecord[],
    entries: readonly LogEntry[],
    run?: RunChange,
    unlessControlled?: true,
  ): Promise<void> => {
    await parts.log.commit(parts.lease, {
      seals,
      entries,
      firstSequence: sequence,
      ...(run && { run }),
      ...(unlessControlled && { unlessControlled }),
    });
    sequence += entries.reduce((sum, entry) => sum + eventCountOf(entry), 0);
  };

  const writeWaiting = async (): Promise<readonly TaskResult[]> => {
    const batch = waiting;
    waiting = [];
    const entries = parts.takeReady();
    // Steps that were all sealed by others come as entries alone; the run must not end before they are in the log.
    inFlight = Math.max(batch.length, Math.min(1, entries.length));
    if (batch.length === 0 && entries.length === 0) return [];
    await commit(
      batch.flatMap(({ record }) => record ?? []),
      entries,
    );
    inFlight = 0;
    return batch.flatMap((item) => (item.result ? [item.result] : []));
  };

  // After a failed commit nothing is retried here: what was executed is lost to this driver and will be executed again.
  const fail = (error: unknown): void => {
    failed = true;
    waiting = [];
    inFlight = 0;
    parts.onFailed(error);
  };

  const start = (): void => {
    if (busy) return;
    gathering = undefined;
    busy = writeWaiting().then((results) => {
      busy = undefined;
      if (waiting.length >= FULL) start();
      else if (waiting.length > 0) flushSoon();
      parts.onCommitted(results);
    }, fail);
  };

  const flushSoon = (): void => {
    if (busy || gathering) return;
    const mine = {};
    gathering = mine;
    void parts.gather().then(() => {
      if (gathering === mine) start();
    });
  };

  return {
    add(record, result) {
      if (failed) return;
      waiting.push({ record, result });
      if (waiting.length < FULL) flushSoon();
      else start();
    },
    flush: start,
    get uncommitted() {
      return waiting.length + inFlight;
    },
    async write(entries, run, unlessControlled) {
      await busy;
      await commit([], entries, run, unlessControlled);
    },
  };
}
