import { HostError } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { type Answer, type Call, type Endpoint, endpoint, type LargeReply, ok } from '../../endpoint.js';
import { anyText, integerOr, optionalInteger, type Parameter, type QueryOf } from '../../query.js';
import { findRun, type Services } from '../../services.js';
import { hasNews, isOver } from '../../streams/event-pages.js';
import {
  type StreamPosition,
  streamBatches,
  streamEvents,
  streamSnapshots,
} from '../../streams/event-stream.js';
import { type EventSelection, polledEvents, prefersJson } from '../../streams/polled-events.js';
import { streamProgress } from '../../streams/progress-stream.js';
import { parseStreamModes } from '../../streams/stream-modes.js';
import { listening } from '../../streams/wakeups.js';

const MAX_BUFFER_MS = 5_000;

const streamQuery = {
  streamMode: anyText(
    'values, updates (default), messages, debug; or several of the last three, separated by commas.',
  ),
  bufferMs: integerOr(0, 'Collect events for so long and send them as one.', { min: 0, max: MAX_BUFFER_MS }),
};
const MAX_TYPES = 50;
const eventTypes: Parameter<ReadonlySet<string> | undefined> = {
  description:
    'Only events of these types, with commas between them. The answer then says how far it has read.',
  schema: { type: 'string' },
  read(text) {
    if (text === undefined) return { value: undefined };
    const types = text.split(',');
    const isRight = types.length <= MAX_TYPES && types.every((type) => /^[A-Za-z][\w.-]{0,63}$/.test(type));
    return isRight
      ? { value: new Set(types) }
      : { wrong: `expected at most ${MAX_TYPES} types of events with commas between them` };
  },
};
const pollQuery = {
  lastSequence: optionalInteger('Only events after this sequence.', { min: 0 }),
  limit: optionalInteger('The most events of one answer.', { min: 1, max: 1_000 }),
  types: eventTypes,
  timeout: integerOr(30, 'How long to wait for an event, in seconds.', { min: 1, max: 60 }),
};

export const eventEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'streamRunEvents',
    route: 'GET /v1/runs/{runId}/events',
    auth: 'runs:read',
    summary: 'The events of a run as they happen',
    parameters: streamQuery,
    responses: {
      200: {
        description:
          'Events; ends with the run. With `Accept: application/json` the answer of pollRunEvents.',
        mediaType: 'text/event-stream',
      },
    },
    refusals: ['not_found', 'unsupported_stream_mode'],
    handle: (call) => stream(host, call),
  }),
  endpoint({
    operationId: 'pollRunEvents',
    route: 'GET /v1/runs/{runId}/events/poll',
    auth: 'runs:read',
    summary: 'Some events of a run, waiting for them if need be',
    parameters: pollQuery,
    responses: ok('Events, and whether they are the last.', vendor.polledEvents),
    refusals: ['not_found'],
    handle: (call) => poll(host, call),
  }),
];

async function stream(host: Services, call: Call<QueryOf<typeof streamQuery>>): Promise<Answer> {
  const modes = parseStreamModes(call.query.streamMode);
  const after = lastEventId(call);
  const { owner, runId, bodiesRemovedAt } = await findRun(host, call);
  const position: StreamPosition = { owner, runId, after: after ?? -1, clearedAt: bodiesRemovedAt };
  // After everything that a caller may have got wrong: a bad mode is refused in whatever form the answer was wanted.
  if (prefersJson(call.headers.accept)) return readNow(host, position);
  const { bufferMs } = call.query;
  if (modes.includes('values')) {
    return { stream: (connection) => streamSnapshots(host.feed, connection, position, after !== undefined) };
  }
  if (bufferMs > 0)
    return { stream: (connection) => streamBatches(host.feed, connection, position, modes, bufferMs) };
  return { stream: (connection) => streamEvents(host.feed, connection, position, modes) };
}

/** Where a reader left off. Browsers send an empty one when they have not seen an id yet. */
function lastEventId({ headers }: Call): number | undefined {
  const text = headers['last-event-id'];
  if (text === undefined || text === '') return undefined;
  if (typeof text === 'string' && /^(-1|\d{1,15})$/.test(text)) return Number(text);
  throw new HostError('validation_error', 'Expected Last-Event-ID to be the id of an event of this stream.', {
    field: 'Last-Event-ID',
  });
}

/** What the log holds after a position, without waiting for more. */
const readNow = (
  { feed: { pages } }: Services,
  position: StreamPosition,
  selection?: EventSelection,
): LargeReply => ({
  large: () => polledEvents(pages, position, selection),
});

async function poll(host: Services, call: Call<QueryOf<typeof pollQuery>>): Promise<LargeReply> {
  const { owner, runId, bodiesRemovedAt } = await findRun(host, call);
  const after = call.query.lastSequence ?? -1;
  const position: StreamPosition = { owner, runId, after, clearedAt: bodiesRemovedAt };
  await untilNews(host, call, position);
  return readNow(host, position, call.query);
}

/** Waits until there is an event after the position, the run is over, or the time is up. */
function untilNews(
  { feed, clock }: Services,
  call: Call<QueryOf<typeof pollQuery>>,
  { owner, runId, after }: StreamPosition,
): Promise<void> {
  const giveUpAt = clock.elapsed() + call.query.timeout * 1_000;
  const gone = call.untilGone();
  return listening(feed.wakeups, runId, gone, async (wakeup) => {
    for (;;) {
      const head = await feed.pages.head(owner, runId);
      const leftMs = giveUpAt - clock.elapsed();
      if (hasNews(head, after) || isOver(head, after) || leftMs <= 0 || gone.aborted) return;
      await wakeup.next(leftMs);
    }
  });
}

export const progressEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'streamProgress',
    route: 'GET /v1/host/touchstone/runs/{runId}/progress',
    auth: 'runs:read',
    summary: 'How far a run is, live',
    responses: {
      200: { description: 'Totals, and a line per finished task.', mediaType: 'text/event-stream' },
    },
    refusals: ['not_found'],
    async handle(call) {
      const run = await findRun(host, call);
      const { store, engine } = host.touchstone;
      const { wakeups, pages } = host.feed;
      return { stream: (connection) => streamProgress({ store, engine, wakeups, pages }, connection, run) };
    },
  }),
];
