import { HostError, type WorkflowPlan } from '@touchstone/protocol';
import { fromBody, type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import { createRecorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import { FLOOR_WORKFLOWS, type FloorNode, type FloorWorkflow } from './floor-workflows.js';
import type { Closing, ExecutionResult, Executor, RunKind } from './run-kind.js';

/** The conformance workflows, one node after another. Not a workflow engine: it does only what they need. */
export const workflowRun = (parts: Parts, run: Run, plan: WorkflowPlan): RunKind => ({
  steps: workflowOf(plan).nodes.length,
  ordinalAt: (position) => position,
  repeats: 1,
  concurrency: 1,
  opening: () => [],
  result: () => undefined,
  closing: () => workflowClosing(parts, run, plan),
});

export function openWorkflowExecutor(parts: Parts, run: Run, plan: WorkflowPlan): Executor {
  const { nodes } = workflowOf(plan);
  return {
    execute: ({ ordinal }, signal) => executeNode(parts, run, ordinal, nodes[ordinal] as FloorNode, signal),
    close: async () => undefined,
  };
}

function workflowOf({ workflowId }: WorkflowPlan): FloorWorkflow {
  const workflow = FLOOR_WORKFLOWS.find((candidate) => candidate.workflowId === workflowId);
  if (!workflow) throw new HostError('not_found', `Workflow ${workflowId} does not exist on this host.`);
  return workflow;
}

async function executeNode(
  parts: Parts,
  run: Run,
  ordinal: number,
  node: FloorNode,
  signal: AbortSignal,
): Promise<ExecutionResult> {
  const recorder = createRecorder(node.nodeId, parts.clock, parts.redact);
  const startedAt = parts.clock.elapsed();
  recorder.add('node.started', { nodeId: node.nodeId, typeId: node.typeId });
  if (node.typeId === 'core.delay') await parts.clock.sleep(delayOf(run, node), signal);
  const failed = node.typeId === 'core.fail';
  if (failed) recorder.add('node.failed', { nodeId: node.nodeId, error: NODE_ERROR });
  else
    recorder.add('node.completed', {
      nodeId: node.nodeId,
      durationMs: Math.round(parts.clock.elapsed() - startedAt),
    });
  return { record: { ordinal, repeat: 0, events: recorder.events }, halt: failed };
}

const NODE_ERROR = { code: 'node_failed', message: 'The node fails by design.' };

function delayOf(run: Run, node: FloorNode): number {
  const inputs = run.request.inputs === undefined ? {} : fromBody(run.request.inputs);
  const { delayMs } = inputs as { readonly delayMs?: unknown };
  return typeof delayMs === 'number' ? delayMs : (node.delayMs?.default ?? 0);
}

export async function workflowClosing(parts: Parts, run: Run, plan: WorkflowPlan): Promise<Closing> {
  for (const [ordinal, node] of workflowOf(plan).nodes.entries()) {
    const [record] = await parts.store.log.records(run.owner, run.runId, ordinal);
    const last = record?.events.at(-1) as NewEvent | undefined;
    if (last?.type === 'node.failed') {
      return {
        events: [],
        error: { code: 'node_failed', message: NODE_ERROR.message },
        failedNodeId: node.nodeId,
      };
    }
  }
  return { events: [], outputs: toBody({}) };
}
