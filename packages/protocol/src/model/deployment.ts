import type {
  AgentId,
  ChannelName,
  Digest,
  GateId,
  PrincipalId,
  ReasonLabel,
  ResourceName,
  RunId,
  ScopeName,
  Version,
} from './ids.js';

/** How far a version of an agent has come. A version that was never moved is a draft. */
export const DEPLOYMENT_STATES = [
  'draft',
  'test',
  'staged',
  'active',
  'paused',
  'deprecated',
  'rolled-back',
] as const;
/**
 * How far a version of an agent has come (RFC 0082).
 * - `draft`, `test`, `staged`: on the way, not in service
 * - `active`: in service on its channels
 * - `paused`: taken out of service, and can be promoted to `active` again
 * - `deprecated`, `rolled-back`: out of service for good; another version took over after a rollback
 */
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

/** What a caller may ask for. All but `promote` begin at `active`. */
export const TRANSITIONS = ['promote', 'pause', 'deprecate', 'rollback', 'adjust-canary'] as const;
/**
 * What a caller may ask for.
 * - `promote`: one state ahead
 * - `pause`: out of service for now
 * - `deprecate`: out of service for good
 * - `rollback`: out of service, and the version before it serves again
 * - `adjust-canary`: another share of the traffic
 */
export type Transition = (typeof TRANSITIONS)[number];

/** Where a promotion leads, one state at a time. */
export const AHEAD: { readonly [S in DeploymentState]?: DeploymentState } = {
  draft: 'test',
  test: 'staged',
  staged: 'active',
  paused: 'active',
};

/** Where every other transition leads, always from `active`. */
export const LEADS_TO = {
  pause: 'paused',
  deprecate: 'deprecated',
  rollback: 'rolled-back',
  'adjust-canary': 'active',
} as const satisfies { readonly [T in Exclude<Transition, 'promote'>]: DeploymentState };

/** Names under which versions serve. Nothing is put on `latest`: it is the highest active version, whatever that is. */
export const CHANNELS = ['stable', 'canary', 'latest'] as const;

/** What a caller asks for, its shape already checked. */
export type TransitionRequest = {
  /** The version that is to move. */
  readonly version: Version;
  /** What to do with it. */
  readonly transition: Transition;
  /** Where a promotion leads; the next state when absent. */
  readonly toState?: DeploymentState;
  /** The channel it concerns; `stable` when absent. */
  readonly channel?: ChannelName;
  /** The share of the traffic it shall get, from 0 to 100; all of it when absent. */
  readonly canaryPercent?: number;
  /** The eval run that is offered as proof; needed where a gate asks for one. */
  readonly evalRunId?: RunId;
  /** Why, as a short label that events may carry. */
  readonly reason?: ReasonLabel;
};

/** A version that has been moved at least once. */
export type DeployedVersion = {
  /** The version, as the agent's author wrote it. */
  readonly version: Version;
  /** How far it has come. */
  readonly state: DeploymentState;
  /** Of the agent as it was when it last moved forward. Other bytes under the same version do not serve in its name. */
  readonly digest: Digest;
  /** Its share of the traffic of its channels; all of it when absent. */
  readonly canaryPercent?: number;
  /** The version that took over when this one was rolled back. */
  readonly rollbackPointer?: Version;
  /** The eval run that was the proof for its last step; absent when none was asked for. */
  readonly evalRunId?: RunId;
  /** The gate whose approval its last step needed; absent when it needed none. */
  readonly approvalGateId?: GateId;
  /** When it came into its state, in milliseconds since 1970; absent in what older hosts have written. */
  readonly since?: number;
};

/** Everything about one agent's service, changed as a whole: `revision` counts the changes. */
export type AgentDeployments = {
  /** The agent whose versions these are. */
  readonly agentId: AgentId;
  /** Two changes that began from the same revision cannot both be stored. */
  readonly revision: number;
  /** Those that have been moved at least once; every other one is a draft. */
  readonly versions: readonly DeployedVersion[];
  /** Versions in the order they were put on a channel, the newest last. Those that do not serve are passed over. */
  readonly channels: { readonly [channel: string]: readonly Version[] };
};

/** `authorization.decided`: whether a principal may do something. */
export type AuthorizationDecided = {
  /** Who asked. */
  readonly principal: PrincipalId;
  /** The scope that it takes. */
  readonly action: ScopeName;
  /** What it was about. */
  readonly resource: ResourceName;
  /** Whether it was allowed. */
  readonly allowed: boolean;
  /** Why not; absent when it was allowed. */
  readonly reason?: ReasonLabel;
};

/** `deployment.promoted`: a version has moved one state ahead. */
export type DeploymentPromoted = {
  /** The agent whose version moved. */
  readonly agentId: AgentId;
  /** The version that moved. */
  readonly toVersion: Version;
  /** Where it is now. */
  readonly toState: DeploymentState;
  /** The version that served on the channel before; absent when none did. */
  readonly fromVersion?: Version;
  /** The channel it serves on now; absent while it is not active. */
  readonly channel?: ChannelName;
  /** Its share of the traffic, from 0 to 100; all of it when absent. */
  readonly canaryPercent?: number;
  /** The eval run that was the proof; absent when none was asked for. */
  readonly evalRunId?: RunId;
  /** The gate whose approval it needed; absent when it needed none. */
  readonly approvalGateId?: GateId;
};
/** `deployment.rolled-back`: a version no longer serves, and another one does in its place. */
export type DeploymentRolledBack = {
  /** The agent whose version was rolled back. */
  readonly agentId: AgentId;
  /** The version that no longer serves. */
  readonly fromVersion: Version;
  /** The version that serves in its place. */
  readonly toVersion: Version;
  /** The same, as the record of the first keeps it. */
  readonly rollbackPointer: Version;
  /** Why, as a short label; absent when the caller gave none. */
  readonly reason?: ReasonLabel;
};
/** `deployment.canary.adjusted`: a version's share of the traffic has changed. */
export type DeploymentCanaryAdjusted = {
  /** The agent whose version it is. */
  readonly agentId: AgentId;
  /** The version whose share changed. */
  readonly version: Version;
  /** Its share before, from 0 to 100. */
  readonly fromPercent: number;
  /** Its share now, from 0 to 100. */
  readonly toPercent: number;
};
/** `deployment.state.changed`: a version was paused or deprecated. */
export type DeploymentStateChanged = {
  /** The agent whose version it is. */
  readonly agentId: AgentId;
  /** The version that changed. */
  readonly version: Version;
  /** Where it was. */
  readonly fromState: DeploymentState;
  /** Where it is now. */
  readonly toState: DeploymentState;
};
/** Payloads of the deployment events, by type. */
export type DeploymentPayloads = {
  /** A version has moved one state ahead. */
  'deployment.promoted': DeploymentPromoted;
  /** A version no longer serves. */
  'deployment.rolled-back': DeploymentRolledBack;
  /** A version's share of the traffic has changed. */
  'deployment.canary.adjusted': DeploymentCanaryAdjusted;
  /** A version was paused or deprecated. */
  'deployment.state.changed': DeploymentStateChanged;
};
/** An event that a move writes, before the log gives it a number. */
export type DeploymentEvent = {
  [T in keyof DeploymentPayloads]: { readonly type: T; readonly payload: DeploymentPayloads[T] };
}[keyof DeploymentPayloads];

/** What a transition does, decided and not yet done. */
export type Move = {
  /** What is stored, if nothing has changed since. */
  readonly next: AgentDeployments;
  /** What is told of it. */
  readonly events: readonly DeploymentEvent[];
};
