import type { TaskList, TaskListing } from '@touchstone/protocol';
import type { TaskListQuery } from '@touchstone/sdk';
import { tasksKey } from '../first-answers.js';
import { client } from '../source.js';
import { FIRST_PART, PAGE_ROWS, usePages } from './use-pages.js';

const LAST_RUNS = 8;
/** What a list of tasks is asked for first. */
export const FIRST_TASKS = { ...FIRST_PART, last: LAST_RUNS };

type Reading = { readonly signal?: AbortSignal };

/** Filters as the body of a search has them. */
const filtersOf = (query: TaskListQuery): { readonly [name: string]: string | number } =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as never;

/** Tasks of a run as far as they have been in sight; of a search, those whose content has the text. */
export function useTaskPages(runId: string, query: TaskListQuery, revision: number, text = '') {
  const ask = (part: TaskListQuery, reading: Reading = {}): Promise<TaskList> =>
    text === ''
      ? client.runs.tasks(runId as never, { ...query, ...part }, reading)
      : client.runs.searchTasks(runId as never, { text, filters: filtersOf({ ...query, ...part }) }, reading);
  const { latest, indexOf, ...pages } = usePages<TaskListing, TaskList>(
    JSON.stringify([runId, query, revision, text]),
    (part, signal) => ask({ ...part, last: LAST_RUNS }, { signal }),
    text === '' ? tasksKey(runId, query) : undefined,
  );
  /** The place of a task that has not been in sight; -1 when the filters leave it out. */
  const find = async (taskId: string, signal: AbortSignal): Promise<number> => {
    const known = indexOf((row) => row.taskId === taskId);
    if (known >= 0) return known;
    const { offset, items } = await ask({ around: taskId, limit: PAGE_ROWS }, { signal });
    const at = items.findIndex((row) => row.taskId === taskId);
    return at < 0 ? -1 : offset + at;
  };
  /** A task by its place, whether or not it has been in sight. */
  const readAt = async (index: number): Promise<TaskListing | undefined> => {
    const { items } = await ask({ offset: index, limit: 1 });
    return items[0];
  };
  return { ...pages, latest, total: latest?.total ?? 0, find, readAt };
}
