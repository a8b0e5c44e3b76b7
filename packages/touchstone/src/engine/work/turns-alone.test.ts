import { expect, it } from 'vitest';
import { claimedUnits } from './claimed-units.js';
import { createTurnsAlone } from './turns-alone.js';

const NEVER = new AbortController().signal;
const turns = () => createTurnsAlone({ enter: () => () => undefined, isFull: false });
const isPending = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([
    promise.then(() => 'done'),
    new Promise((resolve) => setImmediate(resolve, 'pending')),
  ])) === 'pending';

it('slots are passed through at once while nobody is alone', () => {
  const { slots } = turns();
  expect(slots.enter('t', 'r', NEVER)).toBeInstanceOf(Function);
});

it('one who is alone waits for all others, and all others wait for him', async () => {
  const { slots, enter } = turns();
  const first = slots.enter('t', 'r', NEVER) as () => void;
  const alone = enter(NEVER);
  const second = slots.enter('t', 'r', NEVER) as Promise<() => void>;
  expect(await isPending(alone)).toBe(true);
  first();
  const leave = await alone;
  expect(await isPending(second)).toBe(true);
  leave?.();
  (await second)();
});

it('two who want to be alone are so one after the other', async () => {
  const { enter } = turns();
  const first = await enter(NEVER);
  const second = enter(NEVER);
  expect(await isPending(second)).toBe(true);
  first?.();
  expect(await second).toBeInstanceOf(Function);
});

it('one who no longer waits holds up nobody', async () => {
  const { slots, enter } = turns();
  const inside = slots.enter('t', 'r', NEVER) as () => void;
  const over = new AbortController();
  const alone = enter(over.signal);
  over.abort();
  expect(await alone).toBeUndefined();
  expect(slots.enter('t', 'r', NEVER)).toBeInstanceOf(Function);
  inside();
});

it.each([
  ['no', 0, undefined, [false, false], [false, false]],
  ['two', 2, undefined, [true, true], [false, false]],
  ['three, one of them alone with the second unit', 3, 6, [true, true], [false, true]],
  ['three, none of them with a unit that was alone', 3, 5, [true, true], [false, false]],
] as const)('units of a claim that has lost %s holders', (_name, deaths, noted, alone, givenUp) => {
  const unitAt = (number: number) => ({ position: number, ordinal: number, repeat: 0 });
  const claim = { first: 4, count: 3, deaths, ...(noted !== undefined && { aloneUnit: noted }) };
  const units = claimedUnits(claim, { unitAt }, [{ ordinal: 5, repeat: 0 }]);
  expect(units.map(({ ordinal }) => ordinal)).toEqual([4, 6]);
  expect(units.map((unit) => unit.alone)).toEqual(alone);
  expect(units.map((unit) => unit.isGivenUp)).toEqual(givenUp);
});
