import type { AgentId, JsonObject } from '@touchstone/protocol';
import type { EventType, Payloads } from '@touchstone/protocol/bodies';

/** How an approval gate counts, and how it may be answered. */
export type GateRule = {
  /** Votes for that open it; one where it is absent. */
  readonly requiredApprovals?: number;
  /** Votes against that close it: one where it is absent. */
  readonly rejectionPolicy?: 'majority';
  /** Answers need a key: no link is made for it. */
  readonly authRequired?: true;
};
/** The event of another system that a node waits for. It has to have every member of the correlation. */
export type AwaitedEvent = {
  readonly kind: 'external-event';
  readonly eventType: string;
  readonly correlation: JsonObject;
  readonly timeoutMs: number;
};

/** A node of a conformance workflow. `delayMs` bounds the input of that name for delaying nodes. */
export type FloorNode = {
  readonly nodeId: string;
  readonly typeId:
    | 'core.noop'
    | 'core.fail'
    | 'core.delay'
    | 'core.approvalGate'
    | 'core.clarificationGate'
    | 'core.interrupt'
    | 'core.subWorkflow'
    | 'core.orchestrator.supervisor'
    | 'core.dispatch'
    | 'core.conformance.mock-agent'
    | 'core.conformance.hold'
    | 'core.conformance.side-effect'
    | 'core.conformance.usage';
  readonly delayMs?: { readonly min: number; readonly max: number; readonly default: number };
  /** Of an approval gate. */
  readonly gate?: GateRule;
  /** Of a node that waits for an event. */
  readonly event?: AwaitedEvent;
  /** The workflow that it starts as a run of its own, and waits for. */
  readonly child?: string;
  /** What it does instead of work: events that are written as they stand here. */
  readonly events?: readonly FloorEvent[];
};
/** `cause` is the place of another event in the same list. */
export type FloorEvent = {
  readonly [T in EventType]: { readonly type: T; readonly payload: Payloads[T]; readonly cause?: number };
}[EventType];
export type FloorWorkflow = {
  readonly workflowId: string;
  readonly name: string;
  /** In the order in which they run. A node that runs again stands here again. */
  readonly nodes: readonly FloorNode[];
  /** Inputs that must be present, all of them strings. */
  readonly requiredInputs?: readonly string[];
  /** Nobody but a test seam runs it, and no list has it. */
  readonly seamOnly?: true;
  /** The agent that decides what the workflow does next. */
  readonly orchestrator?: AgentId;
};
