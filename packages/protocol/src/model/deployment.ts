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

/** How far a version of an agent has come. A version that nobody has moved is a draft. */
export const DEPLOYMENT_STATES = [
  'draft',
  'test',
  'staged',
  'active',
  'paused',
  'deprecated',
  'rolled-back',
] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

export const TRANSITIONS = ['promote', 'pause', 'deprecate', 'rollback', 'adjust-canary'] as const;
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

export type TransitionRequest = {
  readonly version: Version;
  readonly transition: Transition;
  readonly toState?: DeploymentState;
  readonly channel?: ChannelName;
  readonly canaryPercent?: number;
  readonly evalRunId?: RunId;
  readonly reason?: ReasonLabel;
};

/** A version that has been moved at least once. */
export type DeployedVersion = {
  readonly version: Version;
  readonly state: DeploymentState;
  /** Of the agent as it was when it last moved forward. Other bytes under the same version do not serve in its name. */
  readonly digest: Digest;
  /** Its share of the traffic of its channels; all of it when absent. */
  readonly canaryPercent?: number;
  readonly rollbackPointer?: Version;
  readonly evalRunId?: RunId;
  readonly approvalGateId?: GateId;
};

/** Everything about one agent's service, changed as a whole: `revision` counts the changes. */
export type AgentDeployments = {
  readonly agentId: AgentId;
  readonly revision: number;
  readonly versions: readonly DeployedVersion[];
  /** Versions in the order they were put on a channel, the newest last. Those that do not serve are passed over. */
  readonly channels: { readonly [channel: string]: readonly Version[] };
};

export type AuthorizationDecided = {
  readonly principal: PrincipalId;
  readonly action: ScopeName;
  readonly resource: ResourceName;
  readonly allowed: boolean;
  readonly reason?: ReasonLabel;
};

export type DeploymentPromoted = {
  readonly agentId: AgentId;
  readonly toVersion: Version;
  readonly toState: DeploymentState;
  readonly fromVersion?: Version;
  readonly channel?: ChannelName;
  readonly canaryPercent?: number;
  readonly evalRunId?: RunId;
  readonly approvalGateId?: GateId;
};
export type DeploymentRolledBack = {
  readonly agentId: AgentId;
  readonly fromVersion: Version;
  readonly toVersion: Version;
  readonly rollbackPointer: Version;
  readonly reason?: ReasonLabel;
};
export type DeploymentCanaryAdjusted = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly fromPercent: number;
  readonly toPercent: number;
};
export type DeploymentStateChanged = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly fromState: DeploymentState;
  readonly toState: DeploymentState;
};
export type DeploymentPayloads = {
  'deployment.promoted': DeploymentPromoted;
  'deployment.rolled-back': DeploymentRolledBack;
  'deployment.canary.adjusted': DeploymentCanaryAdjusted;
  'deployment.state.changed': DeploymentStateChanged;
};
export type DeploymentEvent = {
  [T in keyof DeploymentPayloads]: { readonly type: T; readonly payload: DeploymentPayloads[T] };
}[keyof DeploymentPayloads];

/** What a transition does, decided and not yet done. */
export type Move = { readonly next: AgentDeployments; readonly events: readonly DeploymentEvent[] };
