import type { RunEvent } from '@touchstone/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../source.js';

const PAGE = 100;
const MOST_PAGES = 20;

type Pages = {
  readonly key: string;
  /** By the number of the page; with types, all that have been read, one after the other. */
  readonly rows: Map<number, readonly RunEvent[]>;
  readonly asked: Set<number>;
  count: number;
  isAll: boolean;
  /** With types: how far the log has been looked through. */
  last: number;
  error?: unknown;
};

const emptyPages = (key: string): Pages => ({
  key,
  rows: new Map(),
  asked: new Set(),
  count: 0,
  isAll: false,
  last: -1,
});

/**
 * The log of a run as far as it has been in sight. Without types the number of an event is its place, so any part can be read
 * at once; with types the log is looked through from its beginning, as far as the reader scrolls.
 */
export function useEventPages(runId: string, types: readonly string[]) {
  const key = JSON.stringify([runId, types]);
  const pages = useRef<Pages>(emptyPages(''));
  const [round, redraw] = useState(0);
  const isFiltered = types.length > 0;

  const store = async (current: Pages, page: number): Promise<void> => {
    if (isFiltered) return readNext(runId, types, current);
    if (page === 0 && current.count === 0) current.count = await countOf(runId);
    current.isAll = true;
    const { events } = await client.pollEvents(runId as never, {
      ...(page > 0 && { after: page * PAGE - 1 }),
      limit: PAGE,
      timeoutSeconds: 1,
    });
    current.rows.set(page, events);
    for (const old of current.rows.keys()) if (current.rows.size > MOST_PAGES) current.rows.delete(old);
  };
  const read = (page: number): void => {
    const current = pages.current;
    if (current.rows.has(page) || current.asked.has(page)) return;
    current.asked.add(page);
    store(current, page)
      .catch((error: unknown) => {
        current.error = error;
      })
      .finally(() => {
        current.asked.delete(page);
        if (pages.current === current) redraw((count) => count + 1);
      });
  };
  const start = (): void => {
    pages.current = emptyPages(key);
    read(0);
  };
  useEffect(start, [key]);

  const current = pages.current;
  return {
    count: current.count,
    isAll: current.isAll,
    isFirst: current.key !== key || (current.rows.size === 0 && current.error === undefined),
    error: current.error,
    round,
    reload: start,
    rowAt: (index: number): RunEvent | undefined =>
      pages.current.rows.get(Math.floor(index / PAGE))?.[index % PAGE],
    onSight(from: number, to: number): void {
      const [first, last] = [Math.floor(from / PAGE), Math.floor(Math.max(from, to - 1) / PAGE)];
      if (!isFiltered) for (let page = first; page <= last; page += 1) read(page);
      else if (!pages.current.isAll && to >= pages.current.count) read(pages.current.rows.size);
    },
  };
}

/** The tasks of a run know how long its log is. */
async function countOf(runId: string): Promise<number> {
  const { revision } = await client.runs.tasks(runId as never, { limit: 1 });
  return revision;
}

/** Fills the next page; the log may have to be looked through for long. */
async function readNext(runId: string, types: readonly string[], current: Pages): Promise<void> {
  const found: RunEvent[] = [];
  while (found.length < PAGE && !current.isAll) {
    const { events, isComplete, lastSequence } = await client.pollEvents(runId as never, {
      ...(current.last >= 0 && { after: current.last }),
      limit: PAGE - found.length,
      ...(types.length > 0 && { types }),
      timeoutSeconds: 1,
    });
    found.push(...events);
    const isEnd = isComplete || lastSequence === undefined || lastSequence === current.last;
    current.last = lastSequence ?? current.last;
    current.isAll = isEnd;
  }
  if (found.length > 0 || current.rows.size === 0) current.rows.set(current.rows.size, found);
  current.count += found.length;
}
