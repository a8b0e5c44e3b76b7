// Part of the bodies door: `agent.*` and `run.started` payloads carry content.

import type { EvalSummary } from '../wire/openwop/eval-summary.js';
import type { Body } from './body.js';
import type { AuthorizationDecided, DeploymentPayloads } from './deployment.js';
import type { RunError } from './errors.js';
import type {
  CapBreached,
  EvalCompleted,
  EvalScored,
  EvalStarted,
  InvocationCompleted,
  InvocationStarted,
  ProviderUsage,
  ReplayDiverged,
} from './facts.js';
import type { AgentId, CallId, EventId, GateId, PrincipalId, RunId, ToolId } from './ids.js';
import type { Owner } from './owner.js';

/** Every event this host writes, with its payload. The log holds nothing else. */
export type Payloads = {
  'run.started': {
    readonly workflowId: string;
    readonly inputs?: Body;
    readonly transport?: 'rest';
    readonly engineVersion?: string;
    readonly owner?: Owner & { readonly principal: string };
    readonly tags?: readonly string[];
    readonly metadata?: Body;
  };
  'run.completed': { readonly outputs?: EvalSummary | Body; readonly durationMs?: number };
  'run.failed': { readonly error: RunError; readonly failedNodeId?: string; readonly durationMs?: number };
  'run.cancelled': { readonly reason?: string; readonly cancelledBy?: string; readonly durationMs?: number };
  'run.paused': { readonly reason?: string; readonly drainPolicy: DrainPolicy };
  'run.resumed': { readonly reason?: string };
  'node.started': { readonly nodeId: string; readonly typeId: string };
  'node.completed': { readonly nodeId: string; readonly outputs?: Body; readonly durationMs?: number };
  'node.failed': {
    readonly nodeId: string;
    readonly error: { readonly code: string; readonly message: string };
  };
  'node.suspended': {
    readonly nodeId: string;
    readonly interruptId: string;
    readonly kind: InterruptKind;
    readonly key: string;
  };
  'interrupt.requested': {
    readonly kind: InterruptKind;
    readonly key: string;
    readonly data: Body;
    readonly resumeSchema?: Body;
    readonly timeoutMs?: number;
  };
  'interrupt.resolved': {
    readonly nodeId: string;
    readonly interruptId: string;
    readonly kind: InterruptKind;
    readonly resumeValue?: Body;
  };
  'approval.received': {
    readonly nodeId: string;
    readonly action: 'accept' | 'reject' | 'timeout';
    readonly decidedBy?: PrincipalId;
    readonly decidedAt?: string;
  };
  'clarification.resolved': {
    readonly nodeId: string;
    readonly answers: Body;
    readonly answeredBy?: PrincipalId;
  };
  'authorization.decided': AuthorizationDecided;
  'approval.granted': {
    readonly gateId: GateId;
    readonly principal: PrincipalId;
    readonly quorumProgress?: { readonly granted: number; readonly required: number };
  };
  'approval.rejected': { readonly gateId: GateId; readonly principal: PrincipalId; readonly reason?: string };
  'approval.overridden': {
    readonly gateId: GateId;
    readonly principal: PrincipalId;
    readonly reason: string;
  };
  'agent.invocation.started': InvocationStarted;
  'agent.invocation.completed': InvocationCompleted;
  /** What a manifest agent is told before anything else. Its node is the envelope's, repeated because the wire asks for it. */
  'agent.promptResolved': {
    readonly nodeId: string;
    readonly agentId: AgentId;
    readonly kind: 'system';
    readonly chain: readonly {
      readonly layer: 'agent-intrinsic' | 'host-defaults';
      readonly applied: boolean;
      readonly source?: string;
    }[];
    readonly resolved: string;
  };
  'agent.reasoned': {
    readonly agentId: AgentId;
    readonly reasoning: string;
    readonly verbosity?: 'summary' | 'full' | 'off';
  };
  'agent.toolCalled': {
    readonly agentId: AgentId;
    readonly toolName: ToolId;
    readonly callId: CallId;
    readonly inputs?: Body;
  };
  'agent.toolReturned': {
    readonly agentId: AgentId;
    readonly toolName: ToolId;
    readonly callId: CallId;
    readonly status: 'ok' | 'error';
    readonly outcome?: Body;
    readonly error?: { readonly code: string; readonly message: string };
    readonly durationMs?: number;
  };
  'agent.decided': { readonly agentId: AgentId; readonly decision: Body; readonly confidence?: number };
  'memory.written': {
    readonly memoryRef: string;
    readonly memoryId: string;
    readonly agentId: AgentId;
    readonly tags: readonly string[];
  };
  'provider.usage': ProviderUsage;
  'eval.started': EvalStarted;
  'eval.scored': EvalScored;
  'eval.completed': EvalCompleted;
  'cap.breached': CapBreached;
  'replay.diverged': ReplayDiverged;
} & DeploymentPayloads;

/** What a run may ask of people. */
export type InterruptKind = 'approval' | 'clarification';

export type DrainPolicy = 'immediate' | 'drain-current-node';
export type EventType = keyof Payloads;

/**
 * An event that has happened and has no number yet. `cause` is the index, inside the same block, of the event it
 * follows from; the log turns it into that event's id when the block is read.
 */
export type NewEvent = {
  [T in EventType]: {
    readonly type: T;
    readonly at: number;
    readonly payload: Payloads[T];
    readonly nodeId?: string;
    readonly cause?: number;
  };
}[EventType];

/** An event as clients read it. */
export type RunEvent = {
  readonly eventId: EventId;
  readonly runId: RunId;
  readonly type: EventType;
  readonly payload: Payloads[EventType];
  readonly timestamp: string;
  readonly sequence: number;
  readonly nodeId?: string;
  readonly schemaVersion: 1;
  readonly engineVersion: string;
  readonly causationId?: EventId;
};

export const TERMINAL_EVENTS: ReadonlySet<EventType> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
]);

/** Ids are derived, so they are new in every run, need no storage, and the number can be read back from the id. */
export const eventIdOf = (runId: RunId, sequence: number): EventId => `${runId}:${sequence}` as EventId;
