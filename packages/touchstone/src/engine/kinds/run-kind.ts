import type { ModelClass, RepeatScore, RunError, RunTotals, TaskResult } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import type { MaybePromise, RunOutcomes, TaskRecord, Turn } from '../../ports/index.js';

// The words for the parts of a run, used everywhere in the engine and the store:
//
//   step      one thing that a run does: a task of an evaluation, a node of a workflow
//   ordinal   a step's number in its suite or workflow; records and log name steps by it
//   position  a step's place in the plan; differs from its ordinal only when some of the tasks were selected
//   unit      one repeat of one step: executed, then sealed as one record
//   entry     what is appended to the log at once: a step with all its records, or loose events
//   sequence  an event's number in the log

/** When a unit may begin that is handed over ahead of a slot. */
export type UnitTurn = Turn & {
  /** It is not to begin any more. */
  readonly isWithdrawn: boolean;
  /** Called when it begins after a wait, or is found to have begun so long ago. */
  begun(agoMs?: number): void;
};

/** One repeat of one step. */
export type Unit = { readonly ordinal: number; readonly repeat: number };

/**
 * What a kind of run consists of, apart from how runs are driven and from who executes their units: a list of steps, with
 * something said before and after. It reads the store and opens no agent, so a driver can have it without executing.
 */
export type RunKind = {
  readonly steps: number;
  /** Positions are the order in which steps start, and in which they stand in the log. */
  ordinalAt(position: number): number;
  readonly repeats: number;
  readonly concurrency: number;
  readonly ceilingUsd?: number;
  /** Events after `run.started`. */
  opening(now: number): readonly NewEvent[];
  /** Folds the repeats of a finished step; undefined for kinds that do not score. */
  result(ordinal: number, scores: readonly RepeatScore[]): MaybePromise<TaskResult | undefined>;
  /**
   * How the run ends once its steps are in the log. Reads what is committed, never what is remembered. The model class is
   * the executor's, because only an open agent knows it.
   */
  closing(now: number, modelClass: ModelClass | undefined): Promise<Closing>;
};

/** What a run's last words say, and the totals that are kept beside it. */
export type Closing = {
  readonly events: readonly NewEvent[];
  readonly outputs?: Extract<NewEvent, { type: 'run.completed' }>['payload']['outputs'];
  /** So many tasks belong into the list of the summary, which `outputs` is without. */
  readonly tasks?: number;
  readonly error?: RunError;
  readonly failedNodeId?: string;
  readonly headline?: RunTotals;
  readonly outcomes?: RunOutcomes;
};

/**
 * Executes the units of one run: holds the agent, the scoring and the spend meter, and knows neither the run's log nor the
 * order of the units. A worker can have it without driving the run.
 */
export type Executor = {
  /** The model class of the agent, where it declares one. */
  readonly modelClass?: ModelClass;
  /** Units may be handed over before there is a slot for them: nothing but the agent is asked, and it keeps those that wait. */
  readonly takesTurns?: boolean;
  /** Rejects when the signal aborts, or with `AgentChanged` or `Withdrawn`; any other rejection is a bug and fails the run. */
  execute(unit: Unit, signal: AbortSignal, turn?: UnitTurn): Promise<ExecutionResult>;
  /** The record of a unit that is not executed any more, because the processes that tried it were lost. It has no score. */
  abandon?(unit: Unit, reason: string, signal: AbortSignal): Promise<ExecutionResult>;
  /** Whether the agent's files have been written to while it was in use: then the run has measured nothing. */
  hasChanged?(): Promise<boolean>;
  close(): Promise<void>;
};

export type ExecutionResult = {
  readonly record: TaskRecord;
  /** A failed step after which no further step starts. */
  readonly halt?: boolean;
};
