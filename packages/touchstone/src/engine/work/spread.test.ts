import fc from 'fast-check';
import { expect, it } from 'vitest';
import { areShort, canSpread, slotsAfter, slotsOf } from './spread.js';

it.each([
  [17, [9, 8]],
  [32, [16, 16]],
  [48, [16, 16, 16]],
  [50, [13, 13, 12, 12]],
])('a concurrency of %s is split evenly', (concurrency, slots) => {
  expect(slotsOf(concurrency)).toEqual(slots);
});

it('slots that are granted later come on top of those that an assignment has', () => {
  const sum = (slots: readonly number[]) => slots.reduce((all, one) => all + one, 0);
  const amounts = fc.tuple(fc.integer({ min: 17, max: 300 }), fc.nat(300), fc.nat(300));
  fc.assert(
    fc.property(amounts, ([concurrency, one, other]) => {
      const [few, more] = [one, other].map((slots) => Math.min(slots, concurrency)).sort((a, b) => a - b);
      const [before, after] = [slotsOf(concurrency, few), slotsOf(concurrency, more)];
      expect([sum(before), sum(after)]).toEqual([few, more]);
      for (const [place, slots] of after.entries()) expect(slots).toBeGreaterThanOrEqual(before[place] ?? 0);
      expect(after).toHaveLength(slotsOf(concurrency).length);
    }),
  );
});

it('a run is spread when one assignment cannot carry it, and when it has units for more than one round', () => {
  const run = (kind: string, origin = 'host') => ({ origin, plan: { kind } }) as never;
  const of = (concurrency: number, steps: number) => ({ concurrency, steps, repeats: 1 }) as never;
  expect(canSpread(run('eval'), of(17, 100))).toBe(true);
  expect(canSpread(run('eval'), of(16, 100))).toBe(false);
  expect(canSpread(run('eval'), of(64, 64))).toBe(false);
  expect(canSpread(run('agent'), of(17, 100))).toBe(false);
  expect(canSpread(run('eval', 'cli'), of(17, 100))).toBe(false);
});

it('a process begins with what one assignment has, and gets a slot for each unit that ends', () => {
  expect([0, 1, 15, 16, 500].map((finished) => slotsAfter(64, finished))).toEqual([16, 19, 61, 64, 64]);
});

it.each([
  ['tasks of 50 ms, 64 at a time', 640, 64, false],
  ['tasks of 30 ms, 64 at a time', 1_066, 64, true],
  ['instant tasks, which keep the process busy', 4_000, 64, true],
  ['as many that wait for a process that cannot do more', 4_000, 512, false],
  ['none that has ended', 0, 64, false],
])('%s', (_, finished, concurrency, short) => {
  expect(areShort(finished, 500, concurrency)).toBe(short);
});
