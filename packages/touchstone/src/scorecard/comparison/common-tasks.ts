import type { Digest, TaskId, TaskResult, Thresholds } from '@touchstone/protocol';
import { reachesThreshold, thresholdOf } from '../fold/fold-task.js';

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

type TwoResults = { readonly before: readonly TaskResult[]; readonly after: readonly TaskResult[] };

/** The results of common tasks that both runs ran. The bar of today decides what passed then, too. */
export function commonResults(
  { before, after }: TwoResults,
  { common }: SharedTasks,
  thresholds: Thresholds | undefined,
): TwoResults {
  const earlier = new Map(before.map((result) => [result.taskId, result]));
  const both = after.flatMap((now) => {
    const then = common.has(now.taskId) ? earlier.get(now.taskId) : undefined;
    return then ? [{ then, now }] : [];
  });
  return {
    before: both.map(({ then, now }) => ({
      ...then,
      passed: reachesThreshold(then, thresholdOf(now, thresholds)),
    })),
    after: both.map(({ now }) => now),
  };
}

/** What a comparison of common tasks says of the two suites. `compared`: the common tasks that both runs ran. */
export const sharedFacts = ({ changed, added, removed }: SharedTasks, compared: number) => ({
  common: compared,
  changed,
  added,
  removed,
});
