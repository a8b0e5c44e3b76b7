import {
  asId,
  type EvalPlan,
  type EventId,
  HOST_OWNER,
  HostError,
  type Owner,
  type Principal,
  type RunId,
  type RunPlan,
  type TaskId,
  validationError,
} from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { AnnotationCreateWire } from '@touchstone/protocol/wire';
import { FLOOR_WORKFLOWS } from '../../engine/index.js';
import type { Override, Run, Store } from '../../ports/index.js';
import { hasScope } from '../principal.js';

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

export const OVERRIDE_SCOPE = 'evals:override';

/** Something a reader can see. Spaces, controls and characters without a width give no reason. */
const VISIBLE = /[^\p{C}\p{Z}]/u;

/**
 * What a score is to be taken for, when someone who may say so says exactly that, with a reason. Anything short of it is
 * an ordinary annotation and overrides nothing, so that no score is overridden by accident.
 */
export function overrideOf(
  principal: Principal,
  { signal, note = '' }: AnnotationCreateWire,
  event: RunEvent | undefined,
): Override | undefined {
  if (signal.kind !== 'correction' || event?.type !== 'eval.scored') return undefined;
  if (!VISIBLE.test(note) || !hasScope(principal, OVERRIDE_SCOPE)) return undefined;
  return parseOverride(signal.correction ?? '');
}

/** `{"score": 0 to 1}` or `{"passed": true or false}`. */
function parseOverride(text: string): Override | undefined {
  // One name has two quotation marks. A parser would hide that a name was given twice with different values.
  if (text.split('"').length !== 3) return undefined;
  const { score, passed } = parseObject(text);
  if (typeof score === 'number' && score >= 0 && score <= 1) return { score };
  if (typeof passed === 'boolean') return { score: passed ? 1 : 0, passed };
  return undefined;
}

function parseObject(text: string): { readonly score?: unknown; readonly passed?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
