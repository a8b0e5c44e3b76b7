import type { TaskList, TaskListing } from '@touchstone/protocol';
import type { TaskListQuery } from '@touchstone/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../source.js';

const PAGE = 100;
const MOST_PAGES = 40;
const LAST_RUNS = 8;

type Pages = {
  readonly key: string;
  readonly rows: Map<number, readonly TaskListing[]>;
  readonly asked: Map<number, AbortController>;
  matched: number;
  total: number;
  error?: unknown;
};

type Reading = { readonly signal?: AbortSignal };

/** Filters as the body of a search has them. */
const filtersOf = (query: TaskListQuery): { readonly [name: string]: string | number } =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as never;

const emptyPages = (key: string): Pages => ({ key, rows: new Map(), asked: new Map(), matched: 0, total: 0 });

/** Tasks of a run as far as they have been in sight. The host filters and sorts; this holds the pages around what is seen. */
export function useTaskPages(runId: string, query: TaskListQuery, revision: number, text = '') {
  const key = JSON.stringify([runId, query, revision, text]);
  const ask = (part: TaskListQuery, reading: Reading = {}): Promise<TaskList> =>
    text === ''
      ? client.runs.tasks(runId as never, { ...query, ...part }, reading)
      : client.runs.searchTasks(runId as never, { text, filters: filtersOf({ ...query, ...part }) }, reading);
  const pages = useRef<Pages>(emptyPages(key));
  const [, redraw] = useState(0);
  const isFirst = pages.current.rows.size === 0 && pages.current.error === undefined;

  const read = (page: number): void => {
    const current = pages.current;
    if (current.rows.has(page) || current.asked.has(page)) return;
    const giveUp = new AbortController();
    current.asked.set(page, giveUp);
    const part = { offset: page * PAGE, limit: PAGE, last: LAST_RUNS };
    ask(part, { signal: giveUp.signal })
      .then(
        ({ items, matched, total }) => {
          current.rows.set(page, items);
          current.matched = matched;
          current.total = total;
        },
        (error) => {
          if (!giveUp.signal.aborted) current.error = error;
        },
      )
      .finally(() => {
        current.asked.delete(page);
        if (pages.current === current) redraw((count) => count + 1);
      });
  };

  useEffect(() => {
    // What was shown stays until the answer to the new question is here.
    const old = pages.current;
    const next = emptyPages(key);
    if (old.key === key && old.rows.size > 0) return undefined;
    for (const giveUp of old.asked.values()) giveUp.abort();
    pages.current = next;
    read(0);
    return () => {
      for (const giveUp of next.asked.values()) giveUp.abort();
    };
  }, [key]);

  const onSight = (from: number, to: number): void => {
    const { asked, rows } = pages.current;
    const [first, last] = [Math.floor(from / PAGE), Math.floor(Math.max(from, to - 1) / PAGE)];
    for (const [page, giveUp] of asked) if (page < first || page > last) giveUp.abort();
    for (let page = first; page <= last; page += 1) read(page);
    for (const page of rows.keys()) {
      if (rows.size <= MOST_PAGES) break;
      if (page < first || page > last) rows.delete(page);
    }
  };

  const rowAt = (index: number): TaskListing | undefined =>
    pages.current.rows.get(Math.floor(index / PAGE))?.[index % PAGE];
  const indexOf = (taskId: string): number => {
    for (const [page, rows] of pages.current.rows) {
      const at = rows.findIndex((row) => row.taskId === taskId);
      if (at >= 0) return page * PAGE + at;
    }
    return -1;
  };
  /** The place of a task that has not been in sight; -1 when the filters leave it out. */
  const find = async (taskId: string, signal: AbortSignal): Promise<number> => {
    const known = indexOf(taskId);
    if (known >= 0) return known;
    const part = { around: taskId, limit: PAGE };
    const { offset, items } = await ask(part, { signal });
    const at = items.findIndex((row) => row.taskId === taskId);
    return at < 0 ? -1 : offset + at;
  };
  /** A task by its place, whether or not it has been in sight. */
  const readAt = async (index: number): Promise<TaskListing | undefined> => {
    const { items } = await ask({ offset: index, limit: 1 });
    return items[0];
  };
  const { matched, total, error } = pages.current;
  return { matched, total, error, isFirst, rowAt, onSight, find, readAt };
}
