import type {
  AgentPlan,
  CastVote,
  DeploymentPlan,
  Digest,
  EvalPlan,
  EvalSummary,
  ModelClass,
  Move,
  Owner,
  Redact,
  RepeatScore,
  RunError,
  RunId,
  RunOutcome,
  SuiteId,
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
  PriceOf,
  Run,
  SchemaCheck,
  Scoring,
  Store,
  SuiteHead,
  Tools,
} from '../ports/index.js';

/** Everything the engine needs from other rooms, handed in by the one composition place. */
export type Parts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly tools: Tools;
  readonly priceOf: PriceOf;
  readonly schemaCheck: SchemaCheck;
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
  readonly taskBar: (kind: 'golden' | 'rubric', thresholds: Thresholds | undefined) => number;
  /** The bars that a run's contract sets for its tasks, where it does. */
  readonly openBars: (owner: Owner, plan: EvalPlan) => Promise<Bars>;
  readonly foldTask: (
    taskId: TaskId,
    repeats: readonly RepeatScore[],
    bar: number,
    ownBar: boolean,
  ) => TaskResult;
  readonly buildSummary: (
    facts: {
      suiteId: SuiteId;
      suiteVersion: Version;
      modelClass?: ModelClass;
      thresholds?: Thresholds;
      regression?: { baselineRunId: RunId; baselineScore: number; diffRef?: string };
    },
    results: readonly TaskResult[],
  ) => EvalSummary;
  /** What the contract of a run has to say about it, where its suite has one. */
  readonly contractOutcome: (
    run: Run,
    plan: EvalPlan,
    come: {
      readonly summary: EvalSummary;
      readonly thresholds?: Thresholds;
      readonly results: readonly TaskResult[];
    },
  ) => Promise<Pick<RunOutcome, 'contractVerdict' | 'otherBarsMet'>>;
  readonly castVote: CastVote;
  /** Takes secrets out of what people write. */
  readonly mask: (text: string) => Promise<string>;
  /** What a deployment's run is to do now that nothing holds it back, or why it may not. Decided anew on every call. */
  readonly carryOut: (run: Run, plan: DeploymentPlan) => Promise<Move | RunError>;
  readonly limits: EngineLimits;
};

export type Bars = (taskId: TaskId) => number | undefined;

export type EngineLimits = {
  /** Runs of one tenant driven at the same time; further ones wait as `pending`. */
  readonly maxRuns: number;
  readonly leaseMs: number;
  /** How long sealed work may wait for company before it is written; 0 writes at the end of the turn. */
  readonly gatherMs: number;
};

export const DEFAULT_LIMITS: EngineLimits = { maxRuns: 32, leaseMs: 15_000, gatherMs: 5 };

/** Version of the rules by which a log is written. A run stamped with a newer one is refused. */
export const ENGINE_VERSION = 1;
