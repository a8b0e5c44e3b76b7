import type { TextReply } from '../endpoint.js';
import type { EventPage, EventPages } from './event-pages.js';
import type { StreamPosition } from './event-stream.js';

/** A long log is handed out in pieces; `isComplete` tells a reader to come back for the rest. */
const MAX_EVENTS = 1_000;

/**
 * The first page and those after it as one JSON document. Events are counted, not pages: a page that somebody read while
 * the log was short holds as little as one event, and a reader of a finished run is to get all of it.
 */
export async function polledEvents(
  pages: EventPages,
  { owner, runId, clearedAt }: StreamPosition,
  first: EventPage,
): Promise<TextReply> {
  const events: string[] = [];
  let page = first;
  for (;;) {
    const { json } = page;
    events.push(...page.events.map((_, index) => json(index)));
    if (page.complete || page.events.length === 0 || events.length >= MAX_EVENTS) break;
    page = await pages.read(owner, runId, page.lastSequence, clearedAt);
  }
  return {
    status: 200,
    text: `{"events":[${events.join(',')}],"isComplete":${page.complete}}`,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'accept',
    },
  };
}

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
