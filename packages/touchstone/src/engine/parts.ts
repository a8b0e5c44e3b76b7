import type {
  AgentPlan,
  CastVote,
  DeploymentPlan,
  Digest,
  EvalPlan,
  ModelClass,
  Move,
  Owner,
  Redact,
  RepeatScore,
  RunError,
  RunId,
  RunOutcome,
  SuiteId,
  SummaryTotals,
  TaskId,
  TaskResult,
  Thresholds,
  Version,
} from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type {
  Agent,
  Clock,
  Log,
  MaybePromise,
  PriceOf,
  RequestOrigin,
  Run,
  RunOutcomes,
  SchemaCheck,
  Scoring,
  Slots,
  StepResult,
  Store,
  SuiteHead,
  ThreadShares,
  Tools,
} from '../ports/index.js';

/** Takes the results of a run that ends, and says what came of its contract. */
export type ContractFold = {
  add(result: TaskResult): void;
  result(summary: SummaryTotals): Pick<RunOutcome, 'contractVerdict' | 'otherBarsMet'>;
};

/** Takes the steps of a run that ends. A baseline is read once they are all there. */
export type OutcomesFold = { add(step: StepResult): void; result(): MaybePromise<RunOutcomes> };

/** Everything the engine needs from other modules, handed in by the one place that composes them. */
export type Parts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly tools: Tools;
  readonly priceOf: PriceOf;
  /** Checks the answers of one owner's agents against their own schemas. */
  readonly schemaCheckFor: (owner: Owner) => SchemaCheck;
  /** Replaces secrets this host knows, before anything is written down or shown to an agent as memory. */
  readonly redact: Redact;
  /** Opens the planned agent for the length of a run. Rejects when it is gone or its digest has changed. */
  readonly openAgent: (owner: Owner, plan: EvalPlan | AgentPlan) => Promise<Agent>;
  readonly suiteHead: (owner: Owner, digest: Digest) => Promise<SuiteHead | undefined>;
  readonly suiteTasks: (
    owner: Owner,
    digest: Digest,
    from: number,
    limit: number,
  ) => Promise<readonly Task[]>;
  /** How the tasks of a run are scored: its modes and its judge are those of its plan. */
  readonly openScoring: (owner: Owner, plan: EvalPlan) => Promise<Scoring>;
  readonly taskThreshold: (kind: 'golden' | 'rubric', thresholds: Thresholds | undefined) => number;
  /** The thresholds that a run's contract sets for its tasks, where it does. */
  readonly openThresholds: (owner: Owner, plan: EvalPlan) => Promise<TaskThresholds>;
  readonly foldTask: (
    taskId: TaskId,
    repeats: readonly RepeatScore[],
    threshold: number,
    ownThreshold: boolean,
  ) => TaskResult;
  /** The summary of an evaluation without its list of tasks, of results that come one after the other. */
  readonly createSummary: (facts: {
    suiteId: SuiteId;
    suiteVersion: Version;
    modelClass?: ModelClass;
    thresholds?: Thresholds;
    regression?: { baselineRunId: RunId; baselineScore: number; diffRef?: string };
  }) => { add(result: TaskResult): void; result(): SummaryTotals };
  /** The verdict of a run's contract, where its suite has one. */
  readonly openContract: (
    run: Run,
    plan: EvalPlan,
    thresholds: Thresholds | undefined,
  ) => Promise<ContractFold>;
  /** What is kept beside a run that ends: how each task came out, and the figures that lists show. */
  readonly openOutcomes: (
    run: Run,
    plan: EvalPlan,
    thresholds: Thresholds | undefined,
  ) => Promise<OutcomesFold>;
  readonly castVote: CastVote;
  /** Takes secrets out of what people write. */
  readonly mask: (text: string) => Promise<string>;
  /** The same value without what looks like a secret, in its texts or by the name of a member. */
  readonly maskDeep: <T>(owner: Owner, value: T) => Promise<T>;
  /** What a deployment's run does once it is approved, or why it may not. Decided again on every call. */
  readonly carryOut: (run: Run, plan: DeploymentPlan) => Promise<Move | RunError>;
  readonly limits: EngineLimits;
  /** A run is driven, and a task is executed, while it has a slot; the rest wait. */
  readonly slots: { readonly runs: Slots; readonly tasks: Slots };
  /** A task begins when its tenant may use this process's thread. */
  readonly shares: ThreadShares;
  /** Whether the tenant has stored all it may; absent where nothing limits it. */
  readonly isStorageFull?: (owner: Owner) => Promise<boolean>;
  /** False for a process that leaves runs which execute something to others. */
  readonly works: boolean;
  /** Absent where one process has all runs to itself. */
  readonly sharing?: Sharing;
  /** Does work so that the requests it makes can say what they belong to; absent where they need not. */
  readonly within?: <T>(origin: RequestOrigin, work: () => T) => T;
};

/** How the runs of a store are shared among the processes on it. */
export type Sharing = {
  /** Digest of what this process brings along to execute runs. */
  readonly environment: Digest;
  /**
   * Another number after each time that the others could have counted this process as lost; undefined while they can. What it held
   * before may be with them.
   */
  presence(): number | undefined;
  /** How many processes could execute a part of the run now, this one included. */
  processes(run: Run): Promise<number>;
  /** Runs of a tenant at work at a time, in all processes together. */
  readonly activeRuns: number;
  /** Whether this process is to execute the run, as far as can be told without opening its agent. */
  suits(run: Run): Promise<boolean>;
  /** Whether a run that could not be opened here waits for a process that can; false when it has waited long enough. */
  waits(run: Run): Promise<boolean>;
};

export type TaskThresholds = (taskId: TaskId) => number | undefined;

export type EngineLimits = {
  readonly leaseMs: number;
  /** How long executed work may wait to be written together with more; 0 writes at the end of the turn. */
  readonly gatherMs: number;
  /** A run whose drivers were lost so many times in a row, each before the log had grown, is given up. */
  readonly maxLostDrives: number;
};

export const DEFAULT_LIMITS: EngineLimits = { leaseMs: 15_000, gatherMs: 5, maxLostDrives: 10 };

/** Version of the rules by which a log is written. A run stamped with a newer one is refused. */
export const ENGINE_VERSION = 1;
