import { FLOOR_WORKFLOWS, type FloorNode, type FloorWorkflow } from '../../engine/index.js';

export { USAGE_WORKFLOW } from '../../engine/index.js';

function definitionOf(workflow: FloorWorkflow) {
  return {
    id: workflow.workflowId,
    name: workflow.name,
    version: '1.0.0',
    nodes: onceEach(workflow.nodes).map(nodeOf),
    edges: edgesOf(workflow.nodes),
    triggers: [{ id: 'manual', type: 'manual' }],
    variables: [
      ...(workflow.requiredInputs ?? []).map(requiredText),
      ...workflow.nodes.flatMap(delayVariable),
    ],
    metadata: { tags: ['conformance'] },
    settings: {},
  };
}

const onceEach = (nodes: readonly FloorNode[]): readonly FloorNode[] =>
  nodes.filter(({ nodeId }, at) => nodes.findIndex((one) => one.nodeId === nodeId) === at);

/** From each node to the one that runs after it. */
const edgesOf = (nodes: readonly FloorNode[]) =>
  nodes.slice(1).map(({ nodeId }, at) => {
    const before = nodes[at]?.nodeId ?? '';
    return { id: `${before}-${nodeId}`, sourceNodeId: before, targetNodeId: nodeId };
  });

const WAITS = { waitForCompletion: true, onChildFailure: 'fail-parent' };

const nodeOf = ({ nodeId, typeId, delayMs, gate, event, child }: FloorNode) => ({
  id: nodeId,
  typeId,
  name: nodeId,
  position: { x: 0, y: 0 },
  config: { ...gate, ...event, ...(child !== undefined && { workflowId: child, ...WAITS }) },
  inputs: delayMs ? { delayMs: { type: 'variable', variableName: 'delayMs', optional: true } } : {},
});

const requiredText = (name: string) => ({ name, type: 'string', required: true });

const delayVariable = ({ delayMs }: FloorNode) =>
  delayMs
    ? [
        {
          name: 'delayMs',
          type: 'number',
          defaultValue: delayMs.default,
          description: `Milliseconds, ${delayMs.min} to ${delayMs.max}.`,
        },
      ]
    : [];

const OFFERED = FLOOR_WORKFLOWS.filter(({ seamOnly }) => !seamOnly);

/** The workflows this host can run, as the protocol writes a workflow down. The engine's own list is the source. */
export const WORKFLOW_DEFINITIONS = OFFERED.map(definitionOf);
export const FIXTURE_WORKFLOWS: readonly string[] = OFFERED.map(({ workflowId }) => workflowId);
