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
  /** The run has left `pending`. */
  'run.started': {
    /** What it executes; the suite of an eval run, the agent of an agent run. */
    readonly workflowId: string;
    /** What the caller sent along. */
    readonly inputs?: Body;
    /** How the run was asked for. */
    readonly transport?: 'rest';
    /** The engine that started it. */
    readonly engineVersion?: string;
    /** Whose run it is, and who created it. */
    readonly owner?: Owner & { readonly principal: string };
    /** The caller's words to find it by. */
    readonly tags?: readonly string[];
    /** The caller's own, kept and given back. */
    readonly metadata?: Body;
  };
  /** Ends the log. An eval run's `outputs` are its summary. */
  'run.completed': { readonly outputs?: EvalSummary | Body; readonly durationMs?: number };
  /** Ends the log. The run could not be carried out; a low score is not a failure. */
  'run.failed': { readonly error: RunError; readonly failedNodeId?: string; readonly durationMs?: number };
  /** Ends the log, at the wish of a caller. */
  'run.cancelled': { readonly reason?: string; readonly cancelledBy?: string; readonly durationMs?: number };
  /** No task is started until `run.resumed`. */
  'run.paused': { readonly reason?: string; readonly drainPolicy: DrainPolicy };
  /** Tasks are started again. */
  'run.resumed': { readonly reason?: string };
  /** A step of a workflow begins. */
  'node.started': { readonly nodeId: string; readonly typeId: string };
  /** A step of a workflow is done. */
  'node.completed': { readonly nodeId: string; readonly outputs?: Body; readonly durationMs?: number };
  /** A step of a workflow could not be done. */
  'node.failed': {
    readonly nodeId: string;
    readonly error: { readonly code: string; readonly message: string };
  };
  /** A step waits for people. */
  'node.suspended': {
    readonly nodeId: string;
    /** Names the question: a node may ask again. */
    readonly interruptId: string;
    readonly kind: InterruptKind;
    /** What the question is called within its node. */
    readonly key: string;
  };
  /** The question that people are asked. */
  'interrupt.requested': {
    readonly kind: InterruptKind;
    readonly key: string;
    /** What is asked, for people. */
    readonly data: Body;
    /** JSON Schema of the answer. */
    readonly resumeSchema?: Body;
    /** After this long the answer is no. */
    readonly timeoutMs?: number;
  };
  /** The answer that counted. */
  'interrupt.resolved': {
    readonly nodeId: string;
    readonly interruptId: string;
    readonly kind: InterruptKind;
    /** The answer, as it was sent. */
    readonly resumeValue?: Body;
  };
  /** What an approval came to; `timeout` when no answer came in time. */
  'approval.received': {
    readonly nodeId: string;
    readonly action: 'accept' | 'reject' | 'timeout';
    readonly decidedBy?: PrincipalId;
    readonly decidedAt?: string;
  };
  /** What people answered to a question in words. */
  'clarification.resolved': {
    readonly nodeId: string;
    readonly answers: Body;
    readonly answeredBy?: PrincipalId;
  };
  /** Whether a principal may do what was asked. */
  'authorization.decided': AuthorizationDecided;
  /** One vote for; `quorumProgress` says how many are needed. */
  'approval.granted': {
    readonly gateId: GateId;
    readonly principal: PrincipalId;
    readonly quorumProgress?: { readonly granted: number; readonly required: number };
  };
  /** One vote against, which ends the round. */
  'approval.rejected': { readonly gateId: GateId; readonly principal: PrincipalId; readonly reason?: string };
  /** A vote that decides alone; it always has a reason. */
  'approval.overridden': {
    readonly gateId: GateId;
    readonly principal: PrincipalId;
    readonly reason: string;
  };
  /** Opens the events of one invocation. */
  'agent.invocation.started': InvocationStarted;
  /** Closes the events of one invocation. */
  'agent.invocation.completed': InvocationCompleted;
  /** What a manifest agent is told before anything else. Its node is the envelope's, repeated because the wire asks for it. */
  'agent.promptResolved': {
    readonly nodeId: string;
    readonly agentId: AgentId;
    readonly kind: 'system';
    /** Where the prompt could come from, and which source was used. */
    readonly chain: readonly {
      readonly layer: 'agent-intrinsic' | 'host-defaults';
      readonly applied: boolean;
      readonly source?: string;
    }[];
    /** The prompt itself. */
    readonly resolved: string;
  };
  /** What the agent says it thought. */
  'agent.reasoned': {
    readonly agentId: AgentId;
    readonly reasoning: string;
    readonly verbosity?: 'summary' | 'full' | 'off';
  };
  /** The agent asked for a tool. */
  'agent.toolCalled': {
    readonly agentId: AgentId;
    readonly toolName: ToolId;
    readonly callId: CallId;
    readonly inputs?: Body;
  };
  /** What the tool answered. */
  'agent.toolReturned': {
    readonly agentId: AgentId;
    readonly toolName: ToolId;
    readonly callId: CallId;
    readonly status: 'ok' | 'error';
    readonly outcome?: Body;
    readonly error?: { readonly code: string; readonly message: string };
    /** How long the call took. */
    readonly durationMs?: number;
  };
  /** The agent's answer. */
  'agent.decided': { readonly agentId: AgentId; readonly decision: Body; readonly confidence?: number };
  /** The agent remembered something; what it is stays in the memory. */
  'memory.written': {
    readonly memoryRef: string;
    readonly memoryId: string;
    readonly agentId: AgentId;
    readonly tags: readonly string[];
  };
  /** One model call, with its tokens and cost. */
  'provider.usage': ProviderUsage;
  /** The suite is bound and its tasks are selected. */
  'eval.started': EvalStarted;
  /** One task has its result. */
  'eval.scored': EvalScored;
  /** Every selected task has its result. */
  'eval.completed': EvalCompleted;
  /** A limit was reached, and ends the run. */
  'cap.breached': CapBreached;
  /** A replay came out differently than it was recorded. */
  'replay.diverged': ReplayDiverged;
} & DeploymentPayloads;

/** What a run may ask of people. */
export type InterruptKind = 'approval' | 'clarification';

/** What a pause does with tasks at work: gives them up, or lets them finish. */
export type DrainPolicy = 'immediate' | 'drain-current-node';
/** The name of an event, as `noun.pastVerb`. */
export type EventType = keyof Payloads;

/**
 * An event that has happened and has no number yet. `cause` is the index, inside the same block, of the event it
 * follows from; the log turns it into that event's id when the block is read.
 */
export type NewEvent = {
  [T in EventType]: {
    /** What happened. */
    readonly type: T;
    /** When it happened, in milliseconds since 1970. */
    readonly at: number;
    /** The facts; their shape follows from the type. */
    readonly payload: Payloads[T];
    /** The node it belongs to; in an eval run, the task. */
    readonly nodeId?: string;
    readonly cause?: number;
  };
}[EventType];

/** An event as clients read it. */
export type RunEvent = {
  /** Unique; made from the run id and the sequence. */
  readonly eventId: EventId;
  /** The run it happened in. */
  readonly runId: RunId;
  /** What happened. */
  readonly type: EventType;
  /** The facts; their shape follows from the type. */
  readonly payload: Payloads[EventType];
  /** When it happened, ISO 8601. Only the sequence orders events. */
  readonly timestamp: string;
  /** Its place in the run, from 0, without gaps. */
  readonly sequence: number;
  /** The node it belongs to; in an eval run, the task. */
  readonly nodeId?: string;
  /** Of the payload shapes. */
  readonly schemaVersion: 1;
  /** The engine that wrote it. */
  readonly engineVersion: string;
  /** The event that this one follows from; absent when it follows from none. */
  readonly causationId?: EventId;
};

/** Those that end a log. Each log has exactly one of them, as its last event. */
export const TERMINAL_EVENTS: ReadonlySet<EventType> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
]);

/** Ids are derived, so they are new in every run, need no storage, and the number can be read back from the id. */
export const eventIdOf = (runId: RunId, sequence: number): EventId => `${runId}:${sequence}` as EventId;
