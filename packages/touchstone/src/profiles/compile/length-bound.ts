import type { LengthBound } from '@touchstone/protocol/bodies';

const BOUND =
  /\b(under|less than|at most|up to|no more than|within)\s+(\d{1,3}(?:,\d{3})+|\d+)[\s-]*(word|character|sentence|line)s?\b/i;
const EXCLUSIVE: readonly string[] = ['under', 'less than'];

/** The bound a description states in words, e.g. "under 1,000 characters". The first one counts. */
export function lengthBoundOf(description: string): LengthBound | undefined {
  const [, phrase, number, unit] = BOUND.exec(description.replace(/\s+/g, ' ')) ?? [];
  if (phrase === undefined || number === undefined || unit === undefined) return undefined;
  return {
    most: Number(number.replaceAll(',', '')),
    unit: `${unit.toLowerCase()}s` as LengthBound['unit'],
    inclusive: !EXCLUSIVE.includes(phrase.toLowerCase()),
  };
}
