import type { TaskResult } from '@touchstone/protocol';
import type { Run } from '../../ports/index.js';
import { type PairTaker, pairUp, type SameTasks } from '../../scorecard/index.js';
import type { Results } from './results.js';

/** Where the results of a run are: in its log, or at hand. */
export type ResultsOf = { readonly run: Run } | { readonly results: readonly TaskResult[] };

export const loadResults = async (source: Results, from: ResultsOf): Promise<readonly TaskResult[]> =>
  'run' in from ? source.all(from.run) : from.results;

/**
 * Folds the results of a run, beside those of another one if there is one. Logs are read a page at a time, so what is held
 * does not grow with them; where two logs have other tasks or another order, all of both are read, and a second fold
 * takes them.
 */
export async function foldRuns<F extends PairTaker>(
  source: Results,
  before: ResultsOf | undefined,
  after: ResultsOf,
  createFold: () => F,
): Promise<{ readonly fold: F; readonly sameTasks: SameTasks }> {
  const fold = createFold();
  if (await hasWalked(source, before, after, fold)) return { fold, sameTasks: true };
  const whole = createFold();
  const earlier = before ? await loadResults(source, before) : [];
  return { fold: whole, sameTasks: pairUp(whole, earlier, await loadResults(source, after)) };
}

async function hasWalked(
  source: Results,
  before: ResultsOf | undefined,
  after: ResultsOf,
  fold: PairTaker,
): Promise<boolean> {
  if (!('run' in after)) return false;
  if (!before) return source.walk(after.run, fold.after);
  if (!('run' in before)) return false;
  return source.walkBoth(before.run, after.run, (then, now) => {
    fold.before(then);
    fold.after(now);
    fold.pair(then, now);
  });
}
