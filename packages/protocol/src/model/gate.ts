import type { DeploymentState } from './deployment.js';
import type { GateId, PrincipalId } from './ids.js';

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
