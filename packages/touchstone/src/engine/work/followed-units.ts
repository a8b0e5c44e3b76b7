import type { UnitRange } from '../../ports/index.js';
import type { Loop } from '../run/loop.js';
import type { UnitNumbers } from './unit-numbers.js';

/** The units of a run that others execute, as its driver knows them. */
export type FollowedUnits = {
  readonly loop: Loop;
  readonly numbers: UnitNumbers;
  /** Those before it are the driver's. */
  readonly firstUnit: number;
  /** Claims of which some unit is not known to be sealed. */
  readonly open: Map<number, UnitRange>;
};

const isSealed = ({ loop, numbers }: FollowedUnits, unit: number): boolean => {
  const { position, repeat } = numbers.unitAt(unit);
  return loop.backlog.isSealed(position, repeat);
};

export function firstUnsealed(followed: FollowedUnits, from: number): number {
  let unit = from;
  while (unit < followed.numbers.units && isSealed(followed, unit)) unit += 1;
  return unit;
}

/** Whether some were sealed before others could. */
export function hasSealed(followed: FollowedUnits): boolean {
  const { firstUnit, numbers } = followed;
  for (let unit = firstUnit; unit < numbers.units; unit += 1) if (isSealed(followed, unit)) return true;
  return false;
}

/** Units that were claimed and are not sealed. Some of them may wait. */
export function unsealedIn(followed: FollowedUnits): number {
  let count = 0;
  for (const claim of followed.open.values())
    for (let unit = claim.first; unit < claim.first + claim.count; unit += 1)
      if (!isSealed(followed, unit)) count += 1;
  return count;
}
