import type { Backlog } from '../log/backlog.js';

/** One repeat of one step. */
export type Unit = { readonly position: number; readonly repeat: number };

/** Hands out the work that is neither sealed nor logged, in plan order, each unit once. */
export type Units = { readonly left: boolean; take(): Unit };

export function createUnits(steps: number, repeats: number, backlog: Backlog): Units {
  let cursor = 0;
  const unitAt = (index: number): Unit => ({
    position: Math.floor(index / repeats),
    repeat: index % repeats,
  });
  const skipSealed = (): void => {
    while (cursor < steps * repeats && backlog.isSealed(Math.floor(cursor / repeats), cursor % repeats))
      cursor += 1;
  };
  return {
    get left() {
      skipSealed();
      return cursor < steps * repeats;
    },
    take() {
      skipSealed();
      return unitAt(cursor++);
    },
  };
}
