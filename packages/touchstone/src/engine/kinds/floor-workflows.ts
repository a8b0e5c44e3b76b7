/** A node of a conformance workflow. `delayMs` bounds the input of that name for delaying nodes. */
export type FloorNode = {
  readonly nodeId: string;
  readonly typeId: 'core.noop' | 'core.fail' | 'core.delay' | 'core.approvalGate' | 'core.clarificationGate';
  readonly delayMs?: { readonly min: number; readonly max: number; readonly default: number };
};
export type FloorWorkflow = {
  readonly workflowId: string;
  readonly name: string;
  readonly nodes: readonly FloorNode[];
  /** Inputs that must be present, all of them strings. */
  readonly requiredInputs?: readonly string[];
};

const noop: FloorNode = { nodeId: 'noop', typeId: 'core.noop' };

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
  {
    workflowId: 'conformance-approval',
    name: 'Asks for an approval',
    nodes: [{ nodeId: 'gate', typeId: 'core.approvalGate' }],
  },
  {
    workflowId: 'conformance-clarification',
    name: 'Asks a question',
    nodes: [{ nodeId: 'ask', typeId: 'core.clarificationGate' }],
  },
];
