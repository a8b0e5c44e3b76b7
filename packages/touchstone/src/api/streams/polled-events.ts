import type { RunId } from '@touchstone/protocol';
import { PAGE_BYTES } from '../../ports/index.js';
import type { TextReply } from '../endpoint.js';
import { type EventPage, type EventPages, isOver } from './event-pages.js';
import type { StreamPosition } from './event-stream.js';

/**
 * A long log is handed out in pieces; `isComplete` tells a reader to come back for the rest. No further page is added to a
 * piece that is this long, so that the log of a run of some hundred tasks is one piece.
 */
const LONG_PIECE_CHARS = 2 * PAGE_BYTES;

/** Which events a caller wants: so many, and of these types. */
export type EventSelection = {
  readonly limit?: number | undefined;
  readonly types?: ReadonlySet<string> | undefined;
};

/** So many events are looked through for one answer. */
const MAX_SEEN = 10_000;

/** Adds events of a page until there are enough. `end` is the index of the first one that was not looked at. */
function takeEvents(
  page: EventPage,
  events: string[],
  limit: number,
  types: EventSelection['types'],
): { readonly end: number; readonly chars: number } {
  let chars = 0;
  for (const [index, { type }] of page.events.entries()) {
    if (events.length >= limit) return { end: index, chars };
    if (types && !types.has(type)) continue;
    const text = page.json(index);
    chars += text.length;
    events.push(text);
  }
  return { end: page.events.length, chars };
}

/**
 * Some pages as one JSON document. Events are counted, not pages: a page that somebody read while the log was short holds as
 * little as one event, and a reader of a finished run is to get all of it.
 */
export async function polledEvents(
  pages: EventPages,
  { owner, runId, after, clearedAt }: StreamPosition,
  { limit = MAX_SEEN, types }: EventSelection = {},
): Promise<TextReply> {
  const events: string[] = [];
  let [last, chars, seen, isComplete] = [after, 0, 0, false];
  for (;;) {
    const page = await pages.read(owner, runId, last, clearedAt);
    const taken = takeEvents(page, events, limit, types);
    const isWhole = taken.end === page.events.length;
    last = isWhole ? page.lastSequence : (page.events[taken.end - 1]?.sequence ?? last);
    [chars, seen, isComplete] = [chars + taken.chars, seen + taken.end, isWhole && page.complete];
    if (isComplete || !isWhole || events.length >= limit || seen >= MAX_SEEN) break;
    if (chars >= LONG_PIECE_CHARS) break;
    if (page.events.length > 0) continue;
    isComplete = isOver(await pages.head(owner, runId), last);
    break;
  }
  // Callers who leave events out cannot tell from the last one how far they have read.
  const readTo = types ? `,"lastSequence":${last}` : '';
  return {
    status: 200,
    text: `{"events":[${events.join(',')}],"isComplete":${isComplete}${readTo}}`,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'accept',
      ...(!isComplete && { link: `<${pollPath(runId, last)}>; rel="next"` }),
    },
  };
}

const pollPath = (runId: RunId, lastSequence: number): string =>
  `/v1/runs/${encodeURIComponent(runId)}/events/poll${lastSequence < 0 ? '' : `?lastSequence=${lastSequence}`}`;

/** Whether a caller named JSON and not the event stream. A caller who takes anything gets the stream. */
export function prefersJson(accept: string | undefined): boolean {
  const named = (accept ?? '').toLowerCase().split(',').map(mediaRange);
  return named.includes('application/json') && !named.includes('text/event-stream');
}

/** The media type of one entry; empty when the caller refuses it with `q=0`. */
function mediaRange(entry: string): string {
  const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
  return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? '' : type;
}
