import type { TaskId, TaskResult } from '@touchstone/protocol';

/** The result of a task, and where it probably stands. */
export type FindResult = (taskId: TaskId, at: number) => TaskResult | undefined;

/**
 * Two runs of one suite have their tasks at the same places, so that is where a task is looked for first. The table by ids
 * is made for the first one that stands elsewhere.
 */
export function createFindResult(results: readonly TaskResult[]): FindResult {
  let byId: ReadonlyMap<TaskId, TaskResult> | undefined;
  return (taskId, at) => {
    const there = results[at];
    if (there?.taskId === taskId) return there;
    byId ??= new Map(results.map((result) => [result.taskId, result]));
    return byId.get(taskId);
  };
}
