import {
  asId,
  type EvalPlan,
  type EventId,
  HOST_OWNER,
  HostError,
  type Owner,
  type RunId,
  type RunPlan,
  type TaskId,
  validationError,
} from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { AnnotationCreateWire } from '@touchstone/protocol/wire';
import { FLOOR_WORKFLOWS } from '../../engine/index.js';
import type { Run, Store } from '../../ports/index.js';

/** What an annotation is about; the run as a whole when neither is there. */
type Target = { readonly eventId?: EventId; readonly nodeId?: string; readonly event?: RunEvent };

/** The event and the node that a caller names. What this run does not have is refused. */
export async function findTarget(
  store: Pick<Store, 'log' | 'suites'>,
  { owner, runId, plan }: Run,
  { eventId, nodeId }: AnnotationCreateWire['target'] & object = {},
): Promise<Target> {
  const event = eventId === undefined ? undefined : await findEvent(store.log, owner, runId, eventId);
  if (eventId !== undefined && !event)
    throw new HostError('not_found', 'There is no such event in this run.', { field: 'target.eventId' });
  if (nodeId !== undefined && !(await hasNode(store.suites, owner, plan, nodeId)))
    throw new HostError('not_found', 'There is no such node in this run.', { field: 'target.nodeId' });
  if (event && nodeId !== undefined && event.nodeId !== nodeId) {
    const message = 'expected the node of the event that is named beside it';
    throw validationError([{ pointer: '/target/nodeId', message }]);
  }
  return { ...(event && { eventId: event.eventId, event }), ...(nodeId !== undefined && { nodeId }) };
}

const SEQUENCE = /^(?:0|[1-9]\d{0,14})$/;

/** An event by its id, from which its place in the log can be read back. */
export async function findEvent(
  log: Pick<Store['log'], 'read'>,
  owner: Owner,
  runId: RunId,
  eventId: string,
): Promise<RunEvent | undefined> {
  const sequence = eventId.startsWith(`${runId}:`) ? eventId.slice(runId.length + 1) : '';
  if (!SEQUENCE.test(sequence)) return undefined;
  const [event] = await log.read(owner, runId, Number(sequence) - 1, 1);
  return event?.eventId === eventId ? event : undefined;
}

async function hasNode(
  suites: Store['suites'],
  owner: Owner,
  plan: RunPlan,
  nodeId: string,
): Promise<boolean> {
  switch (plan.kind) {
    case 'agent':
      return nodeId === 'agent';
    case 'deployment':
      return nodeId.startsWith('approval') && plan.intent !== undefined;
    case 'workflow':
      return FLOOR_WORKFLOWS.some(
        ({ workflowId, nodes }) =>
          workflowId === plan.workflowId && nodes.some((node) => node.nodeId === nodeId),
      );
    case 'eval':
      return isSelected(plan, await ordinalOf(suites, owner, plan, asId<TaskId>(nodeId)));
  }
}

const isSelected = ({ ordinals }: EvalPlan, ordinal: number | undefined): boolean =>
  ordinal !== undefined && (ordinals === undefined || ordinals.includes(ordinal));

const ordinalOf = async (
  suites: Store['suites'],
  owner: Owner,
  { suite }: EvalPlan,
  taskId: TaskId,
): Promise<number | undefined> =>
  (await suites.ordinalOf(owner, suite.digest, taskId)) ??
  (await suites.ordinalOf(HOST_OWNER, suite.digest, taskId));
