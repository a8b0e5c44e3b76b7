import type { TaskList, TaskListing } from '@touchstone/protocol';
import type { TaskListQuery } from '@touchstone/sdk';
import { client } from '../source.js';
import { PAGE_ROWS, usePages } from './use-pages.js';

const LAST_RUNS = 8;

/** Tasks of a run as far as they have been in sight. */
export function useTaskPages(runId: string, query: TaskListQuery, revision: number) {
  const { latest, indexOf, ...pages } = usePages<TaskListing, TaskList>(
    JSON.stringify([runId, query, revision]),
    (part, signal) => client.runs.tasks(runId as never, { ...query, ...part, last: LAST_RUNS }, { signal }),
  );
  /** The place of a task that has not been in sight; -1 when the filters leave it out. */
  const find = async (taskId: string, signal: AbortSignal): Promise<number> => {
    const known = indexOf((row) => row.taskId === taskId);
    if (known >= 0) return known;
    const part = { around: taskId, limit: PAGE_ROWS };
    const { offset, items } = await client.runs.tasks(runId as never, { ...query, ...part }, { signal });
    const at = items.findIndex((row) => row.taskId === taskId);
    return at < 0 ? -1 : offset + at;
  };
  return { ...pages, total: latest?.total ?? 0, find };
}
