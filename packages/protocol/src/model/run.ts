import type { EmbedderPin, JudgeIdentity, ModelPin, ScorerPin, SimulatedUser } from '../wire/vendor/parts.js';
import type {
  AuthorizationDecided,
  DeploymentEvent,
  DeploymentState,
  TransitionRequest,
} from './deployment.js';
import type { RunError } from './errors.js';
import type { ApprovalPolicy, RequiredEval } from './gate.js';
import type { AgentId, ChannelName, Digest, RunId, SuiteId, Version } from './ids.js';
import type { EvalMode } from './modes.js';
import type { ForkMode } from './status.js';
import type { ContractVerdict } from './verdicts.js';

/** An agent at one version, as bound to a run. The digest covers the bytes of its files. */
export type AgentPin = {
  /** The agent's id on this host. */
  readonly agentId: AgentId;
  /** The version that the id, the channel or the caller led to. */
  readonly version: Version;
  /** Of the bytes of its files, so that a changed agent under the same version is noticed. */
  readonly digest: Digest;
  /** The channel that led to this version; absent when the caller named the version or none. */
  readonly channel?: ChannelName;
};

/** A suite at one version, as bound to a run. */
export type SuitePin = {
  /** The id that its author gave it. */
  readonly suiteId: SuiteId;
  /** The version that ran. */
  readonly version: Version;
  /** Digest of its canonical form. */
  readonly digest: Digest;
};

/** A key that signed a suite. */
export type SuiteSignaturePin = {
  /** The name of the key in the host's `trust.keys`. */
  readonly keyId: string;
  /** The pack, as `name@version`, whose signature covers the suite; absent when the suite has an envelope of its own. */
  readonly pack?: string;
};

/** What an eval run will do, decided once at create and never re-decided. */
export type EvalPlan = {
  /** Tells the plans of different kinds of run apart. */
  readonly kind: 'eval';
  /** The suite that runs. */
  readonly suite: SuitePin;
  /** Who had signed the suite when the run was planned: a key that was trusted then; absent when none had. */
  readonly suiteSignature?: SuiteSignaturePin;
  /** The agent that is evaluated. */
  readonly agent: AgentPin;
  /** The agent's digest may not cover all files of its program. */
  readonly filesNotFollowed?: true;
  /** The agent or a scorer is a function of the caller's program: it ran beside the engine, and its digest is of no files. */
  readonly inProcess?: true;
  /** Some checks look at time, cost or tokens: the same answers may score otherwise in another run. */
  readonly timed?: true;
  /** How the run is done: those of the suite, or those that the caller chose among them. */
  readonly modes: readonly EvalMode[];
  /** Tasks in the suite. */
  readonly totalTasks: number;
  /** Places of the selected tasks in the suite, from 0; absent when all of them run. */
  readonly ordinals?: readonly number[];
  /** How often each task runs. */
  readonly repeats: number;
  /** How many tasks are at work at the same time. */
  readonly concurrency: number;
  /** The longest the run may take, in milliseconds, pauses left out; absent when it may take any time. */
  readonly runTimeoutMs?: number;
  /** The lowest of the host's and the caller's cost ceilings. */
  readonly ceilingUsd?: number;
  /** The run that a regression is measured against; absent when there is none. */
  readonly baselineRunId?: RunId;
  /** Compared are the tasks that are the same in both suites: the baseline may have run another state of the suite. */
  readonly commonTasks?: true;
  /** The baseline came as a scorecard file: its log is not here. */
  readonly baselineImported?: true;
  /** A drop of no more than this is not called a regression. */
  readonly tolerance?: number;
  /** The caller knows that the suite was written for another agent or class of model. */
  readonly targetMismatchAllowed?: true;
  /** Baseline and run were scored by different judges, and the caller wants them compared all the same. */
  readonly judgeMismatchAllowed?: true;
  /** Decides rubric criteria that are prose; absent when no task has any. */
  readonly judge?: JudgeIdentity;
  /** The contract that the suite was compiled with: its criteria decide how tasks are scored. */
  readonly contract?: Digest;
  /** Compares meanings, for criteria that ask for it. */
  readonly embedder?: EmbedderPin;
  /** Programs of the operator that decide criteria, by name; absent when no criterion names one. */
  readonly scorers?: readonly ScorerPin[];
  /** Looks at every answer of an adversarial run. */
  readonly safetyJudge?: JudgeIdentity;
  /** The safety policy it is scored under, when that is not the default one. */
  readonly safetyPolicy?: Digest;
  /** The run whose answers are judged again: no agent is invoked. */
  readonly rejudgeOf?: RunId;
  /** The answers were given elsewhere and came in a file: no agent is invoked. */
  readonly recorded?: true;
  /** Digest of what the host that created it brings along, where several hosts may execute it. */
  readonly environment?: Digest;
} & ModelChoice &
  Forked;

/** A run that begins with the history of another one. Its events before `fromSeq` are that run's. */
export type Fork = {
  /** The run whose history it begins with. */
  readonly source: RunId;
  /** Whether that history is read again to its end, or continued in another way. */
  readonly mode: ForkMode;
  /** The sequence of the first event that is its own. */
  readonly fromSeq: number;
};
type Forked = { readonly fork?: Fork };

/** Only for agents that are a prompt and a model: which model, and whether remembered answers may stand in for it. */
type ModelChoice = {
  /** The model that the host asks for the agent; absent when the agent brings its own. */
  readonly model?: ModelPin;
  /** Recorded answers of the model may be used again. Such a run is no evidence for a gate. */
  readonly cache?: true;
  /** Who plays the user of conversations; absent when the agent's conversations have none. */
  readonly simulatedUser?: SimulatedUser;
};

/** What a run of one agent will do: one invocation, no score. */
export type AgentPlan = {
  /** Tells the plans of different kinds of run apart. */
  readonly kind: 'agent';
  /** The agent that is invoked. */
  readonly agent: AgentPin;
  /** The longest the run may take, in milliseconds; absent when it may take any time. */
  readonly runTimeoutMs?: number;
  /** The most the run may cost, in US dollars; absent when there is no limit. */
  readonly ceilingUsd?: number;
  /** Digest of what the host that created it brings along, where several hosts may execute it. */
  readonly environment?: Digest;
} & ModelChoice &
  Forked;
/** What a run of one of the host's own workflows will do. */
export type WorkflowPlan = {
  /** Tells the plans of different kinds of run apart. */
  readonly kind: 'workflow';
  /** The workflow, as `GET /v1/workflows/{workflowId}` names it. */
  readonly workflowId: string;
  /** The longest the run may take, in milliseconds, waiting for people left out. */
  readonly runTimeoutMs?: number;
  /** The run that started this one, and the node of it that waits for it; absent for runs that callers start. */
  readonly parent?: { readonly runId: RunId; readonly nodeId: string };
} & Forked;
/** A move of a deployment, with everything it was let begin on. The run is its record: no consumer's run tells of it. */
export type DeploymentPlan = {
  /** Tells the plans of different kinds of run apart. */
  readonly kind: 'deployment';
  /** The agent whose version moves. */
  readonly agentId: AgentId;
  /** What the caller asked for. */
  readonly request: TransitionRequest;
  /** Whether the caller may, as decided when the run was created. */
  readonly authorization: AuthorizationDecided;
  /** Why it was refused when it was asked for; the run is then only the trace of that. */
  readonly refused?: RunError;
  /** What is to be done; absent when the request was refused. */
  readonly intent?: DeploymentIntent;
  /** Never set: a move waits for people as long as their gates allow. */
  readonly runTimeoutMs?: undefined;
  /** Never set: a move cannot be replayed. */
  readonly fork?: undefined;
};
/** What a deployment run is to do, and what it has to wait for first. */
export type DeploymentIntent = {
  /** Digest of the agent when the move was requested. */
  readonly digest: Digest;
  /** What it is to do. If the same request would do something else by then, it does nothing. */
  readonly expected: readonly DeploymentEvent[];
  /** Whose approval is needed, gate by gate. */
  readonly approvals: readonly ApprovalPolicy[];
  /** What the eval run must show, gate by gate. */
  readonly evals: readonly RequiredEval[];
  /** The digest may not cover all files of the agent's program. */
  readonly filesNotFollowed?: true;
};
/** Where the version of a move is to be afterwards; undefined when it stays in its state. */
export const targetOf = (intent: DeploymentIntent | undefined): DeploymentState | undefined =>
  intent?.expected.flatMap(({ payload }) => ('toState' in payload ? payload.toState : []))[0];

/** The agent a run is about, by name; undefined when it is about none. */
export function agentNamed(plan: RunPlan): string | undefined {
  if (plan.kind === 'deployment') return `${plan.agentId}@${plan.request.version}`;
  return plan.kind === 'workflow' ? undefined : `${plan.agent.agentId}@${plan.agent.version}`;
}

/** What a run will do, decided once at create. A run never changes its plan. */
export type RunPlan = EvalPlan | AgentPlan | WorkflowPlan | DeploymentPlan;

/** Step of a run: a task of a suite, the one invocation of an agent run, a node of a workflow. */
export const plannedSteps = (plan: EvalPlan): number => plan.ordinals?.length ?? plan.totalTasks;

/** Live tools and live memory answer as they please: such a run shows what happened once, and may not happen again. */
export const isNondeterministic = ({ modes }: EvalPlan): boolean => modes.includes('live-shadow');

/**
 * What decides whether a completed evaluation passed: the suite's thresholds, unscored tasks, and the contract of the
 * suite where it has one. `verdictOn` makes one verdict of them.
 */
export type RunOutcome = {
  /** Whether the thresholds of the suite are met; nothing else decides it. */
  readonly passed: boolean;
  /** Tasks without a score. */
  readonly unscored: number;
  /** By the contract of the suite, where it has one: then this decides. */
  readonly contractVerdict?: ContractVerdict;
  /** When only a part of such a suite ran: whether the thresholds other than the pass score are met. Absent otherwise. */
  readonly otherBarsMet?: boolean;
};

/**
 * A few numbers of a finished eval run (on the wire and in the store: `headline`). Recorded with the terminal event, so
 * that lists of runs need not open the log of each.
 */
export type RunTotals = RunOutcome & {
  /** The mean of the task scores, from 0 to 1. */
  readonly aggregateScore: number;
  /** Tasks that ran. */
  readonly taskCount: number;
  /** Those of them that passed. */
  readonly passedCount: number;
  /** Known cost of the run, in US dollars; absent when nothing is known. */
  readonly totalCostUsd?: number;
  /** Model calls answered from the response cache; a run with any is no evidence for a gate. */
  readonly cacheHits?: number;
};

/** What lists and charts tell of a completed eval run beside its totals. Computed once, when the run ends. */
export type HeadlineFigures = {
  /** Where the score could lie, 95 %. */
  readonly interval: readonly [low: number, high: number];
  /** The 95th percentile of response times, in milliseconds; absent when none is known. */
  readonly p95Ms?: number;
  /** Against the baseline that the run was made with; absent without one. */
  readonly regression?: { readonly scoreDelta: number; readonly verdict: 'pass' | 'fail' | 'inconclusive' };
};

/** The sides that a completed eval run can come down on. */
export const RUN_VERDICTS = ['pass', 'fail', 'inconclusive', 'regression'] as const;
export type RunVerdict = (typeof RUN_VERDICTS)[number];

/** A completed eval run on one side: a run that meets its bars and is worse than its baseline is a regression. */
export function sideOf(outcome: RunOutcome, isWorse: boolean): RunVerdict {
  const verdict = verdictOn(outcome);
  if (verdict === 'error') return 'inconclusive';
  return verdict === 'pass' && isWorse ? 'regression' : verdict;
}

/** The one verdict on a completed evaluation. Whether it got worse than another one is not part of it. */
export function verdictOn({
  passed,
  unscored,
  contractVerdict,
  otherBarsMet = passed,
}: RunOutcome): ContractVerdict {
  if (unscored > 0 || contractVerdict === 'error') return 'error';
  return otherBarsMet && contractVerdict !== 'fail' ? 'pass' : 'fail';
}

type ContractWord = Pick<RunOutcome, 'contractVerdict' | 'otherBarsMet'>;

/**
 * Drops the contract outcome when the other record predates it, so that old and new totals of one run compare equal.
 * Records of earlier versions lack these members and are otherwise the same.
 */
export function withoutContractOutcome<T extends ContractWord>(
  facts: T,
  others: ContractWord | undefined,
): T | Omit<T, keyof ContractWord> {
  if (others?.contractVerdict !== undefined) return facts;
  const { contractVerdict: _verdict, otherBarsMet: _bars, ...rest } = facts;
  return rest;
}
