import type { OpenClaim, TaskRecord } from '../../ports/index.js';
import type { PlannedUnit } from '../run/units.js';
import type { UnitNumbers } from './unit-numbers.js';

/** So many holders may be lost with a claim before its units are executed alone; with one more, a unit is given up. */
const DEATHS_TO_ALONE = 2;

/** A unit that was claimed. */
export type ClaimedUnit = PlannedUnit & {
  readonly number: number;
  /** The first unit of its claim. */
  readonly claim: number;
  /** The holder that had it before counts as lost, and may be at work on it all the same. */
  readonly isTakenOver: boolean;
  /** It may be what ends processes, so it is executed while nothing else is. */
  readonly alone: boolean;
  /** It was being executed alone when the last holder was lost. It is not tried again. */
  readonly isGivenUp: boolean;
};

/**
 * The units of a claim that are not sealed, in order. Those of a claim that has lost two holders are executed alone and in
 * this order, each noted before it begins, and when the one before is on disk. So if a third holder is lost during one of them,
 * it is known which one it was.
 */
export function claimedUnits(
  { first, count, deaths, aloneUnit }: OpenClaim,
  { unitAt }: Pick<UnitNumbers, 'unitAt'>,
  sealed: readonly Pick<TaskRecord, 'ordinal' | 'repeat'>[],
): readonly ClaimedUnit[] {
  const keyOf = ({ ordinal, repeat }: Pick<TaskRecord, 'ordinal' | 'repeat'>) => `${ordinal}.${repeat}`;
  const known = new Set(sealed.map(keyOf));
  const units = Array.from({ length: count }, (_, i) => ({ ...unitAt(first + i), number: first + i }));
  return units
    .filter((unit) => !known.has(keyOf(unit)))
    .map((unit) => ({
      ...unit,
      claim: first,
      isTakenOver: deaths > 0,
      alone: deaths >= DEATHS_TO_ALONE,
      isGivenUp: deaths > DEATHS_TO_ALONE && unit.number === aloneUnit,
    }));
}
