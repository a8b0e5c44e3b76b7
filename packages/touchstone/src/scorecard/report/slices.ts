import type { EvalReport, ReportedSlice, SliceName, TaskResult } from '@touchstone/protocol';
import { sliceOf } from '@touchstone/protocol/tasks';
import { createMean, type Mean } from '../fold/aggregate.js';
import type { Fold } from '../fold/fold.js';
import { passRateInterval } from '../statistics/wilson.js';

const FEWEST_TASKS = 2;
const FEWEST_SLICES = 2;
const MOST_SLICES = 50;

/** What is counted of a slice, with the differences of those tasks that the baseline has a score of too. */
type Slice = {
  readonly name: SliceName;
  readonly scores: Mean;
  readonly differences: Mean;
  passed: number;
  open: number;
};

type SlicesFold = Fold<TaskResult, Pick<EvalReport, 'slices'>> & {
  /** A task that has been added, and what it scored in the baseline. */
  pair(before: TaskResult | undefined, after: TaskResult | undefined): void;
};

/**
 * Tasks whose ids begin alike, side by side. A suite that names its tasks without a system has no slices, and one slice
 * would only repeat the total.
 */
export function createSlices(): SlicesFold {
  const slices = new Map<SliceName, Slice>();
  return {
    add({ taskId, score, passed, unscored }) {
      const name = sliceOf(taskId);
      // An id that begins with the hyphen says nothing about where it belongs.
      if (name === '') return;
      const slice = slices.get(name) ?? emptySlice(name);
      slices.set(name, slice);
      slice.scores.add(score);
      if (passed) slice.passed += 1;
      if (unscored) slice.open += 1;
    },
    pair(before, after) {
      if (!before || !after || before.unscored || after.unscored) return;
      slices.get(sliceOf(after.taskId))?.differences.add(after.score - before.score);
    },
    result() {
      const shared = [...slices.values()].filter(({ scores }) => scores.count >= FEWEST_TASKS);
      if (shared.length < FEWEST_SLICES) return {};
      return { slices: shared.sort(bySizeAndName).slice(0, MOST_SLICES).map(describeSlice) };
    },
  };
}

const emptySlice = (name: SliceName): Slice => ({
  name,
  scores: createMean(),
  differences: createMean(),
  passed: 0,
  open: 0,
});

const bySizeAndName = (a: Slice, b: Slice): number =>
  b.scores.count - a.scores.count || (a.name < b.name ? -1 : 1);

/** As in the whole, an unscored task counts as failed in the rate and is left open in its interval. */
function describeSlice({ name, scores, differences, passed, open }: Slice): ReportedSlice {
  return {
    name,
    tasks: scores.count,
    score: scores.result(),
    passRate: passed / scores.count,
    passRateInterval: passRateInterval(passed, open, scores.count),
    ...(differences.count > 0 && { scoreDelta: differences.result() }),
    exploratory: true,
  };
}
