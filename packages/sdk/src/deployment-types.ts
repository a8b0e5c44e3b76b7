import type {
  DeploymentRecord,
  DeploymentState,
  Json,
  JsonObject,
  RunId,
  RunStatus,
  Transition,
} from '@touchstone/protocol';

/** One version of an agent, in service or on its way there. */
export type Deployment = DeploymentRecord;

/** Body of `POST /v1/agents/{agentId}/deployments`. */
export type TransitionDeployment = {
  readonly version: string;
  readonly transition: Transition;
  readonly toState?: DeploymentState;
  readonly channel?: string;
  readonly canaryPercent?: number;
  readonly evalRunId?: string;
  readonly reason?: string;
};

export type TransitionedDeployment = {
  /** After the move; as it still is while people are asked. */
  readonly record: Deployment;
  /** The run that tells of it; another kind of host may not name it. */
  readonly runId?: RunId;
  /** Present while people are asked: what the run waits for. */
  readonly waiting?: RunStatus;
};

/** That an answer counts, and what the run does now. */
export type ResolvedInterrupt = {
  readonly runId: RunId;
  readonly nodeId: string;
  readonly status: RunStatus;
};

export type NewInterruptToken = { readonly intent?: 'resolve' | 'inspect'; readonly expiresInSec?: number };
/** A link that stands for whoever made it. */
export type InterruptToken = {
  readonly token: string;
  readonly url: string;
  readonly intent: 'resolve' | 'inspect';
  readonly expiresAt: string;
};

/** A question that a run has asked and waits on. */
export type InterruptQuestion = {
  readonly runId: RunId;
  readonly nodeId: string;
  readonly interruptId: string;
  readonly kind: 'approval' | 'clarification';
  readonly key: string;
  readonly data: Json;
  readonly resumeSchema?: JsonObject;
  readonly requestedAt: string;
  /** After this moment the answer is no. */
  readonly deadline?: string;
  readonly intent: 'resolve' | 'inspect';
  /** Of the link. */
  readonly expiresAt: string;
};

/** Whether an audit log is unbroken. A log that has lost its end is: keep the head elsewhere to notice. */
export type AuditVerdict = {
  readonly valid: boolean;
  /** How many records fit, up to the first that does not. */
  readonly records: number;
  /** The digest of the last record that fits. */
  readonly head: string;
  readonly trouble?: { readonly seq: number; readonly why: 'gap' | 'previous' | 'digest' };
};

/** Someone asked for something, and was let or not. */
export type AuditEntry = {
  readonly seq: number;
  readonly at: string;
  readonly principal: string;
  readonly action: string;
  readonly resource: string;
  readonly allowed: boolean;
  readonly reason?: string;
  readonly runId?: RunId;
  readonly previous: string;
  readonly digest: string;
};

/** A deployment is bound to the digest of the agent and not only to its version. */
export type AgentVersion = {
  readonly version: string;
  /** Of the agent that the host has under this version now; absent when it has none. */
  readonly digest?: string;
  /** Of the agent that was deployed under this version. */
  readonly deployedDigest?: string;
};
