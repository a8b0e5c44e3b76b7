import type { RunId } from '@touchstone/protocol';
import { PAGE_BYTES } from '../../ports/index.js';
import type { TextReply } from '../endpoint.js';
import { type EventPages, isOver } from './event-pages.js';
import type { StreamPosition } from './event-stream.js';

/** A long log is handed out in pieces; `isComplete` tells a reader to come back for the rest. */
const MAX_EVENTS = 1_000;
/** No further page is added to a piece that is this long: a page may be twice as long, or one long event. */
const LONG_PIECE_CHARS = PAGE_BYTES / 2;

/**
 * Some pages as one JSON document. Events are counted, not pages: a page that somebody read while the log was short holds as
 * little as one event, and a reader of a finished run is to get all of it.
 */
export async function polledEvents(
  pages: EventPages,
  { owner, runId, after, clearedAt }: StreamPosition,
): Promise<TextReply> {
  const events: string[] = [];
  let [last, chars, isComplete] = [after, 0, false];
  for (;;) {
    const page = await pages.read(owner, runId, last, clearedAt);
    for (const index of page.events.keys()) events.push(page.json(index));
    [last, chars, isComplete] = [page.lastSequence, chars + page.chars, page.complete];
    if (isComplete || events.length >= MAX_EVENTS || chars >= LONG_PIECE_CHARS) break;
    if (page.events.length > 0) continue;
    isComplete = isOver(await pages.head(owner, runId), last);
    break;
  }
  return {
    status: 200,
    text: `{"events":[${events.join(',')}],"isComplete":${isComplete}}`,
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
