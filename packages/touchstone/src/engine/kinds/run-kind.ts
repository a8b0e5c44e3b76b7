import type { RepeatScore, RunError, RunTotals, TaskResult } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import type { TaskRecord } from '../../ports/index.js';
import type { Purse } from '../invoke/spend-meter.js';

/**
 * What a kind of run does, apart from how runs are driven. An eval run, a single-agent run and a floor fixture are each
 * a list of steps with something said before and after; the loop that drives them knows nothing else about them.
 */
export type Program = {
  /** Ordinals of the steps, in the order they start and in the order they stand in the log. */
  readonly steps: number;
  ordinalAt(position: number): number;
  readonly repeats: number;
  readonly concurrency: number;
  readonly ceilingUsd?: number;
  /** Events after `run.started`. */
  opening(now: number): readonly NewEvent[];
  /** Executes one repeat of one step. Rejects when the signal aborts; any other rejection is a bug and fails the run. */
  execute(ordinal: number, repeat: number, purse: Purse, signal: AbortSignal): Promise<Executed>;
  /** Folds the repeats of a finished step; undefined for programs that do not score. */
  result(
    ordinal: number,
    scores: readonly RepeatScore[],
  ): Promise<TaskResult | undefined> | TaskResult | undefined;
  /** How the run ends once its steps are in the log. Reads what is committed, never what is remembered. */
  closing(now: number): Promise<Closing>;
  close(): Promise<void>;
};

export type Executed = {
  readonly record: TaskRecord;
  /** A failed step after which no further step starts. */
  readonly halt?: boolean;
};

export type Closing = {
  readonly events: readonly NewEvent[];
  readonly outputs?: Extract<NewEvent, { type: 'run.completed' }>['payload']['outputs'];
  readonly error?: RunError;
  readonly failedNodeId?: string;
  readonly headline?: RunTotals;
};
