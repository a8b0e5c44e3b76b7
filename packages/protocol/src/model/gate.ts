import type { DeploymentState } from './deployment.js';
import type { Digest, GateId, PrincipalId, RunId } from './ids.js';
import type { EvalMode } from './modes.js';
import type { EvalReport } from './report.js';
import type { EvalPlan, ModelPin, RunStatus, RunTotals, SuitePin } from './run.js';

/** What people have to say before a transition goes on. */
export type ApprovalPolicy = {
  readonly gateId: GateId;
  readonly requiredRole?: string;
  readonly requiredScope?: string;
  /** Grants of that many different principals. */
  readonly quorum: number;
  readonly override?: { readonly requiredRole: string };
  readonly overrideBypassesQuorum?: boolean;
  /** Silence for this long is a no. */
  readonly timeoutSec?: number;
  /** The principal who asks may not grant. */
  readonly excludeRequester?: boolean;
};

/** What an eval run must show before a transition goes on. */
export type RequiredEval = {
  /** `<suiteId>` or `<suiteId>@<version>`. */
  readonly suite: string;
  readonly requiredPassScore?: number;
  /** Who must have judged: `provider/model`, or the digest of a judge's identity. */
  readonly judge?: string;
  readonly maxAgeHours?: number;
  readonly acceptOverrides?: boolean;
  readonly noRegression?: boolean;
  readonly requireConclusive?: boolean;
};

/** A gate of the configuration: what is asked of everything that is on its way to a state. */
export type GatePolicy = {
  readonly gateId: GateId;
  readonly agentId: string;
  readonly to: DeploymentState;
  readonly tenant?: string;
  readonly requiredEval?: RequiredEval;
  readonly approval?: ApprovalPolicy;
};

/** Facts about an eval run that someone offers as proof. No content; only ids, numbers and verdicts. */
export type Evidence = {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly plan: EvalPlan;
  readonly endedAt?: number;
  readonly headline?: RunTotals;
  /** What the gate's reference leads to now, with its contract; absent when there is no such suite. */
  readonly suite?: SuitePin & { readonly modes: readonly EvalMode[]; readonly contract?: Digest };
  /** The model that the agent asks when nobody chooses another; absent when it brings its own. */
  readonly model?: ModelPin;
  /** Of a completed run. `regression` is against what serves now, when something does. */
  readonly report?: EvalReport;
  /** The result with the corrections of everyone but the principal who promotes; absent when there are none. */
  readonly adjusted?: { readonly score: number; readonly passed: boolean };
  /** Whether the gates of its test contract held; absent when the suite has none. */
  readonly contractPassed?: boolean;
  /** Something serves that it could not be compared with. */
  readonly incomparable?: true;
};

/** Why a run is no proof. */
export const EVIDENCE_REASONS = [
  'no_eval_run',
  'not_found',
  'not_an_eval',
  'not_finished',
  'not_completed',
  'other_agent',
  'other_version',
  'agent_changed',
  'other_suite',
  'suite_changed',
  'not_original',
  'not_whole',
  'target_mismatch',
  'mock_model',
  'other_model',
  'cached',
  'other_judge',
  'too_old',
  'unscored',
  'below_score',
  'not_passed',
  'contract_unmet',
  'not_compared',
  'regression',
  'inconclusive',
] as const;
export type EvidenceReason = (typeof EVIDENCE_REASONS)[number];

/** What has been said in the present round of an approval. */
export type Vote = { readonly principal: PrincipalId; readonly kind: 'granted' | 'overridden' };

/** What someone says now, and who they are at this moment. */
export type Ballot = {
  readonly principal: PrincipalId;
  readonly roles: readonly string[];
  readonly scopes: ReadonlySet<string>;
  readonly decision: 'granted' | 'rejected';
  readonly override?: boolean;
  readonly reason?: string;
};

export type VoteOutcome =
  | {
      readonly kind: 'refused';
      readonly why: 'not_allowed' | 'own_request' | 'voted_already' | 'reason_needed';
    }
  /** `released` when that was the last one needed. */
  | { readonly kind: 'granted' | 'overridden'; readonly granted: number; readonly released: boolean }
  | { readonly kind: 'rejected' };

export type CastVote = (
  policy: ApprovalPolicy,
  requester: PrincipalId,
  votes: readonly Vote[],
  ballot: Ballot,
) => VoteOutcome;
