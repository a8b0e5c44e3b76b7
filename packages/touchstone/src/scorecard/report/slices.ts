import {
  asId,
  type EvalReport,
  type ReportedSlice,
  type SliceName,
  type TaskResult,
} from '@touchstone/protocol';
import { sliceOf } from '@touchstone/protocol/tasks';
import { pairResults } from '../comparison/pair-results.js';
import { mean } from '../fold/aggregate.js';
import { passRateInterval } from '../statistics/wilson.js';

const FEWEST_TASKS = 2;
const FEWEST_SLICES = 2;
const MOST_SLICES = 50;

/** What is collected of a slice: its results, and the differences of those tasks that the baseline has a score of too. */
type Slice = { readonly name: SliceName; readonly results: TaskResult[]; readonly differences: number[] };

/**
 * Tasks whose ids begin alike, side by side. A suite that names its tasks without a system has no slices, and one slice
 * would only repeat the total.
 */
export function reportSlices(
  results: readonly TaskResult[],
  baseline: readonly TaskResult[] = [],
): Pick<EvalReport, 'slices'> {
  const slices = sliceUp(results);
  const { pairs } = baseline.length > 0 ? pairResults(baseline, results) : { pairs: [] };
  for (const { after, difference } of pairs) slices.get(sliceOf(after.taskId))?.differences.push(difference);
  const shared = [...slices.values()].filter((slice) => slice.results.length >= FEWEST_TASKS);
  if (shared.length < FEWEST_SLICES) return {};
  return { slices: shared.sort(bySizeAndName).slice(0, MOST_SLICES).map(describeSlice) };
}

function sliceUp(results: readonly TaskResult[]): ReadonlyMap<SliceName, Slice> {
  const slices = new Map<SliceName, Slice>();
  for (const result of results) {
    const name = sliceOf(result.taskId);
    const slice = slices.get(name);
    if (slice) slice.results.push(result);
    else slices.set(name, { name, results: [result], differences: [] });
  }
  // An id that begins with the hyphen says nothing about where it belongs.
  slices.delete(asId<SliceName>(''));
  return slices;
}

const bySizeAndName = (a: Slice, b: Slice): number =>
  b.results.length - a.results.length || (a.name < b.name ? -1 : 1);

/** As in the whole, an unscored task counts as failed in the rate and is left open in its interval. */
function describeSlice({ name, results, differences }: Slice): ReportedSlice {
  const passed = results.filter((result) => result.passed).length;
  const open = results.filter((result) => result.unscored).length;
  return {
    name,
    tasks: results.length,
    score: mean(results.map(({ score }) => score)),
    passRate: passed / results.length,
    passRateInterval: passRateInterval(passed, open, results.length),
    ...(differences.length > 0 && { scoreDelta: mean(differences) }),
    exploratory: true,
  };
}
