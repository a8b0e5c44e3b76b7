import type { TaskResult, Thresholds } from '@touchstone/protocol';
import type { ConfirmedTask, RunView } from './run-view.js';
import { plural } from './units.js';

/** Counts the attempts of tasks over the run that found them failing and the one that ran them again. */
export const confirmTasks = (
  taskIds: readonly string[],
  runs: readonly (readonly TaskResult[])[],
  thresholds: Thresholds,
): readonly ConfirmedTask[] =>
  taskIds.map((taskId) => {
    const scores = runs.flatMap((results) =>
      results.filter((result) => result.taskId === taskId).flatMap((result) => passesOf(result, thresholds)),
    );
    return { taskId, attempts: scores.length, failed: scores.filter((passed) => !passed).length };
  });

/** Whether each repeat passed. What could not be scored says nothing. */
function passesOf(result: TaskResult, { passScore }: Thresholds): readonly boolean[] {
  if (result.unscored) return [];
  const threshold = result.bar ?? passScore ?? (result.criteria ? 0.8 : 1);
  return result.repeats ? result.repeats.map((score) => score >= threshold) : [result.passed];
}

/** A failure counts when most of all attempts failed. */
const isConfirmed = ({ attempts, failed }: ConfirmedTask): boolean => failed * 2 > attempts;

/** The tasks that newly fail, without those that passed in most of all attempts. */
export function newsOf({ report, confirmation }: RunView): readonly string[] {
  const chance = new Set(
    confirmation?.tasks.filter((task) => !isConfirmed(task)).map(({ taskId }) => taskId),
  );
  return (report?.regression?.toFail ?? []).filter((taskId) => !chance.has(taskId));
}

/** What the second look has shown, in sentences. */
export function confirmationWords({ confirmation }: RunView): readonly string[] {
  if (!confirmation) return [];
  const { runId, times, tasks } = confirmation;
  const passed = tasks.filter((task) => !isConfirmed(task));
  const again = `${plural(tasks.length, 'newly failing task')} ran ${plural(times, 'more time')} in run ${runId}`;
  if (passed.length === 0) return [`${again}: most attempts of each failed.`];
  const named = passed.map(({ taskId, attempts, failed }) => `${taskId} (${failed} of ${attempts} failed)`);
  return [`${again}. Not counted as failing: ${named.join(', ')}.`];
}
