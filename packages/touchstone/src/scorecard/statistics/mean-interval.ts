import type { Interval } from '@touchstone/protocol';
import { drawGamma } from './gamma.js';
import { createRandom } from './random.js';

const RESAMPLES = 2_000;
const TAIL = 0.025;

/** With more different scores than this, neighbours are put together: see `groupsOf`. */
export const MAX_GROUPS = 256;

/**
 * Half a task at each end of the scale is added to those that ran. Without it a suite on which all scores are equal has
 * an interval of width 0, and three tasks out of three would prove as much as three thousand. With it, scores of only 0
 * and 1 give the interval of Jeffreys.
 */
const PRIOR = 0.5;

/**
 * The 95 % bootstrap interval of the mean of scores from 0 to 1, one score per task: repeats have been averaged inside
 * their task before, so the tasks are what is drawn. Weights are drawn for the tasks (Rubin's bootstrap) rather than
 * tasks with putting back, because the weights of equal scores can be drawn as one. Equal scores and an equal seed give
 * an equal interval; the order of the tasks does not matter.
 */
export function meanInterval(scores: Iterable<number>, seed: string): Interval {
  const groups = groupsOf(scores);
  const drawnFrom = `${seed} ${groups.map(({ sum, size }) => `${sum}/${size}`).join(' ')}`;
  const known = kept.get(drawnFrom);
  if (known) return known;
  const interval = drawInterval(groups, drawnFrom);
  if (kept.size >= KEPT) kept.clear();
  kept.set(drawnFrom, interval);
  return interval;
}

/** The scores of a run are folded when it ends, and soon after for its report. */
const KEPT = 32;
const kept = new Map<string, Interval>();

function drawInterval(groups: readonly Group[], drawnFrom: string): Interval {
  const random = createRandom(drawnFrom);
  const means = Float64Array.from({ length: RESAMPLES }, () => resample(groups, random)).sort();
  const skipped = RESAMPLES * TAIL;
  return [means[skipped - 1] as number, means[RESAMPLES - skipped] as number];
}

type Group = { sum: number; size: number };

/**
 * The work is bounded by the number of groups, however many tasks there are. Golden suites have two groups, rubric
 * suites a few. Scores that are all different fall into bands of 1/256, each standing at its mean; what the spread
 * inside a band would have added is under 1/10,000 of the scale.
 */
function groupsOf(scores: Iterable<number>): readonly Group[] {
  const banded = hasMany(scores);
  const bandOf = (score: number): number => (banded ? Math.floor(score * MAX_GROUPS) : score);
  const groups = new Map<number, Group>();
  const add = (score: number, size: number): void => {
    const band = bandOf(score);
    const group = groups.get(band) ?? { sum: 0, size: 0 };
    group.sum += score * size;
    group.size += size;
    groups.set(band, group);
  };
  add(0, PRIOR);
  add(1, PRIOR);
  for (const score of scores) add(score, 1);
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}

/** Stops counting when it knows. */
function hasMany(scores: Iterable<number>): boolean {
  const seen = new Set<number>();
  for (const score of scores) if (seen.add(score).size > MAX_GROUPS) return true;
  return false;
}

function resample(groups: readonly Group[], random: () => number): number {
  let weighted = 0;
  let total = 0;
  for (const { sum, size } of groups) {
    const weight = drawGamma(size, random);
    weighted += weight * (sum / size);
    total += weight;
  }
  return weighted / total;
}
