import { isTerminal, type Owner, type RunId } from '@touchstone/protocol';
import { type RunEvent, TERMINAL_EVENTS } from '@touchstone/protocol/bodies';
import type { RunHead, Store } from '../../ports/index.js';
import { type Frame, framesOf, renderFrames, type StreamMode } from './stream-modes.js';

/** Some consecutive events of a run, and everything readers want made of them, made once. */
export type EventPage = {
  readonly events: readonly RunEvent[];
  /** Sequence of the last event; where the page began when it is empty. */
  readonly lastSequence: number;
  /** It ends with the run. */
  readonly complete: boolean;
  /** Of its events as JSON text. */
  readonly chars: number;
  /** The event at `index` as JSON text. */
  json(index: number): string;
  framesAt(index: number, modes: readonly StreamMode[]): readonly Frame[];
  /** The whole page as a stream of frames; empty when these modes admit none of it. */
  bytes(modes: readonly StreamMode[]): Buffer;
};

export type EventPages = {
  /** `clearedAt` is when the content of the run was removed: pages from before are not read again. */
  read(owner: Owner, runId: RunId, after: number, clearedAt?: number): Promise<EventPage>;
  /** How far the run is; undefined when it has been removed. Reads no event. */
  head(owner: Owner, runId: RunId): Promise<RunHead | undefined>;
};

export const hasNews = (head: RunHead | undefined, after: number): boolean =>
  head !== undefined && head.eventCount > after + 1;

/**
 * Whether nothing comes after this place, ever. The terminal event and the terminal status are committed together, so a
 * terminal run whose events all lie at or before it has nothing more to say. A reader that asks beyond the end learns it
 * here too.
 */
export const isOver = (head: RunHead | undefined, after: number): boolean =>
  head === undefined || (isTerminal(head.status) && !hasNews(head, after));

const PAGE_EVENTS = 200;
const MAX_CACHED_CHARS = 4 * 1024 * 1024;

/**
 * Pages of event logs, shared by every reader at the same place. Events never change, so a page is right forever; a page
 * that was short because the log was short only means one more read. Empty pages are shared while they are being read
 * and forgotten at once.
 */
export function createEventPages(store: Pick<Store, 'log' | 'runs'>): EventPages {
  const cache = new Map<string, { readonly page: Promise<EventPage>; chars: number }>();
  const heads = new Map<string, Promise<RunHead | undefined>>();
  let cachedChars = 0;

  const forget = (key: string): void => {
    cachedChars -= cache.get(key)?.chars ?? 0;
    cache.delete(key);
  };
  const settle = (key: string, page: EventPage): void => {
    const entry = cache.get(key);
    if (page.events.length === 0) forget(key);
    if (!entry || page.events.length === 0) return;
    entry.chars = page.chars;
    cachedChars += entry.chars;
    for (const oldest of cache.keys()) {
      if (cachedChars <= MAX_CACHED_CHARS) break;
      forget(oldest);
    }
  };

  return {
    read(owner, runId, after, clearedAt) {
      const key = `${owner.tenant}/${owner.workspace}/${runId}/${after}/${clearedAt ?? ''}`;
      const known = cache.get(key);
      if (known) return known.page;
      const page = readPage(store, owner, runId, after);
      cache.set(key, { page, chars: 0 });
      page.then(
        (read) => settle(key, read),
        () => forget(key),
      );
      return page;
    },
    head(owner, runId) {
      const key = `${owner.tenant}/${owner.workspace}/${runId}`;
      const head = heads.get(key) ?? store.runs.head(owner, runId).finally(() => heads.delete(key));
      heads.set(key, head);
      return head;
    },
  };
}

async function readPage(
  store: Pick<Store, 'log'>,
  owner: Owner,
  runId: RunId,
  after: number,
): Promise<EventPage> {
  const events = await store.log.read(owner, runId, after, PAGE_EVENTS);
  const last = events.at(-1);
  return createPage(events, last?.sequence ?? after, last !== undefined && TERMINAL_EVENTS.has(last.type));
}

function createPage(events: readonly RunEvent[], lastSequence: number, complete: boolean): EventPage {
  const texts = events.map((event) => JSON.stringify(event));
  const rendered = new Map<string, Buffer>();
  const json = (index: number): string => texts[index] ?? '';
  const framesAt = (index: number, modes: readonly StreamMode[]) =>
    framesOf(events[index] as RunEvent, () => json(index), modes);
  const render = (modes: readonly StreamMode[]): string =>
    events.map((event, index) => renderFrames(event.sequence, framesAt(index, modes))).join('');
  return {
    events,
    lastSequence,
    complete,
    chars: texts.reduce((sum, text) => sum + text.length, 0),
    json,
    framesAt,
    bytes(modes) {
      const key = [...modes].sort().join(',');
      const bytes = rendered.get(key) ?? Buffer.from(render(modes));
      rendered.set(key, bytes);
      return bytes;
    },
  };
}
