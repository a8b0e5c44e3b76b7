import { asId, isTerminal, type RunId, type RunStatus, type WorkflowPlan } from '@touchstone/protocol';
import { type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import type { FloorNode } from '../kinds/floor-nodes.js';
import { floorWorkflow } from '../kinds/floor-workflows.js';
import { completion, failure } from '../log/endings.js';
import { ENGINE_VERSION, type Parts } from '../parts.js';
import { CANCELLABLE } from '../run/watching.js';
import { type ApprovalFlow, type LogStep, RESUMED, waiting } from './approval-flow.js';
import { eventsOf } from './history.js';

/** The end of the child wakes its parent; should that be missed, the parent looks by itself. */
const LOOK_MS = 60_000;

export type ChildNode = FloorNode & { readonly child: string };
export const hasChild = (node: FloorNode): node is ChildNode => node.child !== undefined;

export const startsChild = ({ workflowId }: WorkflowPlan): boolean =>
  floorWorkflow(workflowId)?.nodes.some(hasChild) ?? false;

/** Derived, so that a parent that begins twice has one child. */
export const childIdOf = (parent: RunId): RunId => asId<RunId>(`${parent}-child`);

/** The conformance workflow whose one node is another run: it begins that run and ends as that one does. */
export function openChildFlow(parts: Parts, run: Run, node: ChildNode): ApprovalFlow {
  const { nodeId } = node;
  return {
    async next(history, now) {
      if (eventsOf(history, 'node.completed').length > 0)
        return completion(run, { events: [], outputs: toBody({}) }, now);
      const [dispatched] = eventsOf(history, 'node.dispatched');
      if (!dispatched) return begin(parts, run, node, now);
      const child = await parts.store.runs.get(run.owner, asId<RunId>(dispatched.payload.childRunId));
      if (!child || isTerminal(child.status)) return end(run, nodeId, child?.status, now);
      return { events: [], run: waitingFor(run, nodeId, now) };
    },
    answer: () => ({ refusal: new Error('A run that waits for its child asks nobody.') }),
    async letGo(by) {
      await parts.store.runs.request(run.owner, childIdOf(run.runId), {
        from: CANCELLABLE,
        status: 'cancelling',
        control: { kind: 'cancel', by, reason: 'parent-cancelled', parentRunId: run.runId },
      });
    },
  };
}

/** The parent stands as its child does, which waits for an approval. */
const waitingFor = (run: Run, nodeId: string, now: number) =>
  waiting(run, { nodeId, kind: 'approval', deadline: now + LOOK_MS });

async function begin(
  parts: Parts,
  run: Run,
  { nodeId, typeId, child }: ChildNode,
  at: number,
): Promise<LogStep> {
  const runId = childIdOf(run.runId);
  if (!(await parts.store.runs.get(run.owner, runId)))
    await parts.store.runs.create({
      runId,
      owner: run.owner,
      principal: run.principal,
      origin: run.origin,
      workflowId: child,
      plan: { kind: 'workflow', workflowId: child, parent: { runId: run.runId, nodeId } },
      request: {},
      createdAt: at,
      engineVersion: ENGINE_VERSION,
    });
  const payload = { childRunId: runId, childWorkflowId: child };
  return {
    events: [
      { type: 'node.started', at, nodeId, payload: { nodeId, typeId } },
      { type: 'node.dispatched', at, nodeId, payload, cause: 0 },
    ],
    run: waitingFor(run, nodeId, at),
  };
}

function end(run: Run, nodeId: string, status: RunStatus | undefined, at: number): LogStep {
  if (status === 'completed') {
    const completed: NewEvent = { type: 'node.completed', at, nodeId, payload: { nodeId } };
    return { events: [completed], run: RESUMED };
  }
  const error = { code: 'node_failed', message: `The child run ended as ${status ?? 'absent'}.` } as const;
  const failed: NewEvent = { type: 'node.failed', at, nodeId, payload: { nodeId, error } };
  const { events, run: row } = failure(run, error, at, nodeId);
  return { events: [failed, ...events], run: { ...row, waitUntil: null } };
}
