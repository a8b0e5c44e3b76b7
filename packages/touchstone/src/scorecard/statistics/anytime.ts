import type { Interval } from '@touchstone/protocol';

/** How sure an anytime interval is: it covers the truth at every look at once in all but this share of cases. */
export const ANYTIME_ALPHA = 0.05;

/** Stakes of the gamblers, denser at both ends of the scale, as the universal portfolio has them. */
const GAMBLERS = 32;
const STAKES = Array.from(
  { length: GAMBLERS },
  (_, at) => Math.sin((Math.PI * (2 * at + 1)) / (4 * GAMBLERS)) ** 2,
);

/** Steps of halving until a bound is known to 1e-9 of the scale. */
const HALVINGS = 30;

/** Values are rounded down to steps of this size, so that the work is bounded. A lower bound of lower values is right, too. */
const STEPS = 2 ** 12;

/** Equal values, counted. The order in which values came does not matter for a product. */
type Tally = readonly (readonly [value: number, count: number])[];

/**
 * An interval of the mean of values from 0 to 1 that stays right however often one looks and whenever one stops
 * (Waudby-Smith and Ramdas: estimating means of bounded variables by betting). For a supposed mean, gamblers bet on
 * values above it, each with a fixed stake; what they hold together is a fair game if the mean is as supposed, so it
 * reaches 2/α in at most α/2 of all games, at any time. Means at which they got that rich are excluded.
 * The values must come in an order that does not depend on them.
 */
export function anytimeInterval(values: readonly number[], alpha = ANYTIME_ALPHA): Interval {
  return [lowerBound(countOf(values), alpha / 2), upperBound(values, alpha / 2)];
}

/** The mean is at least this, at every look at once, in all but `alpha` of cases. */
export const anytimeLower = (values: readonly number[], alpha = ANYTIME_ALPHA): number =>
  lowerBound(countOf(values), alpha);

/** The mean is at most this, at every look at once, in all but `alpha` of cases. */
export const anytimeUpper = (values: readonly number[], alpha = ANYTIME_ALPHA): number =>
  upperBound(values, alpha);

const upperBound = (values: readonly number[], alpha: number): number =>
  1 - lowerBound(countOf(values.map((value) => 1 - value)), alpha);

/** The capital falls as the supposed mean rises, and is at most 1 at the mean of the values: between lies one crossing. */
function lowerBound(values: Tally, alpha: number): number {
  const wanted = -Math.log(alpha);
  let low = 0;
  let high = meanOf(values);
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (middle > 0 && logCapital(values, middle) >= wanted) low = middle;
    else high = middle;
  }
  return low;
}

/** The logarithm of what the gamblers hold together. A stake is a share of the most that cannot lead into debt. */
function logCapital(values: Tally, supposed: number): number {
  const logs = STAKES.map((stake) =>
    values.reduce((sum, [value, count]) => sum + count * Math.log1p(stake * (value / supposed - 1)), 0),
  );
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / GAMBLERS);
}

function countOf(values: readonly number[]): Tally {
  const counts = new Map<number, number>();
  for (const value of values) {
    const step = Math.floor(value * STEPS) / STEPS;
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts];
}

function meanOf(values: Tally): number {
  let [sum, size] = [0, 0];
  for (const [value, count] of values) {
    sum += value * count;
    size += count;
  }
  return size === 0 ? 0 : sum / size;
}
