import type { Digest, ReportedRegression, TaskId, Thresholds } from '@touchstone/protocol';
import { reachesThreshold, thresholdOf } from '../fold/fold-task.js';
import type { PairedFold } from './paired-fold.js';

/** The tasks of a suite by id, each with the digest of its canonical JSON. */
export type TaskDigests = ReadonlyMap<TaskId, Digest>;

/** How the tasks of two suites hang together. */
export type SharedTasks = {
  /** Of equal id and equal digest. */
  readonly common: ReadonlySet<TaskId>;
  readonly changed: readonly TaskId[];
  readonly added: readonly TaskId[];
  readonly removed: readonly TaskId[];
};

/** Lists are in the order of the suite that they are read from. */
export function shareTasks(before: TaskDigests, after: TaskDigests): SharedTasks {
  const inBoth = [...after.keys()].filter((taskId) => before.has(taskId));
  const isSame = (taskId: TaskId): boolean => before.get(taskId) === after.get(taskId);
  return {
    common: new Set(inBoth.filter(isSame)),
    changed: inBoth.filter((taskId) => !isSame(taskId)),
    added: [...after.keys()].filter((taskId) => !before.has(taskId)),
    removed: [...before.keys()].filter((taskId) => !after.has(taskId)),
  };
}

/**
 * Gives a comparison the common tasks that both runs ran, and no others. The bar of today decides what passed then, too.
 * What is told of the two suites comes with its result.
 */
export function onCommonTasks<F extends PairedFold<ReportedRegression>>(
  fold: F,
  { common, changed, added, removed }: SharedTasks,
  thresholds: Thresholds | undefined,
): F {
  let compared = 0;
  return {
    ...fold,
    before: () => undefined,
    after: () => undefined,
    pair(then, now) {
      if (!then || !now || !common.has(now.taskId)) return;
      const held = { ...then, passed: reachesThreshold(then, thresholdOf(now, thresholds)) };
      compared += 1;
      fold.before(held);
      fold.after(now);
      fold.pair(held, now);
    },
    result() {
      const found = fold.result();
      return { ...found, tasks: { ...found.tasks, common: compared, changed, added, removed } };
    },
  };
}
