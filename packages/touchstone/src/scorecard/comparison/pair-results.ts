import type { TaskResult } from '@touchstone/protocol';

/** One task in two runs, both of which could score it. `difference` is after − before: negative is worse. */
export type Pair = { readonly before: TaskResult; readonly after: TaskResult; readonly difference: number };

/**
 * Pairs by task, in the order of the later run. Where either run could not score a task nothing is known of a
 * difference: the 0 on the wire is not a score, so the task is counted and left out.
 */
export function pairResults(
  before: readonly TaskResult[],
  after: readonly TaskResult[],
): { readonly pairs: readonly Pair[]; readonly unpaired: number } {
  const earlier = new Map(before.map((result) => [result.taskId, result]));
  const pairs: Pair[] = [];
  let shared = 0;
  for (const result of after) {
    const known = earlier.get(result.taskId);
    if (known) shared += 1;
    if (known && !known.unscored && !result.unscored)
      pairs.push({ before: known, after: result, difference: result.score - known.score });
  }
  return { pairs, unpaired: before.length + after.length - shared - pairs.length };
}
