import type {
  AccessDenial,
  AgentPin,
  Caveat,
  ContractReport,
  EvalReport,
  EvalSummary,
  Finding,
  Fork,
  Json,
  JudgeIdentity,
  ModelPin,
  RunError,
  RunId,
  RunStatus,
  Severity,
  SimulatedUser,
  SuitePin,
  SummaryTotals,
  TaskResult,
  Thresholds,
  UnscoredReason,
} from '@touchstone/protocol';

/** One criterion of one invocation: its sentence, the verdict and the reason. */
export type CriterionBody = {
  /** Its sentence. */
  readonly text: string;
  /** How much it counts beside the others of its task. */
  readonly weight: number;
  /** Absent when the criterion was not decided. */
  readonly met?: boolean;
  /** The share of votes that agree with `met`. */
  readonly agreement?: number;
  /** The judge's words, or what a check that is not met looked for and found. */
  readonly reason?: string;
  /** Which check it is; absent for prose. */
  readonly check?: string;
  /** Where JSON differs, as a place in what the check expects. */
  readonly differsAt?: string;
};

/** What was expected of a task and what came. Content: shown on a terminal or with `--bodies`, and nowhere else. */
export type FailureBodies = {
  /** What the suite asks for. */
  readonly expected:
    | { readonly kind: 'golden'; readonly strategy: string; readonly value: Json }
    | { readonly kind: 'rubric'; readonly criteria: readonly CriterionBody[] };
  /** Absent when the agent gave no answer. */
  readonly got?: { readonly value: Json };
  /** How the invocation ended. */
  readonly outcome: string;
  /** Why it failed, in words; absent when it did not. */
  readonly reason?: string;
};

/** A task that did not pass. */
export type Failure = {
  /** The task in its suite. */
  readonly taskId: string;
  /** From 0 to 1, over all repeats. */
  readonly score: number;
  /** The slowest repeat, in milliseconds. */
  readonly latencyMs?: number;
  /** Whether every answer fits the agent's return schema; absent when it has none. */
  readonly schemaValid?: boolean;
  /** What safety checks found; absent when they found nothing. */
  readonly findings?: readonly Finding[];
  /** Why there is no score; `score` then says nothing about the answer. */
  readonly unscored?: UnscoredReason;
  /** Who did not let the host in, when that is why. */
  readonly denial?: AccessDenial;
  /** How the invocation ended, when it was not with an answer to score. */
  readonly outcome?: 'failed' | 'refused';
  /** Rubric criteria over all repeats; absent for golden tasks. */
  readonly criteria?: NonNullable<TaskResult['criteria']>;
  /** What the answer was held against and where it differs; absent when that is not known. */
  readonly check?: FailedCheck;
  /** Present when the caller asked for content. */
  readonly bodies?: FailureBodies;
};

/** Which check an answer did not pass, without a word of the answer. */
export type FailedCheck = {
  /** The match strategy of a golden task. */
  readonly name: string;
  /** Where JSON differs, by places of the expected value; absent when all of it does. */
  readonly pointers?: readonly string[];
};

/** How often a kind of finding was made, and in which tasks, passed ones included. */
export type FindingCount = Finding & { readonly taskIds: readonly string[] };

/** A judge, as far as people are shown it. */
export type JudgeFacts = Pick<JudgeIdentity, 'provider' | 'model' | 'votes' | 'digest' | 'mock' | 'portable'>;

/**
 * What makes a run fail, when its caller says so.
 * - `bar`: a threshold of the suite is missed
 * - `regression`: worse than the baseline, and not by chance
 * - `newly-failing`: a task that passed in the baseline does not now
 * - `any-failure`: a task did not pass
 * - `removed`: a task of the baseline is no longer in the suite
 * - `finding:<severity>`: a safety finding of this severity or worse
 */
export type FailCondition =
  | 'bar'
  | 'regression'
  | 'newly-failing'
  | 'any-failure'
  | 'removed'
  | `finding:${Severity}`;

/** What became of a task that newly failed and was run again. */
export type ConfirmedTask = {
  /** The task in its suite. */
  readonly taskId: string;
  /** How often it was scored, the run itself included. */
  readonly attempts: number;
  /** How many of these failed. */
  readonly failed: number;
};

/** A second look at tasks that newly fail: a run of its own, which leaves the scores of the first as they are. */
export type Confirmation = {
  /** The run that repeated the tasks. */
  readonly runId: RunId;
  /** How often it ran each. */
  readonly times: number;
  /** In the order of the suite. */
  readonly tasks: readonly ConfirmedTask[];
};

/** The totals of a summary; the other members where the whole of it was read. */
export type ShownSummary = SummaryTotals & Partial<Pick<EvalSummary, 'tasks'>>;

/** One eval run as people are shown it: a fold over what its host tells of it, here or elsewhere. */
export type RunView = {
  /** The run that is shown. */
  readonly runId: RunId;
  /** Where it stands. */
  readonly status: RunStatus;
  /** Its driver stopped before the end, and the run can be resumed. */
  readonly interrupted: boolean;
  /** The suite that runs. */
  readonly suite: SuitePin;
  /** The agent that is evaluated. */
  readonly agent: AgentPin;
  /** The agent's digest may not cover all files of its program. */
  readonly filesNotFollowed?: true;
  /** What keeps the scores from being evidence, by what made them. */
  readonly caveats?: readonly Caveat[];
  /** `null` unless the run has completed. */
  readonly summary: ShownSummary | null;
  /** Why the run failed; absent when it did not. */
  readonly error?: RunError;
  /** What the run has to reach, the host's defaults left out. */
  readonly thresholds: Thresholds;
  /** How many tasks there are, and how they went. */
  readonly counts: {
    /** Tasks of the suite. */
    readonly total: number;
    /** Tasks that the run was to do. */
    readonly selected: number;
    /** Scored, and the threshold reached. */
    readonly passed: number;
    /** Scored, and the threshold missed. */
    readonly failed: number;
    /** Without a score. */
    readonly unscored: number;
  };
  /** Ids of the tasks without a score, in the order of the suite. */
  readonly unscored: readonly string[];
  /** Tasks with a result, in the order of the suite; absent when the summary lists them. */
  readonly doneTasks?: readonly Pick<TaskResult, 'taskId' | 'latencyMs'>[];
  /** In the order of the suite. */
  readonly failures: readonly Failure[];
  /** Response times of the agent, in milliseconds; absent while none is known. */
  readonly latency?: { readonly p50Ms: number; readonly p95Ms: number };
  /** Known cost of the run, judges included, in US dollars; absent when nothing is known. */
  readonly costUsd?: number;
  /** Model calls of unknown price. */
  readonly unpriced: number;
  /** How often each task runs. */
  readonly repeats: number;
  /** From start to end, pauses left out. */
  readonly wallMs: number;
  /** The model that the host asked for the agent; absent for agents that bring their own. */
  readonly model?: Pick<ModelPin, 'provider' | 'model' | 'mock'>;
  /** The judge of rubric tasks; absent when no task needed one. */
  readonly judge?: JudgeFacts;
  /** The judge that looked at every answer of an adversarial run. */
  readonly safetyJudge?: JudgeFacts;
  /** The part of the cost that judges took, when it is known. */
  readonly judgeUsd?: number;
  /** Who played the user of conversations; absent when nobody did. */
  readonly simulatedUser?: Pick<SimulatedUser, 'provider' | 'model' | 'digest' | 'mock'>;
  /** The part of the cost that the model took that played the user, when it is known. */
  readonly simulatedUserUsd?: number;
  /** The run whose answers were judged again. */
  readonly rejudgeOf?: RunId;
  /** The run begins with the history of another one. */
  readonly fork?: Fork;
  /** Since when its answers, tool calls and reasons are gone, ISO 8601; absent while they are kept. */
  readonly bodiesRemovedAt?: string;
  /** What safety checks found, by kind; absent when they found nothing. */
  readonly findings?: readonly FindingCount[];
  /** The verdict on every criterion, task by task; absent when there was none. */
  readonly rubrics?: readonly {
    /** The task in its suite. */
    readonly taskId: string;
    /** Its criteria over all repeats, in the order of the rubric. */
    readonly criteria: NonNullable<TaskResult['criteria']>;
  }[];
  /** Model calls answered from the response cache, when there were any. */
  readonly cacheHits?: number;
  /** Tools and memory were live, so the same run may come out differently. */
  readonly nondeterministic?: true;
  /** Of a completed run; another kind of host may have none. */
  readonly report?: EvalReport;
  /** Whether the contract was kept that the suite was compiled with; absent when there is none. */
  readonly contract?: ContractReport;
  /** Why the run was compared with nothing although the caller asked for a baseline. */
  readonly uncompared?: string;
  /** How long before the run was read its baseline had ended. */
  readonly baselineAgeMs?: number;
  /** The caller does not accept a result that chance alone could explain. */
  readonly conclusive?: true;
  /** What became of newly failing tasks when they were run again; absent when they were not. */
  readonly confirmation?: Confirmation;
  /** What makes the run fail, when its caller has said so. */
  readonly failOn?: readonly FailCondition[];
};

/** `id@version`. */
export const refOf = (
  pin: Pick<SuitePin, 'suiteId' | 'version'> | Pick<AgentPin, 'agentId' | 'version'>,
): string => `${'suiteId' in pin ? pin.suiteId : pin.agentId}@${pin.version}`;
