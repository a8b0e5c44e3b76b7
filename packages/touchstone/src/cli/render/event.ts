import type { Json } from '@touchstone/protocol';
import type { RunEvent, RunFacts, RunSnapshot } from '@touchstone/sdk';
import { quote } from '@touchstone/sdk/view';
import { type Look, padEnd, truncate } from './text.js';

/** Events whose payload names only ids, numbers and flags, or the reason of a decision about a deployment. */
const CONTENT_FREE: ReadonlySet<string> = new Set([
  'eval.started',
  'eval.scored',
  'eval.completed',
  'agent.invocation.started',
  'agent.invocation.completed',
  'provider.usage',
  'cap.breached',
  'node.started',
  'node.suspended',
  'run.failed',
  'authorization.decided',
  'approval.granted',
  'approval.rejected',
  'approval.overridden',
  'deployment.promoted',
  'deployment.rolled-back',
  'deployment.canary.adjusted',
  'deployment.state.changed',
]);

/** Their outputs are numbers, names and states. */
const TELLS_FACTS: ReadonlySet<RunFacts['kind'] | undefined> = new Set(['eval', 'deployment']);

const mayShow = (event: RunEvent, run: RunSnapshot, bodies: boolean): boolean =>
  bodies ||
  CONTENT_FREE.has(event.type) ||
  (event.type === 'run.completed' && TELLS_FACTS.has(run.touchstone?.kind));

/** The event as the log holds it, without its payload where that may be content and content was not asked for. */
export function eventDocument(event: RunEvent, run: RunSnapshot, bodies: boolean): object {
  if (mayShow(event, run, bodies)) return event;
  const { payload: _, ...envelope } = event;
  return envelope;
}

/** `12  21:40:03.120  eval.scored  refund-window  {"score":1}` on one line of the screen. */
export function renderEvent(
  event: RunEvent,
  run: RunSnapshot,
  bodies: boolean,
  { ink, width }: Look,
): string {
  const head = `${String(event.sequence).padStart(5)}  ${event.timestamp.slice(11, 23)}  ${padEnd(event.type, 26)}`;
  const task = event.nodeId ? `  ${event.nodeId}` : '';
  if (!mayShow(event, run, bodies)) return `${head}${task}`.trimEnd();
  const room = Math.max(20, width - head.length - task.length - 2);
  return `${head}${task}  ${ink.dim(truncate(quote(event.payload as unknown as Json), room))}`;
}
