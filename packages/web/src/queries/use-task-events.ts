import type { TaskEvents } from '@touchstone/protocol';
import { useState } from 'preact/hooks';
import { client } from '../source.js';
import { type QueryState, useQuery } from './use-query.js';

/** What happened in a task. Its first page has the times of all calls; what was said in later ones is read when wanted. */
export function useTaskEvents(
  runId: string,
  taskId: string,
): QueryState<TaskEvents> & { readonly readOn: () => void } {
  const [pages, setPages] = useState(1);
  const query = useQuery(`events ${runId} ${taskId} ${pages}`, (signal) =>
    readPages(runId, taskId, pages, signal),
  );
  return { ...query, readOn: () => setPages((count) => count + 1) };
}

async function readPages(
  runId: string,
  taskId: string,
  pages: number,
  signal: AbortSignal,
): Promise<TaskEvents> {
  let read = await client.runs.taskEvents(runId as never, taskId, { signal });
  for (let page = 1; page < pages && read.nextCursor !== undefined; page += 1) {
    const { nextCursor: cursor } = read;
    const next = await client.runs.taskEvents(runId as never, taskId, { signal, cursor });
    const { nextCursor: _, ...before } = read;
    read = { ...before, ...next, items: [...before.items, ...next.items], spans: before.spans };
  }
  return read;
}
