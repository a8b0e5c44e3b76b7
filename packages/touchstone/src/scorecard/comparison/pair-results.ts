import type { TaskResult } from '@touchstone/protocol';
import { createFindResult } from './find-result.js';

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
  const earlier = createFindResult(before);
  const pairs: Pair[] = [];
  let shared = 0;
  for (const [at, result] of after.entries()) {
    const known = earlier(result.taskId, at);
    if (known) shared += 1;
    if (known && !known.unscored && !result.unscored)
      pairs.push({ before: known, after: result, difference: result.score - known.score });
  }
  return { pairs, unpaired: before.length + after.length - shared - pairs.length };
}
