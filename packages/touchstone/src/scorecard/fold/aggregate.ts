import { createColumn, type Fold, foldAll } from './fold.js';

/** Mean with compensated summation (Neumaier): a long suite must not miss its threshold by accumulated rounding. */
export const mean = (values: Iterable<number>): number => foldAll(createMean(), values);

/** The same, of numbers that come one after the other. */
export type Mean = Fold<number, number> & { readonly count: number };

export function createMean(): Mean {
  let sum = 0;
  let lost = 0;
  let count = 0;
  return {
    add(value) {
      const next = sum + value;
      lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
      sum = next;
      count += 1;
    },
    result: () => (count === 0 ? 0 : (sum + lost) / count),
    get count() {
      return count;
    },
  };
}

/**
 * The nearest-rank percentile: the smallest value with at least `percent` per cent of all values at or below it.
 * A whole percentage, because 0.07 × 100 is more than 7 in floating point and would land one rank too high.
 */
export const nearestRank = (values: ArrayLike<number>, percent: number): number =>
  nearestRanks(values, [percent])[0] as number;

/** Several of them for one sorting. */
export function nearestRanks(values: ArrayLike<number>, percents: readonly number[]): readonly number[] {
  const sorted = new Float64Array(values).sort();
  return percents.map((percent) => sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? 0);
}

/** The latencies that were measured. */
export function createLatencies(): Fold<{ readonly latencyMs?: number | undefined }, Float64Array> {
  const known = createColumn();
  return {
    add({ latencyMs }) {
      if (latencyMs !== undefined) known.add(latencyMs);
    },
    result: known.values,
  };
}

/** Undefined when none is known: what was not measured is not 0. */
export function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  let sum: number | undefined;
  for (const value of values) sum = addKnown(sum, value);
  return sum;
}

/** One more of them. */
export const addKnown = (sum: number | undefined, value: number | undefined): number | undefined =>
  value === undefined ? sum : (sum ?? 0) + value;
