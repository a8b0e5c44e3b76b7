import type {
  AgentDeployments,
  AuditEntry,
  Owner,
  RepeatScore,
  RunError,
  RunId,
  RunStatus,
  RunTotals,
  TaskResult,
} from '@touchstone/protocol';
import type { NewEvent, RecordBodies, RunEvent } from '@touchstone/protocol/bodies';
import type { Lease } from './leases.js';
import type { RunOutcomes } from './outcomes.js';
import type { Control } from './runs.js';

/**
 * What is sealed: one execution of one unit, written once. `(run, ordinal, repeat)` is unique; a second seal is dropped.
 * `events` is the invocation bracket with its usage; `eval.scored` is not in it, because it belongs to the
 * task as a whole and is derived from the task's result.
 */
export type TaskRecord = {
  readonly ordinal: number;
  readonly repeat: number;
  readonly events: readonly NewEvent[];
  readonly score?: RepeatScore;
  readonly bodies?: RecordBodies;
};

/** What a log is made of: loose events, or a finished step that stands for its records (all repeats, in order). */
export type LogEntry =
  | {
      readonly kind: 'events';
      readonly events: readonly NewEvent[];
      /** So many tasks are listed in the summary of its last event. The list is told from their results when it is read. */
      readonly tasks?: number;
    }
  | {
      readonly kind: 'step';
      readonly ordinal: number;
      readonly repeats: number;
      /** Events of all the step's records; one more is counted for `eval.scored` when there is a result. */
      readonly eventCount: number;
      readonly result?: TaskResult;
      readonly at: number;
    };

/** Events an entry adds to the log: a step with a result brings its `eval.scored` along. */
export const eventCountOf = (entry: LogEntry): number =>
  entry.kind === 'events' ? entry.events.length : entry.eventCount + (entry.result ? 1 : 0);

/** What is needed to seal what was executed of a run, and nothing else. A driver's `Lease` is one too. */
export type Slice = { readonly owner: Owner; readonly runId: RunId };

/** What an append changes in the run's row. */
export type RunChange = {
  readonly status?: RunStatus;
  readonly startedAt?: number;
  readonly completedAt?: number;
  readonly pausedAt?: number | null;
  readonly pausedMs?: number;
  readonly control?: Control | null;
  readonly error?: RunError;
  readonly headline?: RunTotals;
  /** Kept beside the run, from its end on. */
  readonly outcomes?: RunOutcomes;
  /** Until when it waits for an answer; null when it no longer does. */
  readonly waitUntil?: number | null;
  /** The node that waits. */
  readonly waitingNode?: string | null;
};

/** What a driver adds to a run's history in one transaction: entries of the log and the changes that belong to them. */
export type Append = {
  readonly entries?: readonly LogEntry[];
  /** Sequence of the first appended event; must equal the run's event count. */
  readonly firstSequence: number;
  readonly run?: RunChange;
  /** What serves from now on, if its revision is still the one before this one's; DeploymentsMoved otherwise. */
  readonly deployments?: AgentDeployments;
  readonly audit?: readonly AuditEntry[];
  /** Refuse, with ControlPending, while a cancel or a pause waits to be obeyed by the driver. */
  readonly unlessControlled?: true;
};

/** An append together with the seals it may rely on: all of it is stored, or nothing. */
export type Commit = Append & { readonly seals?: readonly TaskRecord[] };

/**
 * What a page of a log holds at most: events of long answers are megabytes each, so counting them is not enough. A single
 * event that is larger is a page.
 */
export const PAGE_BYTES = 1024 * 1024;

/**
 * The log of a run has one writer, the driver that holds the lease; its records may come from many. So there are two ways
 * to write: `seal` for those who execute, `append` for the driver. `commit` is both in one transaction, for a driver that
 * executes by itself and flushes the disk once for both.
 */
export type RunLog = {
  /**
   * Stores records of executed units; resolves when they are on disk. A unit that is sealed already keeps its first
   * record. Needs no lease: work that was paid for stays valid when the driver changes. Rejects with RunEnded after the
   * run's last word, and then keeps none of the records. A paused run accepts them: a draining pause waits for them.
   */
  seal(slice: Slice, records: readonly TaskRecord[]): Promise<void>;
  /**
   * Adds to the log; resolves when it is on disk. Rejects with LeaseLost when a newer driver has taken over. A step can
   * only be appended when all its records are sealed.
   */
  append(lease: Lease, append: Append): Promise<void>;
  /** `seal` and `append` in one transaction, fenced by the lease as a whole. */
  commit(lease: Lease, commit: Commit): Promise<void>;
  /** Events with sequence > `after`, in order, about `limit` of them (whole steps) and a page at most; one if there is any. */
  read(owner: Owner, runId: RunId, after: number, limit: number): Promise<readonly RunEvent[]>;
  /** The newest event, without reading the rest. */
  last(owner: Owner, runId: RunId): Promise<RunEvent | undefined>;
  /** Results of appended steps in log order, from the `offset`-th on. Never a body. */
  results(owner: Owner, runId: RunId, offset: number, limit: number): Promise<readonly StepResult[]>;
  /** Those of the tasks that did not pass, in the same way. Never a body. */
  failures(owner: Owner, runId: RunId, offset: number, limit: number): Promise<readonly StepResult[]>;
  /** Those of the steps with these ordinals, a page at most, in log order. Never a body. */
  resultsAt(owner: Owner, runId: RunId, ordinals: readonly number[]): Promise<readonly StepResult[]>;
  /** Sealed `(ordinal, repeat)` pairs, with their scores, that are not in the log yet; in order. */
  pending(owner: Owner, runId: RunId): Promise<readonly SealedUnit[]>;
  /** Ordinals of the steps the log holds, in log order (a pause may have left gaps that were filled later). */
  appended(owner: Owner, runId: RunId): Promise<readonly number[]>;
  /** The records of a unit from a repeat on, in order, a page at most; one if there is any. */
  records(owner: Owner, runId: RunId, ordinal: number, fromRepeat?: number): Promise<readonly TaskRecord[]>;
  /** The scores of all sealed repeats of a unit, in order. Never a body. */
  scores(owner: Owner, runId: RunId, ordinal: number): Promise<readonly RepeatScore[]>;
  /**
   * Whole entries with their records, from the one that holds the event at `from` on: what a fork copies. A page at most; a
   * step whose records are more than a page comes alone and in parts, each from the repeat on that the caller names.
   */
  entries(
    owner: Owner,
    runId: RunId,
    from: number,
    limit: number,
    fromRepeat?: number,
  ): Promise<readonly StoredEntry[]>;
  /** Called after each append that added events or changed the status. Returns the unsubscribe function. */
  watch(runId: RunId, listener: () => void): () => void;
  /** Called after each append of this process that added events, to any run. Returns the unsubscribe function. */
  watchAll(listener: (notice: AppendNotice) => void): () => void;
};

export type StoredEntry = {
  readonly firstSequence: number;
  /** Events it stands for, its `eval.scored` included. */
  readonly eventCount: number;
  readonly entry: LogEntry;
  readonly records: readonly TaskRecord[];
  /** Further records of the step are left. */
  readonly partial?: true;
};

/** Which events an append has added to a run. */
export type AppendNotice = {
  readonly owner: Owner;
  readonly runId: RunId;
  readonly firstSequence: number;
  readonly eventCount: number;
};

export type StepResult = {
  readonly ordinal: number;
  readonly result: TaskResult;
  /** Where the events of the step begin and end in the log; the last one is its `eval.scored`. */
  readonly firstSequence: number;
  readonly lastSequence: number;
};

export type SealedUnit = Pick<TaskRecord, 'ordinal' | 'repeat' | 'score'> & {
  readonly eventCount: number;
  readonly at: number;
};

/** Rejection of a run's last word: a cancel or a pause has been acknowledged in the meantime and goes first. */
export class ControlPending extends Error {
  constructor(runId: RunId) {
    super(`Something has been asked of run ${runId} that goes before its end.`);
    this.name = 'ControlPending';
  }
}

/** Rejection of a seal: the run has ended, and what was executed for it since counts for nothing. */
export class RunEnded extends Error {
  constructor(runId: RunId) {
    super(`Run ${runId} has ended; nothing more is sealed.`);
    this.name = 'RunEnded';
  }
}

/** Rejection of a fenced write: another driver has the run now. */
export class LeaseLost extends Error {
  constructor(runId: RunId) {
    super(`Another driver has taken over run ${runId}.`);
    this.name = 'LeaseLost';
  }
}
