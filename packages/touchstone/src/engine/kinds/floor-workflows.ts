import type { JsonObject } from '@touchstone/protocol';

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
    | 'core.interrupt';
  readonly delayMs?: { readonly min: number; readonly max: number; readonly default: number };
  /** Of an approval gate. */
  readonly gate?: GateRule;
  /** Of a node that waits for an event. */
  readonly event?: AwaitedEvent;
};
export type FloorWorkflow = {
  readonly workflowId: string;
  readonly name: string;
  readonly nodes: readonly FloorNode[];
  /** Inputs that must be present, all of them strings. */
  readonly requiredInputs?: readonly string[];
};

const noop: FloorNode = { nodeId: 'noop', typeId: 'core.noop' };
const gate: FloorNode = { nodeId: 'gate', typeId: 'core.approvalGate' };

/** The workflows every OpenWOP host offers so that its run surface can be checked. They exist for nothing else. */
export const FLOOR_WORKFLOWS: readonly FloorWorkflow[] = [
  { workflowId: 'conformance-noop', name: 'Does nothing', nodes: [noop] },
  { workflowId: 'conformance-failure', name: 'Fails', nodes: [{ nodeId: 'fail', typeId: 'core.fail' }] },
  {
    workflowId: 'conformance-idempotent',
    name: 'Does nothing, with a nonce',
    nodes: [noop],
    requiredInputs: ['nonce'],
  },
  {
    workflowId: 'conformance-delay',
    name: 'Waits',
    nodes: [{ nodeId: 'wait', typeId: 'core.delay', delayMs: { min: 0, max: 30_000, default: 1_000 } }],
  },
  {
    workflowId: 'conformance-cancellable',
    name: 'Waits long enough to be cancelled',
    nodes: [{ nodeId: 'wait', typeId: 'core.delay', delayMs: { min: 1, max: 60_000, default: 30_000 } }],
  },
  { workflowId: 'conformance-approval', name: 'Asks for an approval', nodes: [gate] },
  {
    workflowId: 'conformance-clarification',
    name: 'Asks a question',
    nodes: [{ nodeId: 'ask', typeId: 'core.clarificationGate' }],
  },
  {
    workflowId: 'conformance-interrupt-quorum',
    name: 'Asks for three approvals',
    nodes: [{ ...gate, gate: { requiredApprovals: 3, rejectionPolicy: 'majority' } }],
  },
  {
    workflowId: 'conformance-interrupt-auth-required',
    name: 'Asks for an approval that needs a key',
    nodes: [{ ...gate, gate: { authRequired: true } }],
  },
  {
    workflowId: 'conformance-interrupt-external-event',
    name: 'Waits for an event of another system',
    nodes: [
      {
        nodeId: 'wait-for-event',
        typeId: 'core.interrupt',
        event: {
          kind: 'external-event',
          eventType: 'conformance.order.completed',
          correlation: { orderId: 'fixture-order-1', status: 'completed' },
          timeoutMs: 60_000,
        },
      },
    ],
  },
];
