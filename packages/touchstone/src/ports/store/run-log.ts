import type {
  AgentDeployments,
  AuditEntry,
  Owner,
  RunError,
  RunId,
  RunStatus,
  RunTotals,
  TaskResult,
} from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { Lease } from './leases.js';
import type { LogEntry, TaskRecord } from './record.js';
import type { Control } from './runs.js';

/** One atomic step of a run's history: seals, appended entries and the row's change are committed together or not at all. */
export type Commit = {
  readonly seals?: readonly TaskRecord[];
  readonly entries?: readonly LogEntry[];
  /** Sequence of the first appended event; must equal the run's event count. */
  readonly firstSequence: number;
  readonly run?: {
    readonly status?: RunStatus;
    readonly startedAt?: number;
    readonly completedAt?: number;
    readonly pausedAt?: number | null;
    readonly pausedMs?: number;
    readonly control?: Control | null;
    readonly error?: RunError;
    readonly headline?: RunTotals;
    /** Until when it waits for an answer; null when it no longer does. */
    readonly waitUntil?: number | null;
    /** The node that waits. */
    readonly waitingNode?: string | null;
  };
  /** What serves from now on, if its revision is still the one before this one's; DeploymentsMoved otherwise. */
  readonly deployments?: AgentDeployments;
  readonly audit?: readonly AuditEntry[];
  /** Refuse, with ControlPending, if someone has asked something of the run that its driver has not obeyed yet. */
  readonly unlessControlled?: true;
};

export type RunLog = {
  /** Resolves after the commit is on disk. Rejects with LeaseLost when a newer driver has taken over. */
  commit(lease: Lease, commit: Commit): Promise<void>;
  /** Events with sequence > `after`, in order, about `limit` of them (whole steps). */
  read(owner: Owner, runId: RunId, after: number, limit: number): Promise<readonly RunEvent[]>;
  /** The newest event, without reading the rest. */
  last(owner: Owner, runId: RunId): Promise<RunEvent | undefined>;
  /** Results of appended steps in log order, from the `offset`-th on. Never a body. */
  results(owner: Owner, runId: RunId, offset: number, limit: number): Promise<readonly StepResult[]>;
  /** Sealed `(ordinal, repeat)` pairs, with their scores, that are not in the log yet; in order. */
  pending(owner: Owner, runId: RunId): Promise<readonly SealedStep[]>;
  /** Ordinals of the steps the log holds, in log order (a pause may have left gaps that were filled later). */
  appended(owner: Owner, runId: RunId): Promise<readonly number[]>;
  records(owner: Owner, runId: RunId, ordinal: number): Promise<readonly TaskRecord[]>;
  /** Whole entries with their records, from the one that holds the event at `from` on: what a fork copies. */
  entries(owner: Owner, runId: RunId, from: number, limit: number): Promise<readonly StoredEntry[]>;
  /** Called after each commit that appended events or changed the status. Returns the unsubscribe function. */
  watch(runId: RunId, listener: () => void): () => void;
  /** Called after each commit of this process that appended events, of whichever run. Returns the unsubscribe function. */
  watchAll(listener: (appended: Appended) => void): () => void;
};

export type StoredEntry = {
  readonly firstSequence: number;
  /** Events it stands for, its `eval.scored` included. */
  readonly eventCount: number;
  readonly entry: LogEntry;
  readonly records: readonly TaskRecord[];
};

export type Appended = {
  readonly owner: Owner;
  readonly runId: RunId;
  readonly firstSequence: number;
  readonly eventCount: number;
};

export type StepResult = { readonly ordinal: number; readonly result: TaskResult };

export type SealedStep = Pick<TaskRecord, 'ordinal' | 'repeat' | 'score'> & {
  readonly eventCount: number;
  readonly at: number;
};

/** Rejection of a last word: a cancel or a pause has been acknowledged in the meantime and goes first. */
export class ControlPending extends Error {
  constructor(runId: RunId) {
    super(`Something has been asked of run ${runId} that goes before its end.`);
    this.name = 'ControlPending';
  }
}

/** Rejection of a fenced write: someone else drives this run now. */
export class LeaseLost extends Error {
  constructor(runId: RunId) {
    super(`Another driver has taken over run ${runId}.`);
    this.name = 'LeaseLost';
  }
}
