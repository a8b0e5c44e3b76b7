import { asId, type PrincipalId, type SliceName, type TaskId } from '../model/ids.js';
import type { TaskResult } from '../model/score.js';

/** A task that has ended. Its events are in the log, or it is sealed and waits for those before it. */
export type EndedTask = {
  readonly ordinal: number;
  readonly result: TaskResult;
  readonly firstSequence?: number;
  readonly lastSequence?: number;
};

/** What people said about a task, without their words. */
export type TaskReview = {
  readonly remarks: number;
  readonly isFlagged: boolean;
  /** A person has said whether it passes, or whether a criterion is met. */
  readonly isDone: boolean;
  readonly override?: { readonly score: number; readonly passed: boolean; readonly by: PrincipalId };
};

/** What a task is compared by. */
export type EarlierTask = Pick<TaskResult, 'score' | 'passed' | 'unscored'>;

/** A task with what is known of it outside of its run. */
export type TaskRow = EndedTask & {
  /** The same task in the run that is compared with. */
  readonly before?: EarlierTask;
  readonly review?: TaskReview;
};

/** The part of a task's id before its first hyphen. */
export function sliceOf(taskId: TaskId): SliceName {
  const end = taskId.indexOf('-');
  return asId<SliceName>(end < 0 ? taskId : taskId.slice(0, end));
}
