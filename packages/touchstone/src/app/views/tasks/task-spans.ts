import { defined, type RunId, type TaskSpan } from '@touchstone/protocol';
import { eventIdOf, type NewEvent } from '@touchstone/protocol/bodies';
import type { TaskRecord } from '../../../ports/index.js';

type EventOf<T extends NewEvent['type']> = Extract<NewEvent, { type: T }>;

/** Where the times of a record begin, and which of its events the log has under which number. */
type SpanOrigin = {
  readonly repeat: number;
  /** When the invocation began. */
  readonly from: number;
  /** When it ended: judges are asked afterwards. */
  readonly until: number;
  readonly eventIdAt: (index: number) => TaskSpan['eventId'];
};

export type RecordOrigin = {
  readonly runId: RunId;
  /** Of the record's first event; undefined while the log does not have it. */
  readonly firstSequence: number | undefined;
  /** The answer was copied from another run, and only the judge was asked in this one. */
  readonly isRejudged: boolean;
};

/** The calls of one repeat, by when they began. */
export function spansOf(
  record: TaskRecord,
  { runId, firstSequence, isRejudged }: RecordOrigin,
): readonly TaskSpan[] {
  const { events, repeat } = record;
  const end = events.findIndex(({ type }) => type === 'agent.invocation.completed');
  const from = events[0]?.at ?? 0;
  const until = events[end]?.at ?? from;
  const eventIdAt = (index: number) =>
    firstSequence === undefined ? undefined : eventIdOf(runId, firstSequence + index);
  const origin: SpanOrigin = { repeat, from, until, eventIdAt };
  const spans = events.flatMap((event, index): TaskSpan[] => {
    if (event.type === 'provider.usage') return [modelSpan(event, index, index < end, origin)];
    if (event.type === 'agent.toolReturned') return [toolSpan(event, events, origin)];
    if (event.type === 'memory.written') return [memorySpan(event, index, origin)];
    return [];
  });
  return (isRejudged ? judgedAfterwards(spans, origin) : spans).toSorted((a, b) => a.startMs - b.startMs);
}

const KINDS = { agent: 'model', user: 'model', judge: 'judge', embedder: 'embedder' } as const;

/** A record of before calls were measured says by its place whose call it was. */
function modelSpan(
  { at, call, payload }: EventOf<'provider.usage'>,
  index: number,
  isAgents: boolean,
  { repeat, from, eventIdAt }: SpanOrigin,
): TaskSpan {
  const { provider, model, inputTokens, outputTokens, costEstimateUsd: costUsd } = payload;
  const { by = isAgents ? 'agent' : 'judge', startedAt = at, durationMs } = call ?? {};
  return {
    kind: KINDS[by],
    repeat,
    name: `${provider}/${model}`,
    startMs: startedAt - from,
    durationMs: durationMs ?? 0,
    tokens: { input: inputTokens, output: outputTokens },
    ...defined({ eventId: eventIdAt(index), costUsd }),
    ...(durationMs === undefined && { untimed: true as const }),
    ...(by === 'user' && { simulatedUser: true as const }),
  };
}

/** A call that an agent made elsewhere is told when it is over. */
function toolSpan(
  { at, payload: { callId, toolName, status, durationMs } }: EventOf<'agent.toolReturned'>,
  events: readonly NewEvent[],
  { repeat, from, eventIdAt }: SpanOrigin,
): TaskSpan {
  const called = events.findIndex(
    (event) => event.type === 'agent.toolCalled' && event.payload.callId === callId,
  );
  return {
    kind: 'tool',
    repeat,
    name: toolName,
    startMs: (events[called]?.at ?? at) - from,
    durationMs: durationMs ?? 0,
    status,
    ...defined({ eventId: called < 0 ? undefined : eventIdAt(called) }),
    ...(durationMs === undefined && { untimed: true as const }),
  };
}

const memorySpan = (
  { at, payload }: EventOf<'memory.written'>,
  index: number,
  { repeat, from, eventIdAt }: SpanOrigin,
): TaskSpan => ({
  kind: 'memory',
  repeat,
  name: payload.memoryRef,
  startMs: at - from,
  durationMs: 0,
  ...defined({ eventId: eventIdAt(index) }),
});

/** Between an answer and its second judge may lie months: the judge is shown as if it had been asked at once. */
function judgedAfterwards(spans: readonly TaskSpan[], { from, until }: SpanOrigin): readonly TaskSpan[] {
  const isLate = ({ kind }: TaskSpan): boolean => kind === 'judge' || kind === 'embedder';
  const first = Math.min(...spans.filter(isLate).map(({ startMs }) => startMs));
  return spans.map((span) =>
    isLate(span) ? { ...span, startMs: span.startMs - first + (until - from) } : span,
  );
}
