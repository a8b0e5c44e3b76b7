import { DECISIONS, REASONING, SUPERVISOR } from './floor-events.js';
import type { FloorNode, FloorWorkflow } from './floor-nodes.js';

const noop: FloorNode = { nodeId: 'noop', typeId: 'core.noop' };
const gate: FloorNode = { nodeId: 'gate', typeId: 'core.approvalGate' };
const CHILD = 'conformance-interrupt-parent-child-cancel-child';
/** What it records is in its inputs, where a seam has put it. */
export const USAGE_WORKFLOW = 'conformance-provider-usage';
const supervisor = { nodeId: 'supervisor', typeId: 'core.orchestrator.supervisor' } as const;

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
  {
    workflowId: 'conformance-interrupt-parent-child-cancel',
    name: 'Starts another workflow and waits for it',
    nodes: [{ nodeId: 'child', typeId: 'core.subWorkflow', child: CHILD }],
  },
  {
    workflowId: CHILD,
    name: 'Asks for an approval, within another',
    nodes: [{ ...gate, nodeId: 'child-gate' }],
  },
  {
    workflowId: 'conformance-agent-reasoning',
    name: 'Tells of an agent at work',
    nodes: [{ nodeId: 'reasoner', typeId: 'core.conformance.mock-agent', events: REASONING }],
  },
  {
    workflowId: 'conformance-dispatch-loop',
    name: 'Has a supervisor decide what is next',
    nodes: [
      { ...supervisor, events: DECISIONS.work },
      { nodeId: 'dispatch', typeId: 'core.dispatch' },
      { nodeId: 'worker', typeId: 'core.noop' },
      { ...supervisor, events: DECISIONS.end },
    ],
    orchestrator: SUPERVISOR,
  },
  {
    workflowId: 'conformance-replay-side-effect',
    name: 'Waits, and then has an effect',
    nodes: [
      {
        nodeId: 'wait',
        typeId: 'core.conformance.hold',
        delayMs: { min: 1, max: 60_000, default: 30_000 },
      },
      { nodeId: 'effect', typeId: 'core.conformance.side-effect' },
    ],
  },
  {
    workflowId: USAGE_WORKFLOW,
    name: 'Records a model call',
    nodes: [{ nodeId: 'usage', typeId: 'core.conformance.usage' }],
    seamOnly: true,
  },
];

export const floorWorkflow = (workflowId: string): FloorWorkflow | undefined =>
  FLOOR_WORKFLOWS.find((one) => one.workflowId === workflowId);
