import type { Run } from '../../ports/index.js';
import type { RunKind } from '../kinds/run-kind.js';

/** Slots of one assignment. A run with no more of them is carried by one process. */
export const SLOTS = 16;

/** Whether several processes are worth it: more at a time than one assignment has, and enough units to give each its share. */
export const canSpread = ({ origin, plan }: Run, { steps, repeats, concurrency }: RunKind): boolean =>
  origin === 'host' && plan.kind === 'eval' && concurrency > SLOTS && steps * repeats > concurrency;

/** The slots of each assignment: as even as possible, and together the concurrency of the run. */
export function slotsOf(concurrency: number): readonly number[] {
  const count = Math.max(2, Math.ceil(concurrency / SLOTS));
  const [each, more] = [Math.floor(concurrency / count), concurrency % count];
  return Array.from({ length: count }, (_, place) => each + (place < more ? 1 : 0));
}
