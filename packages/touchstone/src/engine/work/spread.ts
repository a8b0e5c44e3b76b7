import type { Run } from '../../ports/index.js';
import type { RunKind } from '../kinds/run-kind.js';

/** Slots of one assignment. A run with no more of them is carried by one process. */
export const SLOTS = 16;

/** Whether several processes are worth it: more at a time than one assignment has, and enough units to give each its share. */
export const canSpread = ({ origin, plan }: Run, { steps, repeats, concurrency }: RunKind): boolean =>
  origin === 'host' && plan.kind === 'eval' && concurrency > SLOTS && steps * repeats > concurrency;

/** So many slots of a run as even shares of its assignments, by their places. By default all that it has. */
export function slotsOf(concurrency: number, slots = concurrency): readonly number[] {
  const count = Math.max(2, Math.ceil(concurrency / SLOTS));
  const [each, more] = [Math.floor(slots / count), slots % count];
  return Array.from({ length: count }, (_, place) => each + (place < more ? 1 : 0));
}

/**
 * How many units a process may execute at a time while others could, too, and nobody knows what they do to a machine: as many as an
 * assignment has, and some more with each that has ended.
 */
export const slotsAfter = (concurrency: number, finished: number): number =>
  Math.min(concurrency, SLOTS + MORE * finished);
const MORE = 3;

/** Tasks that take less are carried by one process: their share of it is what the host does for them. */
const SHORT_MS = 40;

/** Whether units of which so many have ended, in this time and with so many at a time, are that short. */
export const areShort = (finished: number, ms: number, concurrency: number): boolean =>
  concurrency * ms < finished * SHORT_MS;
