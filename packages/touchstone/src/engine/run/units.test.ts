import { expect, it } from 'vitest';
import { createUnits } from './units.js';

/** Three steps of two repeats, of which those with these numbers are sealed. */
function unitsWith(...numbers: readonly number[]) {
  const sealed = new Set(numbers);
  const kind = { steps: 3, repeats: 2, ordinalAt: (position: number) => position };
  const backlog = { isSealed: (position: number, repeat: number) => sealed.has(position * 2 + repeat) };
  return { sealed, units: createUnits(kind as never, backlog as never) };
}

it('each unit that is not sealed is handed out once, in order', () => {
  const { units } = unitsWith(1, 4);
  const taken = [];
  while (units.left) taken.push(units.take());
  expect(taken.map(({ position, repeat }) => position * 2 + repeat)).toEqual([0, 2, 3, 5]);
  expect(units.taken).toBe(4);
});

it('units that are left to others are not handed out here, and are left until they are sealed', () => {
  const { units, sealed } = unitsWith();
  units.take();
  expect(units.leaveFrom(units.next + 1)).toBe(2);
  expect(units.leftHere).toBe(true);
  units.take();
  expect([units.left, units.leftHere]).toEqual([true, false]);
  for (const number of [2, 3, 4, 5]) sealed.add(number);
  expect([units.left, units.leftHere]).toEqual([false, false]);
});

it('one that has not begun is handed out again, also when the rest is left to others', () => {
  const { units } = unitsWith();
  const first = units.take();
  units.leaveFrom(1);
  units.giveBack(first);
  expect([units.leftHere, units.taken]).toEqual([true, 0]);
  expect(units.take()).toBe(first);
  expect([units.leftHere, units.taken]).toEqual([false, 1]);
});

it('no more can be left to others than there are', () => {
  const { units } = unitsWith();
  expect(units.leaveFrom(Number.POSITIVE_INFINITY)).toBe(6);
});
