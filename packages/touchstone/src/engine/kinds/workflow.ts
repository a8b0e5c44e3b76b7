import { defined, type EventId, HostError, type RunError, type WorkflowPlan } from '@touchstone/protocol';
import { fromBody, type NewEvent, type Payloads, toBody } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import { createRecorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import type { FloorNode, FloorWorkflow } from './floor-nodes.js';
import { floorWorkflow } from './floor-workflows.js';
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
  const workflow = floorWorkflow(workflowId);
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
  if (node.delayMs) await parts.clock.sleep(delayOf(run, node), signal);
  for (const { type, payload, cause } of node.events ?? [])
    recorder.add(type, payload as never, cause === undefined ? undefined : cause + 1);
  const usage = node.typeId === 'core.conformance.usage' ? [usageOf(run, parts.clock.now())] : [];
  const error = errorOf(run, node);
  if (node.typeId === EFFECT && !error) parts.log.info('workflow.effect', { runId: run.runId });
  if (error) recorder.add('node.failed', { nodeId: node.nodeId, error });
  else
    recorder.add('node.completed', {
      nodeId: node.nodeId,
      durationMs: Math.round(parts.clock.elapsed() - startedAt),
    });
  const [started, ...rest] = recorder.events as [NewEvent, ...NewEvent[]];
  const events = [started, ...usage, ...rest];
  return { record: { ordinal, repeat: 0, events }, halt: error !== undefined };
}

/** Its effect is a line in the operator's log: outside the run, and of no harm. */
const EFFECT = 'core.conformance.side-effect';

/** Whether a run does something outside its log. A replay of it may not. */
export const hasEffect = ({ workflowId }: WorkflowPlan): boolean =>
  floorWorkflow(workflowId)?.nodes.some(({ typeId }) => typeId === EFFECT) ?? false;

function errorOf({ plan }: Run, { typeId }: FloorNode): RunError | undefined {
  if (typeId === 'core.fail') return { code: 'node_failed', message: 'The node fails by design.' };
  if (typeId !== EFFECT || plan.fork?.mode !== 'replay') return undefined;
  const message = 'The source recorded no outcome of this node, and a replay does not repeat effects.';
  return { code: 'replay_source_missing', message };
}

const inputsOf = ({ request }: Run): object =>
  request.inputs === undefined ? {} : (fromBody(request.inputs) as object);

/** The seam has checked them. */
type UsageInputs = {
  readonly usage: Payloads['provider.usage'];
  readonly correlationId?: EventId;
  readonly nodeId?: string;
};

function usageOf(run: Run, at: number): NewEvent {
  const { usage, correlationId: causationId, nodeId } = inputsOf(run) as UsageInputs;
  return { type: 'provider.usage', at, payload: usage, ...defined({ nodeId, causationId }) } as NewEvent;
}

function delayOf(run: Run, node: FloorNode): number {
  const { delayMs } = inputsOf(run) as { readonly delayMs?: unknown };
  return typeof delayMs === 'number' ? delayMs : (node.delayMs?.default ?? 0);
}

export async function workflowClosing(parts: Parts, run: Run, plan: WorkflowPlan): Promise<Closing> {
  for (const [ordinal, node] of workflowOf(plan).nodes.entries()) {
    const [record] = await parts.store.log.records(run.owner, run.runId, ordinal);
    const last = record?.events.at(-1) as NewEvent | undefined;
    if (last?.type === 'node.failed')
      return { events: [], error: last.payload.error as RunError, failedNodeId: node.nodeId };
  }
  return { events: [], outputs: toBody({}) };
}
