import { HostError, type WorkflowPlan } from '@touchstone/protocol';
import { fromBody, type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import { createRecorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import { FLOOR_WORKFLOWS, type FloorNode, type FloorWorkflow } from './floor-workflows.js';
import type { Closing, Executed, Program } from './run-kind.js';

/** The floor fixtures, one node after another. Not a workflow engine: there is nothing here but what they need. */
export async function openWorkflowProgram(parts: Parts, run: Run, plan: WorkflowPlan): Promise<Program> {
  const workflow = workflowOf(plan);
  return {
    steps: workflow.nodes.length,
    ordinalAt: (position) => position,
    repeats: 1,
    concurrency: 1,
    opening: () => [],
    execute: (ordinal, _repeat, _purse, signal) =>
      executeNode(parts, run, ordinal, workflow.nodes[ordinal] as FloorNode, signal),
    result: () => undefined,
    closing: () => workflowClosing(parts, run, plan),
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
): Promise<Executed> {
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
  const asked = (inputs as { readonly delayMs?: unknown }).delayMs;
  return typeof asked === 'number' ? asked : (node.delayMs?.default ?? 0);
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
