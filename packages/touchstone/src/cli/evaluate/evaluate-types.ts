import type {
  EvalReport,
  EvalSummary,
  Json,
  JsonObject,
  RunStatus,
  UnscoredReason,
} from '@touchstone/protocol';
import type { ConfigInput, ModuleAgent } from '../../app/index.js';
import type { ExitCode } from '../io.js';
import type { ScorerFunction } from './scorer-types.js';

/** What is to be evaluated, and how. */
export type EvaluateOptions = {
  /** A suite file, the id of a suite in the configured folders, a suite as it stands in a file, or its tasks alone. */
  readonly suite: string | object | readonly object[];
  /**
   * A function, a module file, a URL, the id of a configured agent, or an entry as under `agents` of the configuration.
   * Absent: the agent that the suite is made for, or the only one that is configured.
   */
  readonly agent?: ModuleAgent | string | JsonObject;
  /** Programs that decide criteria by their names: functions, or entries as under `scorers` of the configuration. */
  readonly scorers?: { readonly [name: string]: ScorerFunction | JsonObject };
  /** A configuration file, or what would stand in one. Absent: the file of the working folder, when there is one. */
  readonly config?: string | ConfigInput;
  /** The folder that keeps the run. Absent: nothing is kept when the function returns. */
  readonly data?: string;
  /** Only these tasks: ids, or patterns with `*` and `?`. */
  readonly only?: readonly string[];
  /** Only tasks with one of these tags. */
  readonly tags?: readonly string[];
  /** Run every task so many times. */
  readonly repeats?: number;
  /** Tasks at a time. */
  readonly concurrency?: number;
  /** The model that the agent asks, for agents whose model is asked from here. */
  readonly model?: string;
  /** What to compare with: `last`, `blessed` or a run id, which need `data`; or a scorecard file. */
  readonly baseline?: string;
  /** Start no further task once so much is spent, in US dollars. */
  readonly budgetUsd?: number;
  /** Stops the run when it aborts: finished tasks are kept, and `exitCode` is 130. */
  readonly signal?: AbortSignal;
  /** Called for every task when its result is committed, in the order in which tasks end. */
  readonly onTask?: (task: EndedTask) => void;
};

/** A task that has just ended. */
export type EndedTask = {
  readonly taskId: string;
  /** From 0 to 1, over all repeats; 0 when there is none. */
  readonly score: number;
  readonly passed: boolean;
  /** Why there is no score; absent when there is one. */
  readonly unscored?: UnscoredReason;
  readonly latencyMs?: number;
};

/** A task with what the agent was asked to do, did and answered. Of several repeats, the last. */
export type EvaluatedTask = Omit<EndedTask, 'latencyMs'> & {
  /** What the agent answered; absent when it did not. */
  readonly output?: Json;
  /** Calls of tools in order. */
  readonly toolCalls: readonly EvaluatedCall[];
  /** Of a rubric task: each criterion, whether it is met, and why. */
  readonly criteria: readonly EvaluatedCriterion[];
  /** Why the agent gave no answer, in words. */
  readonly error?: string;
};

export type EvaluatedCall = {
  readonly toolId: string;
  readonly inputs: Json;
  readonly status: string;
  readonly outcome?: Json;
  readonly error?: string;
};

export type EvaluatedCriterion = {
  /** The sentence that people read. */
  readonly text: string;
  readonly weight: number;
  /** The check that decided it; absent when a judge did. */
  readonly check?: string;
  /** Absent when nothing was decided. */
  readonly met?: boolean;
  readonly reason?: string;
};

/** What came of an evaluation. */
export type Evaluation = {
  readonly runId: string;
  readonly status: RunStatus;
  /** What `touchstone run` would have ended with: 0 passed, 1 missed, 3 not judged, 4 over budget, 130 stopped. */
  readonly exitCode: ExitCode;
  /** Whether the run reached the thresholds of its suite; false while it has no result. */
  readonly passed: boolean;
  /** The score of the run from 0 to 1; absent while it has no result. */
  readonly score?: number;
  /** `null` unless the run has completed. */
  readonly summary: EvalSummary | null;
  /** How sure the numbers are, and what they are made of; absent unless the run has completed. */
  readonly report?: EvalReport;
  /** In the order of the suite. */
  readonly tasks: readonly EvaluatedTask[];
  /** The tasks that did not pass, those without a score included. */
  readonly failures: readonly EvaluatedTask[];
  /** The summary that `touchstone run --markdown` writes. It holds no answers. */
  markdown(): string;
};
