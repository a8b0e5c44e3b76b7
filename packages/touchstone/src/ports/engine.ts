import type { Owner, RunId, TaskId, TaskResult, UnscoredReason } from '@touchstone/protocol';
import type { DrainPolicy } from '@touchstone/protocol/bodies';
import type { Interrupts } from './interrupts.js';
import type { Run } from './store/runs.js';

/** A live, unstored picture of a run: folded from what is committed, in completion order. */
export type Progress = {
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly passed: number;
  /** Scored below their threshold. */
  readonly failed: number;
  /** Neither passed nor failed; absent while every task could be scored. */
  readonly unscored?: number;
  readonly costUsd?: number;
  readonly etaMs?: number;
};
export type FinishedTask = {
  readonly taskId: TaskId;
  readonly score: number;
  readonly passed: boolean;
  readonly unscored?: UnscoredReason;
  readonly latencyMs?: number;
};
export const finishedTask = (result: TaskResult): FinishedTask => ({
  taskId: result.taskId,
  score: result.score,
  passed: result.passed,
  ...(result.unscored && { unscored: result.unscored }),
  ...(result.latencyMs !== undefined && { latencyMs: result.latencyMs }),
});

export type ProgressListener = (progress: Progress, finished: readonly FinishedTask[]) => void;

export type Engine = {
  /** Drives a run until it ends, pauses, or is taken over; resolves then. Safe to call twice: one driver per run. */
  drive(owner: Owner, runId: RunId): Promise<void>;
  cancel(owner: Owner, runId: RunId, by: string, reason?: string): Promise<Run>;
  pause(owner: Owner, runId: RunId, by: string, policy: DrainPolicy, reason?: string): Promise<Run>;
  resume(owner: Owner, runId: RunId, by: string, reason?: string): Promise<Run>;
  /** Questions that runs ask people. */
  readonly interrupts: Interrupts;
  /** Takes up unfinished host runs whose driver is gone. Called at boot and on every heartbeat. */
  adopt(): Promise<void>;
  watch(runId: RunId, listener: ProgressListener): () => void;
  /** Whether this process drives the run now, and so tells its progress. */
  drives(runId: RunId): boolean;
  /**
   * Runs that this process has taken up and not let go of, how often it went on with the run of a lost driver, and shares of
   * runs that it executes.
   */
  readonly load: { readonly atWork: number; readonly takeovers: number; readonly assignments: number };
  /**
   * Takes up nothing more, finishes the tasks that are being executed, and lets go of their runs. Resolves then, or when
   * the time is over. The engine has to be shut down afterwards.
   */
  drain(limitMs: number): Promise<void>;
  /** Lets go of every run without a trace, so that another process can take them up at once. */
  shutdown(): Promise<void>;
};
