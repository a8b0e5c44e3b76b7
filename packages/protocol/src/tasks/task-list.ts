import { eventIdOf, type RunId } from '../model/ids.js';
import { defined } from '../values/object.js';
import type { TaskList, TaskListing } from '../wire/vendor/tasks.js';
import { agreementOf, keepsOf, sortRows, type TaskFilter, type TaskOrder } from './task-filter.js';
import type { TaskRow } from './task-row.js';

/** Which part of a list, and in which order. */
export type TaskPart = {
  readonly order?: TaskOrder | undefined;
  readonly offset: number;
  readonly limit: number;
  /** The page that has this task, instead of the one at `offset`. */
  readonly around?: string | undefined;
};

/** The rows of one page, and how many there are in all. */
export function pageOf(
  rows: readonly TaskRow[],
  query: TaskFilter & TaskPart,
): Pick<TaskList, 'matched' | 'offset'> & { readonly rows: readonly TaskRow[] } {
  const matched = sortRows(rows.filter(keepsOf(query)), query.order);
  const offset = offsetOf(matched, query);
  return { matched: matched.length, offset, rows: matched.slice(offset, offset + query.limit) };
}

/** A task that the filters leave out is nowhere, so the page stays where it was to be. */
function offsetOf(rows: readonly TaskRow[], { around, offset, limit }: TaskPart): number {
  const at = around === undefined ? -1 : rows.findIndex(({ result }) => result.taskId === around);
  return at < 0 ? offset : Math.floor(at / limit) * limit;
}

/** A task as lists show it. */
export function listingOf(runId: RunId, row: TaskRow, last: string | undefined): TaskListing {
  const { result, before, review } = row;
  const { taskId, score, passed, unscored, outcome, latencyMs, costUsd, judgeUsd, findings, repeats } =
    result;
  return {
    n: row.ordinal,
    taskId,
    score,
    passed,
    ...defined({ unscored, outcome, latencyMs, costUsd, judgeUsd, findings, repeats, last }),
    ...(result.schemaValid === false && { schemaValid: false }),
    ...(result.criteria && { criteria: metOf(result.criteria) }),
    ...defined({ agreement: agreementOf(result) }),
    ...(before && !before.unscored && { before: { score: before.score, passed: before.passed } }),
    ...(review && { remarks: review.remarks }),
    ...(review?.isFlagged && { flagged: true }),
    ...(review?.override && { override: review.override }),
    ...(row.lastSequence !== undefined && { scored: eventIdOf(runId, row.lastSequence) }),
  };
}

const metOf = (criteria: readonly { readonly met: number }[]): readonly [number, number] => [
  criteria.filter(({ met }) => met === 1).length,
  criteria.length,
];
