import { listingOf, pageOf, type TaskFilter, type TaskPart } from '@touchstone/protocol/tasks';
import type { FileTask, PageFile, RunInFile } from '@touchstone/sdk/view';
import { readTaskQuery } from '../queries/task-query.js';
import { numberIn, type Question, runOf } from './question.js';

export function filterOf(query: URLSearchParams): TaskFilter & Pick<TaskPart, 'order'> {
  const { change, against: _, ...filter } = readTaskQuery(query).filter;
  return { ...filter, change: change?.split(',') as TaskFilter['change'] };
}

export function tasksOf(file: PageFile, { run, query }: Omit<Question, 'taskId'>, filter: TaskFilter) {
  const rows = rowsOf(file, run, query);
  if (!rows) return undefined;
  const part = { offset: numberIn(query, 'offset', 0), limit: numberIn(query, 'limit', 100) };
  const page = pageOf(rows, { ...filter, ...part, around: query.get('around') ?? undefined });
  const { runId, touchstone } = run.snapshot;
  const hasLast = numberIn(query, 'last', 0) > 0;
  return {
    runId,
    revision: touchstone.eventCount,
    total: run.tasks.length,
    matched: page.matched,
    offset: page.offset,
    items: page.rows.map((row) => listingOf(runId, row, hasLast ? (row as FileTask).last : undefined)),
  };
}

/** The tasks of a run, held against another run of the file or against its own baseline. */
export function rowsOf(
  file: PageFile,
  run: RunInFile,
  query: URLSearchParams,
): readonly FileTask[] | undefined {
  const against = query.get('against');
  const { baselineRunId } = run.snapshot.touchstone;
  if (against === null) return run.tasks;
  const other = runOf(file, against);
  if (!other) return against === baselineRunId ? run.tasks : undefined;
  const byId = new Map(other.tasks.map(({ result }) => [result.taskId, result]));
  return run.tasks.map(({ before: _, ...task }) => {
    const before = byId.get(task.result.taskId);
    return before ? { ...task, before } : task;
  });
}
