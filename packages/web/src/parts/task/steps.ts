import type { Json, TaskEvents, TaskSpan } from '@touchstone/protocol';

type TaskEvent = TaskEvents['items'][number];
type Members = { readonly [name: string]: Json | undefined };

/** Something to read about a step, under a name. */
export type StepText = { readonly name: string; readonly value: Json };

const payloadOf = (event: TaskEvent | undefined): Members => (event?.payload ?? {}) as Members;

const text = (name: string, value: Json | undefined): readonly StepText[] =>
  value === undefined || value === '' ? [] : [{ name, value }];

/** What was said in a step, as far as the log keeps it. Undefined when the events of the step have not been read yet. */
export function textsOf(
  span: TaskSpan,
  spans: readonly TaskSpan[],
  events: readonly TaskEvent[],
): readonly StepText[] | undefined {
  const event = events.find(({ eventId }) => eventId === span.eventId);
  if (!event) return undefined;
  if (span.kind === 'tool') return toolTexts(event, events);
  if (span.kind === 'model') return modelTexts(span, spans, repeatOf(event, events));
  return span.kind === 'memory' ? text('Written', payloadOf(event) as Json) : [];
}

function toolTexts(called: TaskEvent, events: readonly TaskEvent[]): readonly StepText[] {
  const { callId, inputs } = payloadOf(called);
  const returned = payloadOf(
    events.find((event) => event.type === 'agent.toolReturned' && payloadOf(event).callId === callId),
  );
  const error = returned.error as Members | undefined;
  return [
    ...text('Inputs', inputs),
    ...text('Outcome', returned.outcome),
    ...text('Error', error?.message ?? undefined),
  ];
}

/** The events of the repeat that an event belongs to. */
function repeatOf(event: TaskEvent, events: readonly TaskEvent[]): readonly TaskEvent[] {
  const at = events.indexOf(event);
  const starts = events.flatMap(({ type }, index) => (type === 'agent.invocation.started' ? [index] : []));
  const from = starts.findLast((start) => start <= at) ?? 0;
  const to = starts.find((start) => start > at) ?? events.length;
  return events.slice(from, to);
}

/** What the model was told before its first call, what it thought in this one, and what its last one came to. */
function modelTexts(
  span: TaskSpan,
  spans: readonly TaskSpan[],
  events: readonly TaskEvent[],
): readonly StepText[] {
  const calls = spans.filter(({ kind, repeat }) => kind === 'model' && repeat === span.repeat);
  const reasoned = events.filter(
    (event) => event.type === 'agent.reasoned' && callOf(event, calls, events) === span,
  );
  const found = (type: string): Members => payloadOf(events.find((event) => event.type === type));
  return [
    ...(span === calls[0] ? text('Prompt', found('agent.promptResolved').resolved) : []),
    ...reasoned.flatMap((event) => text('Reasoning', payloadOf(event).reasoning)),
    ...(span === calls.at(-1) ? text('Answer', found('agent.decided').decision) : []),
  ];
}

/** Reasoning stands before all tool calls in the log, but is written down when its call is: the times tell which one it was. */
function callOf(
  reasoned: TaskEvent,
  calls: readonly TaskSpan[],
  events: readonly TaskEvent[],
): TaskSpan | undefined {
  const toldAt = new Map(events.map(({ eventId, timestamp }) => [eventId as string, timestamp]));
  const told = (span: TaskSpan): string => toldAt.get(span.eventId ?? '') ?? '';
  return (
    calls.find((call) => told(call) === reasoned.timestamp) ??
    calls.findLast((call) => told(call) < reasoned.timestamp) ??
    calls[0]
  );
}
