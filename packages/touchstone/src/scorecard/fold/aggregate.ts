/** Mean with compensated summation (Neumaier): a long suite must not miss its threshold by accumulated rounding. */
export function mean(values: readonly number[]): number {
  if (values.length === 0) return 0;
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return (sum + lost) / values.length;
}

/**
 * The nearest-rank percentile: the smallest value with at least `percent` per cent of all values at or below it.
 * A whole percentage, because 0.07 × 100 is more than 7 in floating point and would land one rank too high.
 */
export const nearestRank = (values: readonly number[], percent: number): number =>
  nearestRanks(values, [percent])[0] as number;

/** Several of them for one sorting. */
export function nearestRanks(values: readonly number[], percents: readonly number[]): readonly number[] {
  const sorted = Float64Array.from(values).sort();
  return percents.map((percent) => sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? 0);
}

/** The latencies that were measured. */
export function knownLatencies(
  results: readonly { readonly latencyMs?: number | undefined }[],
): readonly number[] {
  const known: number[] = [];
  for (const { latencyMs } of results) if (latencyMs !== undefined) known.push(latencyMs);
  return known;
}

/** Undefined when none is known: what was not measured is not 0. */
export function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  let sum: number | undefined;
  for (const value of values) if (value !== undefined) sum = (sum ?? 0) + value;
  return sum;
}
