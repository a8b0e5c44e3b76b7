import type { RunKind, Unit } from '../kinds/run-kind.js';
import type { Backlog } from '../log/backlog.js';

/** A unit and the place of its step in the plan. */
export type PlannedUnit = Unit & { readonly position: number };

/** Hands out the units that are neither sealed nor logged, in plan order, each once. */
export type Units = {
  /** Whether one is left that was not handed out and is not sealed. */
  readonly left: boolean;
  /** Whether one of them is to be handed out here. */
  readonly leftHere: boolean;
  /** How many are left at most. */
  readonly remaining: number;
  /** How many have been handed out. */
  readonly taken: number;
  take(): PlannedUnit;
  /** One that was taken and has not begun. */
  giveBack(unit: PlannedUnit): void;
  /** The number of the next one, which is its place among all units in plan order. */
  readonly next: number;
  /** Leaves units to others, from this number on. Answers the number of the first one. */
  leaveFrom(number: number): number;
};

export function createUnits({ steps, repeats, ordinalAt }: RunKind, backlog: Backlog): Units {
  const all = steps * repeats;
  const returned: PlannedUnit[] = [];
  let [cursor, taken, end] = [0, 0, all];
  const skipSealed = (): void => {
    while (cursor < all && backlog.isSealed(Math.floor(cursor / repeats), cursor % repeats)) cursor += 1;
  };
  return {
    get left() {
      skipSealed();
      return returned.length > 0 || cursor < all;
    },
    get leftHere() {
      skipSealed();
      return returned.length > 0 || cursor < end;
    },
    get remaining() {
      return returned.length + all - cursor;
    },
    get taken() {
      return taken - returned.length;
    },
    take() {
      const first = returned.shift();
      if (first) return first;
      skipSealed();
      const position = Math.floor(cursor / repeats);
      const repeat = cursor % repeats;
      cursor += 1;
      taken += 1;
      return { position, ordinal: ordinalAt(position), repeat };
    },
    giveBack: (unit) => void returned.push(unit),
    get next() {
      return cursor;
    },
    leaveFrom(number) {
      end = Math.min(all, number);
      return end;
    },
  };
}
