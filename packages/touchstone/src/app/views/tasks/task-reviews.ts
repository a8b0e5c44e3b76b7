import { type Owner, REVIEW_LABEL, type RunId, type TaskId, type Thresholds } from '@touchstone/protocol';
import type { EndedTask, TaskReview } from '@touchstone/protocol/tasks';
import type { Annotation, Store } from '../../../ports/index.js';
import { thresholdOf } from '../../../scorecard/index.js';
import type { TaskTable } from './task-table.js';

const NONE: TaskReview = { remarks: 0, isFlagged: false, isDone: false };

/** By task. Annotations of the run as a whole are of no task. */
export async function readReviews(
  store: Pick<Store, 'annotations'>,
  owner: Owner,
  runId: RunId,
  table: TaskTable,
  thresholds: Thresholds | undefined,
): Promise<ReadonlyMap<TaskId, TaskReview>> {
  const reviews = new Map<TaskId, TaskReview>();
  const all = await store.annotations.list(owner, runId);
  const find = all.length > 0 ? taskFinder(runId, table) : () => undefined;
  for (const annotation of all) {
    const task = find(annotation);
    if (!task) continue;
    const { taskId } = task.result;
    reviews.set(taskId, withAnnotation(reviews.get(taskId) ?? NONE, annotation, task, thresholds));
  }
  return reviews;
}

function withAnnotation(
  review: TaskReview,
  { signal, override, by }: Annotation,
  { result }: EndedTask,
  thresholds: Thresholds | undefined,
): TaskReview {
  const isLabel = signal.label?.startsWith(REVIEW_LABEL) === true;
  return {
    ...review,
    remarks: review.remarks + 1,
    isFlagged: review.isFlagged || signal.kind === 'flag',
    isDone: review.isDone || isLabel || override !== undefined,
    ...(override && {
      override: {
        score: override.score,
        passed: override.passed ?? override.score >= thresholdOf(result, thresholds),
        by,
      },
    }),
  };
}

/** An annotation names its task, or an event between the first and the last one of the task. */
export function taskFinder(
  runId: RunId,
  table: TaskTable,
): (annotation: Pick<Annotation, 'eventId' | 'nodeId'>) => EndedTask | undefined {
  const steps = table.tasks
    .filter(({ lastSequence }) => lastSequence !== undefined)
    .sort((a, b) => (a.lastSequence ?? 0) - (b.lastSequence ?? 0));
  return ({ eventId, nodeId }) => {
    if (nodeId !== undefined) return table.byId().get(nodeId as TaskId);
    if (eventId === undefined) return undefined;
    const sequence = Number(eventId.slice(runId.length + 1));
    const step = steps[lowerBound(steps, sequence)];
    return step && (step.firstSequence ?? 0) <= sequence ? step : undefined;
  };
}

/** The first step that does not end before an event. */
function lowerBound(steps: readonly EndedTask[], sequence: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.lastSequence ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
