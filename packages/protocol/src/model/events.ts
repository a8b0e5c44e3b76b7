// Exported from `@touchstone/protocol/bodies`: `agent.*` and `run.started` payloads carry content.

import type { EvalSummary, SummaryTotals } from '../wire/openwop/eval-summary.js';
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
  'run.completed': {
    /** The summary of an eval run, which is stored without its list of tasks; what an agent or a workflow returned. */
    readonly outputs?: EvalSummary | SummaryTotals | Body;
    /** From start to end, in milliseconds, pauses included. */
    readonly durationMs?: number;
  };
  /** Ends the log. The run could not be carried out; a low score is not a failure. */
  'run.failed': {
    /** Why. */
    readonly error: RunError;
    /** The node that failed; absent when the cause is no single node. */
    readonly failedNodeId?: string;
    /** From start to end, in milliseconds, pauses included. */
    readonly durationMs?: number;
  };
  /** Ends the log, because a caller cancelled the run. */
  'run.cancelled': {
    /** Why, in the caller's words; absent when none were given. */
    readonly reason?: string;
    /** The principal who cancelled it. */
    readonly cancelledBy?: string;
    /** From start to end, in milliseconds, pauses included. */
    readonly durationMs?: number;
    /** The run whose end took this one along; absent when this one was cancelled itself. */
    readonly parentRunId?: RunId;
  };
  /** No task is started until `run.resumed`. */
  'run.paused': {
    /** Why, in the caller's words; absent when none were given. */
    readonly reason?: string;
    /** What happens to tasks at work. */
    readonly drainPolicy: DrainPolicy;
  };
  /** Tasks are started again. */
  'run.resumed': {
    /** Why, in the caller's words; absent when none were given. */
    readonly reason?: string;
  };
  /** A step of a workflow begins. */
  'node.started': {
    /** The node's id in its workflow. */
    readonly nodeId: string;
    /** What sort of node it is. */
    readonly typeId: string;
  };
  /** A step of a workflow is done. */
  'node.completed': {
    /** The node that is done. */
    readonly nodeId: string;
    /** What it returned; absent when it returned nothing. */
    readonly outputs?: Body;
    /** How long it took, in milliseconds. */
    readonly durationMs?: number;
  };
  /** A step of a workflow has started another run, and waits for it. */
  'node.dispatched': {
    /** The run that was started. */
    readonly childRunId: string;
    /** Its workflow. */
    readonly childWorkflowId: string;
  };
  /** A step of a workflow could not be done. */
  'node.failed': {
    /** The node that failed. */
    readonly nodeId: string;
    /** A code for programs and a sentence for people. */
    readonly error: { readonly code: string; readonly message: string };
  };
  /** A step waits for people. */
  'node.suspended': {
    /** The node that waits. */
    readonly nodeId: string;
    /** Names the question: a node may ask again. */
    readonly interruptId: string;
    /** What it waits for. */
    readonly kind: InterruptKind;
    /** What the question is called within its node. */
    readonly key: string;
  };
  /** The question that people are asked. */
  'interrupt.requested': {
    /** What is asked for. */
    readonly kind: InterruptKind;
    /** What the question is called within its node; the same key is the same question. */
    readonly key: string;
    /** What is asked, for people. */
    readonly data: Body;
    /** JSON Schema of the answer; absent when any is taken. */
    readonly resumeSchema?: Body;
    /** After that many milliseconds the answer is no; absent when the question waits without limit. */
    readonly timeoutMs?: number;
  };
  /** The answer that counted. */
  'interrupt.resolved': {
    /** The node that asked. */
    readonly nodeId: string;
    /** As in `node.suspended`. */
    readonly interruptId: string;
    /** What was asked for. */
    readonly kind: InterruptKind;
    /** The answer, as it was sent. */
    readonly resumeValue?: Body;
  };
  /** What an approval came to; `timeout` when no answer came in time. */
  'approval.received': {
    /** The node that asked. */
    readonly nodeId: string;
    /** What the approvers decided. */
    readonly action: 'accept' | 'reject' | 'timeout';
    /** The principal whose answer decided; absent after a timeout. */
    readonly decidedBy?: PrincipalId;
    /** When, ISO 8601. */
    readonly decidedAt?: string;
  };
  /** What people answered to a question in words. */
  'clarification.resolved': {
    /** The node that asked. */
    readonly nodeId: string;
    /** The answers, by the id of the question. */
    readonly answers: Body;
    /** The principal who answered. */
    readonly answeredBy?: PrincipalId;
  };
  /** Whether a principal may do what was asked. */
  'authorization.decided': AuthorizationDecided;
  /** One vote for; `quorumProgress` says how many are needed. */
  'approval.granted': {
    /** The gate that asked for approvals. */
    readonly gateId: GateId;
    /** Who agreed. */
    readonly principal: PrincipalId;
    /** How many have agreed, and how many must. */
    readonly quorumProgress?: { readonly granted: number; readonly required: number };
  };
  /** One vote against, which ends the round. */
  'approval.rejected': {
    /** The gate that asked for approvals. */
    readonly gateId: GateId;
    /** Who refused. */
    readonly principal: PrincipalId;
    /** Why, in the approver's words; absent when none were given. */
    readonly reason?: string;
  };
  /** A vote that decides alone; it always has a reason. */
  'approval.overridden': {
    /** The gate that asked for approvals. */
    readonly gateId: GateId;
    /** Who decided. */
    readonly principal: PrincipalId;
    /** Why, in the approver's words. */
    readonly reason: string;
  };
  /** Opens the events of one invocation. */
  'agent.invocation.started': InvocationStarted;
  /** Closes the events of one invocation. */
  'agent.invocation.completed': InvocationCompleted;
  /** What a manifest agent is told before anything else. Its node is the envelope's, repeated because the wire asks for it. */
  'agent.promptResolved': {
    /** The node of the envelope; in an eval run the task. */
    readonly nodeId: string;
    /** The agent that gets the prompt. */
    readonly agentId: AgentId;
    /** Which part of the prompt. */
    readonly kind: 'system';
    /** Where the prompt could come from, and which source was used. */
    readonly chain: readonly {
      /** The place that was looked at. */
      readonly layer: 'agent-intrinsic' | 'host-defaults';
      /** Whether its prompt was used. */
      readonly applied: boolean;
      /** A name of the prompt found there; absent when there was none. */
      readonly source?: string;
    }[];
    /** The prompt itself. */
    readonly resolved: string;
  };
  /** What the agent says it thought. */
  'agent.reasoned': {
    /** The agent that reasoned. */
    readonly agentId: AgentId;
    /** Its words. Content. */
    readonly reasoning: string;
    /** How much of its reasoning this is; absent when the agent does not say. */
    readonly verbosity?: 'summary' | 'full' | 'off';
  };
  /** The agent asked for a tool. */
  'agent.toolCalled': {
    /** The agent that calls. */
    readonly agentId: AgentId;
    /** The tool's id, as `<scope>:<tool>`. */
    readonly toolName: ToolId;
    /** Ties the call to its `agent.toolReturned`. */
    readonly callId: CallId;
    /** What the agent sent to the tool. */
    readonly inputs?: Body;
    /** The agent called the tool itself and told us afterwards; absent when the call was made through this host. */
    readonly observed?: true;
  };
  /** What the tool answered. */
  'agent.toolReturned': {
    /** The agent that called. */
    readonly agentId: AgentId;
    /** The tool's id, as `<scope>:<tool>`. */
    readonly toolName: ToolId;
    /** As in `agent.toolCalled`. */
    readonly callId: CallId;
    /** Whether the tool answered. A call that the allowlist refuses leaves no event. */
    readonly status: 'ok' | 'error';
    /** What the tool answered; absent when it did not. */
    readonly outcome?: Body;
    /** Why there is no answer; absent when there is one. */
    readonly error?: { readonly code: string; readonly message: string };
    /** How long the call took, in milliseconds. */
    readonly durationMs?: number;
    /** As in `agent.toolCalled`. */
    readonly observed?: true;
  };
  /** One agent leaves the rest to another. */
  'agent.handoff': {
    /** The agent that is done. */
    readonly fromAgentId: AgentId;
    /** The agent that goes on. */
    readonly toAgentId: AgentId;
    /** Why; absent when the agent does not say. */
    readonly reason?: string;
  };
  /** What the agent that leads a workflow has decided to do next. */
  'runOrchestrator.decided': {
    /** The agent that leads; the same one throughout the run. */
    readonly agentId: AgentId;
    /** What is next: certain nodes, or the end. */
    readonly decision:
      | { readonly kind: 'next-worker'; readonly nextWorkerIds: readonly string[] }
      | { readonly kind: 'terminate'; readonly reason?: string };
  };
  /** The agent's answer. */
  'agent.decided': {
    /** The agent that answered. */
    readonly agentId: AgentId;
    /** The answer. Content. */
    readonly decision: Body;
    /** How sure the agent says it is, from 0 to 1; absent when it does not say. */
    readonly confidence?: number;
  };
  /** The agent remembered something; what it is stays in the memory. */
  'memory.written': {
    /** The memory that was written to, as `long-term:<agentId>`. */
    readonly memoryRef: string;
    /** The entry's id in that memory. */
    readonly memoryId: string;
    /** The agent that wrote. */
    readonly agentId: AgentId;
    /** The tags of the entry; empty when it has none. */
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

/** What a run may wait for: an approval, an answer in words, or an event of another system. */
export type InterruptKind = 'approval' | 'clarification' | 'external-event';

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
    /** The index, in the same block, of the event that this one follows from; absent when it follows from none. */
    readonly cause?: number;
    /** The event of elsewhere that this one follows from; only where a caller names it. */
    readonly causationId?: EventId;
    /** How long a model call took; only with `provider.usage`, whose payload has no place for it. */
    readonly call?: ModelCallTime;
  };
}[EventType];

/** Whose model call it was, and when. Not on the wire as part of the event: times differ from run to run. */
export type ModelCallTime = {
  /** Who asked the model. */
  readonly by: 'agent' | 'user' | 'judge' | 'embedder';
  /** When the model was asked, in milliseconds since 1970; absent when the agent asked it and told us afterwards. */
  readonly startedAt?: number;
  /** Until it had answered, in milliseconds, without waiting for a place at its provider. */
  readonly durationMs?: number;
};

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

export { eventIdOf } from './ids.js';
