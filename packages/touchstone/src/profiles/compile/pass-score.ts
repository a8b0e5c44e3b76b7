/** How often a criterion appears with which weight: `tasks[n]` tasks in which it is one of n hard criteria. */
export type Tally = { readonly rate: number; readonly tasks: readonly number[] };

const UNITS = 1_000_000_000n;
/** Room for what adding and dividing binary fractions loses, in parts of a unit. */
const SAFE_PART = 1000n;
const SLACK = 1e-9;

/**
 * The lowest mean score that a run can have in which every hard criterion holds its rate: each is missed as often as
 * it may be, where it weighs most, and tasks with soft criteria alone get nothing. Rounded down to 1e-9, in whole
 * numbers, so that no run can keep its gates and miss this bar by rounding.
 */
export function passScoreOf(tasks: number, softTasks: number, hard: readonly Tally[]): number {
  const missed = hard.flatMap(largestMisses);
  const common = missed.reduce((product, { size }) => leastCommonMultiple(product, BigInt(size)), 1n);
  const lost = missed.reduce(
    (sum, { size, count }) => sum + (common / BigInt(size)) * BigInt(count),
    BigInt(softTasks) * common,
  );
  const whole = BigInt(tasks) * common;
  const kept = whole - lost;
  const units = (kept * UNITS) / whole;
  const isTight = ((kept * UNITS) % whole) * SAFE_PART < whole;
  // Halves and quarters add up exactly; thirds do not, and a run at the very bar must not fall below it.
  const isExact = missed.every(({ size }) => isPowerOfTwo(size));
  return Number(units > 0n && isTight && !isExact ? units - 1n : units) / Number(UNITS);
}

/** How many tasks may miss a criterion, and among how many hard ones it is there: first where it weighs most. */
function largestMisses({ rate, tasks }: Tally): readonly { readonly size: number; readonly count: number }[] {
  const applicable = tasks.reduce((sum, count) => sum + count, 0);
  const needed = Math.max(0, Math.ceil(rate * applicable - SLACK));
  let allowed = Math.max(0, applicable - needed);
  return tasks.flatMap((count, size) => {
    const taken = Math.min(count, allowed);
    allowed -= taken;
    return taken > 0 ? [{ size, count: taken }] : [];
  });
}

const isPowerOfTwo = (size: number): boolean => (size & (size - 1)) === 0;

const greatestCommonDivisor = (a: bigint, b: bigint): bigint =>
  b === 0n ? a : greatestCommonDivisor(b, a % b);
const leastCommonMultiple = (a: bigint, b: bigint): bigint => (a / greatestCommonDivisor(a, b)) * b;
