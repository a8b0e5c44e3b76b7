import type { RequiredCalibration } from './calibration.js';
import type { DeploymentState } from './deployment.js';
import type { GateId, PrincipalId } from './ids.js';

/** What people have to say before a transition goes on. */
export type ApprovalPolicy = {
  /** Names the gate in events, votes and the audit log. */
  readonly gateId: GateId;
  /** Only principals with this role may vote; absent when any may who has the scope. */
  readonly requiredRole?: string;
  /** Only principals with this scope may vote; the usual one for approvals when absent. */
  readonly requiredScope?: string;
  /** Grants of that many different principals. */
  readonly quorum: number;
  /** Who may decide alone, against the quorum; absent when that is not possible. */
  readonly override?: { readonly requiredRole: string };
  /** Whether an override is enough by itself; otherwise it counts as one grant. */
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
  /** The least mean score, from 0 to 1; the suite's own thresholds decide when absent. */
  readonly requiredPassScore?: number;
  /** Who must have judged: `provider/model`, or the digest of a judge's identity. */
  readonly judge?: string;
  /** What must be known of the judge; nothing when absent. */
  readonly calibration?: RequiredCalibration;
  /** How long ago the run may have ended; any time when absent. */
  readonly maxAgeHours?: number;
  /** Whether reviewers' corrections count; they do not when absent. */
  readonly acceptOverrides?: boolean;
  /** Whether it must be no worse than what serves now. */
  readonly noRegression?: boolean;
  /** Whether the report must be sure: an inconclusive verdict is no proof then. */
  readonly requireConclusive?: boolean;
  /** Whether the suite must have been signed by a key that the operator trusts. */
  readonly signedSuite?: boolean;
  /** Whether an agent is refused whose program uses files that its digest does not cover. */
  readonly requireFollowedFiles?: boolean;
};

/** A gate of the configuration: what is asked of everything that is on its way to a state. */
export type GatePolicy = {
  /** Names the gate in events, votes and the audit log. */
  readonly gateId: GateId;
  /** The agent it guards, or the beginning of ids followed by `*`. */
  readonly agentId: string;
  /** The state that is guarded. */
  readonly to: DeploymentState;
  /** The tenant whose agents it guards; of all tenants when absent. */
  readonly tenant?: string;
  /** The eval run it asks for; absent when it asks for none. */
  readonly requiredEval?: RequiredEval;
  /** The people it asks; absent when it asks none. One of the two is always there. */
  readonly approval?: ApprovalPolicy;
};

/** What has been said in the present round of an approval. */
export type Vote = {
  /** Who said so. Each principal counts once. */
  readonly principal: PrincipalId;
  /** An ordinary grant, or one that decides alone. */
  readonly kind: 'granted' | 'overridden';
};

/** What someone says now, and who they are at this moment. */
export type Ballot = {
  /** Who votes. */
  readonly principal: PrincipalId;
  /** Their roles when they vote; a role lost since the request counts no more. */
  readonly roles: readonly string[];
  /** Their scopes when they vote. */
  readonly scopes: ReadonlySet<string>;
  /** For or against. */
  readonly decision: 'granted' | 'rejected';
  /** Decide alone, as the policy allows. */
  readonly override?: boolean;
  /** Why, in their words; needed for an override. */
  readonly reason?: string;
};

/** What a vote does: nothing, one grant more, or the end of the round. */
export type VoteOutcome =
  | {
      /** The vote does not count. */
      readonly kind: 'refused';
      /**
       * The principal lacks the role or scope, asked for the move itself, has voted before, or gave no reason for an
       * override.
       */
      readonly why: 'not_allowed' | 'own_request' | 'voted_already' | 'reason_needed';
    }
  /** `released` when that was the last one needed. */
  | { readonly kind: 'granted' | 'overridden'; readonly granted: number; readonly released: boolean }
  | { readonly kind: 'rejected' };

/** Decides what a vote does. Pure: everything it depends on is handed in. */
export type CastVote = (
  policy: ApprovalPolicy,
  requester: PrincipalId,
  votes: readonly Vote[],
  ballot: Ballot,
) => VoteOutcome;
