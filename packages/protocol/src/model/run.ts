import { jsonEqual } from '../values/json.js';
import type { EmbedderPin, JudgeIdentity, ModelPin } from '../wire/vendor/parts.js';
import type { AuthorizationDecided, DeploymentEvent, TransitionRequest } from './deployment.js';
import type { RunError } from './errors.js';
import type { ApprovalPolicy, RequiredEval } from './gate.js';
import type { AgentId, ChannelName, Digest, RunId, SuiteId, Version } from './ids.js';
import type { EvalMode } from './modes.js';
import type { ForkMode } from './status.js';
import type { ContractVerdict } from './verdicts.js';

/** An agent at one version, as bound to a run. The digest covers the bytes of its files. */
export type AgentPin = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly digest: Digest;
  readonly channel?: ChannelName;
};

export type SuitePin = { readonly suiteId: SuiteId; readonly version: Version; readonly digest: Digest };

/** What an eval run will do, decided once at create and never re-decided. */
export type EvalPlan = {
  readonly kind: 'eval';
  readonly suite: SuitePin;
  readonly agent: AgentPin;
  readonly modes: readonly EvalMode[];
  /** Tasks in the suite, and the ordinals that run when it is not all of them. */
  readonly totalTasks: number;
  readonly ordinals?: readonly number[];
  readonly repeats: number;
  readonly concurrency: number;
  readonly runTimeoutMs?: number;
  /** The lowest of the host's and the caller's cost ceilings. */
  readonly ceilingUsd?: number;
  readonly baselineRunId?: RunId;
  /** The baseline came as a scorecard file: its log is not here. */
  readonly baselineImported?: true;
  /** A drop of no more than this is not called a regression. */
  readonly tolerance?: number;
  readonly targetMismatchAllowed?: true;
  /** Baseline and run were scored by different judges, and the caller wants them compared all the same. */
  readonly judgeMismatchAllowed?: true;
  readonly judge?: JudgeIdentity;
  /** The contract that the suite was compiled with: its criteria decide how tasks are scored. */
  readonly contract?: Digest;
  /** Compares meanings, for criteria that ask for it. */
  readonly embedder?: EmbedderPin;
  /** Looks at every answer of an adversarial run. */
  readonly safetyJudge?: JudgeIdentity;
  /** The safety policy it is scored under, when that is not the default one. */
  readonly safetyPolicy?: Digest;
  /** The run whose answers are judged again: no agent is invoked. */
  readonly rejudgeOf?: RunId;
} & AskedModel &
  Forked;

/** A run that begins with the history of another one. Its events before `fromSeq` are that run's. */
export type Fork = { readonly source: RunId; readonly mode: ForkMode; readonly fromSeq: number };
type Forked = { readonly fork?: Fork };

/** Only for agents that are a prompt and a model: which model, and whether remembered answers may stand in for it. */
type AskedModel = { readonly model?: ModelPin; readonly cache?: true };

export type AgentPlan = {
  readonly kind: 'agent';
  readonly agent: AgentPin;
  readonly runTimeoutMs?: number;
  readonly ceilingUsd?: number;
} & AskedModel &
  Forked;
export type WorkflowPlan = {
  readonly kind: 'workflow';
  readonly workflowId: string;
  readonly runTimeoutMs?: number;
} & Forked;
/** A move of a deployment, with everything it was let begin on. The run is its record: no consumer's run tells of it. */
export type DeploymentPlan = {
  readonly kind: 'deployment';
  readonly agentId: AgentId;
  readonly request: TransitionRequest;
  readonly authorization: AuthorizationDecided;
  /** Why it was refused when it was asked for; the run is then only the trace of that. */
  readonly refused?: RunError;
  readonly intent?: DeploymentIntent;
  readonly runTimeoutMs?: undefined;
  readonly fork?: undefined;
};
export type DeploymentIntent = {
  /** Of the agent when it was asked for. */
  readonly digest: Digest;
  /** What it is to do. If the same request would do something else by then, it does nothing. */
  readonly expected: readonly DeploymentEvent[];
  readonly approvals: readonly ApprovalPolicy[];
  readonly evals: readonly RequiredEval[];
};
/** The agent a run is about, by name; undefined when it is about none. */
export function agentNamed(plan: RunPlan): string | undefined {
  if (plan.kind === 'deployment') return `${plan.agentId}@${plan.request.version}`;
  return plan.kind === 'workflow' ? undefined : `${plan.agent.agentId}@${plan.agent.version}`;
}

export type RunPlan = EvalPlan | AgentPlan | WorkflowPlan | DeploymentPlan;

/** Step of a run: a task of a suite, the one invocation of an agent run, a node of a workflow. */
export const plannedSteps = (plan: EvalPlan): number => plan.ordinals?.length ?? plan.totalTasks;

/** Live tools and live memory answer as they please: such a run shows what happened once, and may not happen again. */
export const isNondeterministic = ({ modes }: EvalPlan): boolean => modes.includes('live-shadow');

type Measurers = Pick<EvalPlan, 'judge' | 'safetyJudge' | 'safetyPolicy' | 'embedder'>;

/** Scores of different judges or embedders, or under different safety policies, are different measurements. */
export const judgesDiffer = (before: Measurers, after: Measurers): boolean =>
  before.judge?.digest !== after.judge?.digest ||
  before.safetyJudge?.digest !== after.safetyJudge?.digest ||
  before.safetyPolicy !== after.safetyPolicy ||
  !jsonEqual(before.embedder ?? null, after.embedder ?? null);

/** What a completed evaluation came to, by everyone who has a say. */
export type RunOutcome = {
  /** By the thresholds of the suite, and nothing else. */
  readonly passed: boolean;
  /** Tasks without a score. */
  readonly unscored: number;
  /** By the contract of the suite, where it has one: then this decides. */
  readonly contractVerdict?: ContractVerdict;
  /** Of a part of such a suite, whose pass score is a bar for the whole of it: whether the other bars are met. */
  readonly otherBarsMet?: boolean;
};

/** A few numbers of a finished eval run, recorded with its terminal event so that lists need not open the log. */
export type RunTotals = RunOutcome & {
  readonly aggregateScore: number;
  readonly taskCount: number;
  readonly passedCount: number;
  readonly totalCostUsd?: number;
  /** Model calls answered from the response cache; a run with any is no evidence for a gate. */
  readonly cacheHits?: number;
};

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
 * The same facts, silent about the contract where the others are: what was written down before a contract's word was
 * recorded lacks it, and says nothing else for that.
 */
export function withoutContractOutcome<T extends ContractWord>(
  facts: T,
  others: ContractWord | undefined,
): T | Omit<T, keyof ContractWord> {
  if (others?.contractVerdict !== undefined) return facts;
  const { contractVerdict: _verdict, otherBarsMet: _bars, ...rest } = facts;
  return rest;
}
