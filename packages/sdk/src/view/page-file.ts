import type { ContractReport, EvalReport, Matrix, TaskSpan, TaskView } from '@touchstone/protocol';
import type { TaskRow } from '@touchstone/protocol/tasks';
import type { Annotation } from '../annotation-types.js';
import type { ErrorEnvelope } from '../errors.js';
import type { EvalRunSnapshot, RunEvent } from '../types.js';
import type { RowContent } from './task-rows.js';

/** A page that opens from disk holds at most so many tasks of a run. */
export const MOST_FILE_TASKS = 10_000;

/** A task of a run in a file, with what is known of it outside of the run. */
export type FileTask = TaskRow & { readonly last?: string; readonly tags?: readonly string[] };

/** One run held against another: what the host said of it, or why it said nothing. */
export type FileComparison =
  | { readonly report: EvalReport }
  | { readonly status: number; readonly refusal: ErrorEnvelope };

/** As much of the log of a run as a file has room for. */
export type FileLog = {
  /** In order. */
  readonly events: readonly RunEvent[];
  /** The times of calls, by task; a task that called nothing is not there. */
  readonly spans: { readonly [taskId: string]: readonly TaskSpan[] };
  /** Tasks whose events did not fit; absent when all did. */
  readonly leftOut?: number;
};

/** What people and agents said in a run. */
export type FileContent = {
  readonly tasks: readonly TaskView[];
  readonly log: FileLog;
  /** By task; a task that nobody remarked on is not there. */
  readonly remarks: { readonly [taskId: string]: readonly Annotation[] };
};

/** One run of a file. */
export type RunInFile = {
  readonly snapshot: EvalRunSnapshot;
  /** Absent unless the run has completed. */
  readonly report?: EvalReport;
  readonly contract?: ContractReport;
  /** By the run that it is held against. */
  readonly against: { readonly [runId: string]: FileComparison };
  /** In the order of the suite. */
  readonly tasks: readonly FileTask[];
  /** Absent when the caller did not ask for it. */
  readonly content?: FileContent;
};

/** Everything that the page in one file shows. It is what a host would answer, so that the page reads both alike. */
export type PageFile = {
  /** Of the program that wrote the file. */
  readonly version: string;
  /** Whether inputs, answers and reasons are there. */
  readonly content: RowContent;
  readonly runs: readonly RunInFile[];
  /** The runs side by side; absent unless there are several that have completed. */
  readonly matrix?: Matrix;
};

/** Whether something was called for a task: a tool, a model, or a judge. Only such tasks have a time line. */
export const hasCalls = ({ invocations }: TaskView): boolean =>
  invocations.some(({ toolCalls, tokens, criteria }) => toolCalls.length > 0 || tokens || criteria);
