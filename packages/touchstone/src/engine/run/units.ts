import type { RunKind, Unit } from '../kinds/run-kind.js';
import type { Backlog } from '../log/backlog.js';

/** A unit and the place of its step in the plan. */
export type PlannedUnit = Unit & { readonly position: number };

/** Hands out the units that are neither sealed nor logged, in plan order, each once. */
export type Units = {
  readonly left: boolean;
  /** How many are left at most. */
  readonly remaining: number;
  take(): PlannedUnit;
  /** One that was taken and has not begun. */
  giveBack(unit: PlannedUnit): void;
};

export function createUnits({ steps, repeats, ordinalAt }: RunKind, backlog: Backlog): Units {
  const returned: PlannedUnit[] = [];
  let cursor = 0;
  const skipSealed = (): void => {
    while (cursor < steps * repeats && backlog.isSealed(Math.floor(cursor / repeats), cursor % repeats))
      cursor += 1;
  };
  return {
    get left() {
      skipSealed();
      return returned.length > 0 || cursor < steps * repeats;
    },
    get remaining() {
      return returned.length + steps * repeats - cursor;
    },
    take() {
      const first = returned.shift();
      if (first) return first;
      skipSealed();
      const position = Math.floor(cursor / repeats);
      const repeat = cursor % repeats;
      cursor += 1;
      return { position, ordinal: ordinalAt(position), repeat };
    },
    giveBack: (unit) => void returned.push(unit),
  };
}
