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

/** What the model was told before its first call, what it thought until its next one, and what its last one came to. */
function modelTexts(
  span: TaskSpan,
  spans: readonly TaskSpan[],
  events: readonly TaskEvent[],
): readonly StepText[] {
  const calls = spans.filter(({ kind, repeat }) => kind === 'model' && repeat === span.repeat);
  const at = calls.indexOf(span);
  const began = Date.parse(events[0]?.timestamp ?? '');
  const from = at === 0 ? 0 : began + span.startMs;
  const next = calls[at + 1];
  const to = next ? began + next.startMs : Number.POSITIVE_INFINITY;
  const reasoned = events.filter(({ type, timestamp }) => {
    const time = Date.parse(timestamp);
    return type === 'agent.reasoned' && time >= from && time < to;
  });
  const found = (type: string): Members => payloadOf(events.find((event) => event.type === type));
  return [
    ...(at === 0 ? text('Prompt', found('agent.promptResolved').resolved) : []),
    ...reasoned.flatMap((event) => text('Reasoning', payloadOf(event).reasoning)),
    ...(next ? [] : text('Answer', found('agent.decided').decision)),
  ];
}
