import type { TaskResult } from '@touchstone/protocol';
import { createFindResult } from './find-result.js';

/** Takes the results of two runs, one after the other. */
export type PairTaker = {
  /** Every result of the earlier run, in its order. */
  before(result: TaskResult): void;
  /** Every result of the later run, in its order. */
  after(result: TaskResult): void;
  /** A task in both runs, in the order of the later one; then what only the earlier one had. */
  pair(before: TaskResult | undefined, after: TaskResult | undefined): void;
};

/** The same, and keeps no more of them than its result needs. */
export type PairedFold<Out> = PairTaker & { result(): Out };

/** Whether the two runs have the same tasks at the same places. */
export type SameTasks = boolean;

/** Gives two runs whose results are at hand. */
export function pairUp(
  taker: PairTaker,
  before: readonly TaskResult[],
  after: readonly TaskResult[],
): SameTasks {
  const earlier = createFindResult(before);
  const later = createFindResult(after);
  for (const result of before) taker.before(result);
  for (const [at, result] of after.entries()) {
    taker.after(result);
    taker.pair(earlier(result.taskId, at), result);
  }
  for (const [at, result] of before.entries()) if (!later(result.taskId, at)) taker.pair(result, undefined);
  return before.length === after.length && before.every(({ taskId }, at) => taskId === after[at]?.taskId);
}
