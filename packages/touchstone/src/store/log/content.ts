import type { EventType, NewEvent } from '@touchstone/protocol/bodies';
import type { TaskRecord } from '../../ports/index.js';

/** Stands where an event must have a member and its content has been removed. */
const REMOVED = '[removed]';

/** Members of payloads that hold content: those an event may go without, and those it must have. */
const CONTENT: {
  readonly [T in EventType]?: { readonly dropped?: readonly string[]; readonly blanked?: readonly string[] };
} = {
  'run.started': { dropped: ['inputs'] },
  'node.completed': { dropped: ['outputs'] },
  'interrupt.requested': { blanked: ['data'], dropped: ['resumeSchema'] },
  'interrupt.resolved': { dropped: ['resumeValue'] },
  'clarification.resolved': { blanked: ['answers'] },
  'agent.promptResolved': { blanked: ['resolved'] },
  'agent.reasoned': { blanked: ['reasoning'] },
  'agent.toolCalled': { dropped: ['inputs'] },
  'agent.toolReturned': { dropped: ['outcome'] },
  'agent.decided': { blanked: ['decision'] },
};
const OUTPUTS = { dropped: ['outputs'] };

/** Events with all their facts and none of their content. What an eval run returns is its summary, and stays. */
export const withoutContent = (events: readonly NewEvent[], isEval: boolean): readonly NewEvent[] =>
  events.map((event) => {
    const members = event.type === 'run.completed' && !isEval ? OUTPUTS : CONTENT[event.type];
    const payload = withoutWords(event.payload as Payload);
    if (!members) return { ...event, payload } as NewEvent;
    return { ...event, payload: stripped(payload, members) } as NewEvent;
  });

type Payload = { readonly [member: string]: unknown };

function stripped(
  payload: Payload,
  {
    dropped = [],
    blanked = [],
  }: { readonly dropped?: readonly string[]; readonly blanked?: readonly string[] },
): Payload {
  const kept = Object.entries(payload).filter(([member]) => !dropped.includes(member));
  return Object.fromEntries(
    kept.map(([member, value]) => [member, blanked.includes(member) ? REMOVED : value]),
  );
}

/** The words of an error may quote what a tool or a node was given; its code stays. */
function withoutWords(payload: Payload): Payload {
  const { error } = payload;
  if (typeof error !== 'object' || error === null || !('message' in error)) return payload;
  return { ...payload, error: { ...error, message: REMOVED } };
}

/** A sealed record as it is when its content is gone. */
export function recordWithoutContent({ bodies: _, events, ...record }: TaskRecord): TaskRecord {
  return { ...record, events: withoutContent(events, true) };
}
