import { readFileSync } from 'node:fs';
import type { Confusion } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kappaOf } from '../calibration/kappa.js';
import { kappaInterval } from './kappa-interval.js';

const oracle = JSON.parse(readFileSync(new URL('./oracle.json', import.meta.url), 'utf8')) as {
  readonly kappa: readonly { readonly table: readonly number[]; readonly interval: readonly number[] }[];
};

const NONE: Confusion = { tp: 0, fp: 0, fn: 0, tn: 0 };
/** As many tasks of one label as the table has labels. */
const tasksOf = ([tp, fp, fn, tn]: readonly number[]): readonly Confusion[] =>
  Object.entries({ tp, fp, fn, tn }).flatMap(([cell, count = 0]) =>
    Array.from({ length: count }, () => ({ ...NONE, [cell]: 1 })),
  );

describe('the interval of kappa', () => {
  it.each(oracle.kappa)('of $table has the ends that SciPy draws', ({ table, interval }) => {
    kappaInterval(tasksOf(table)).forEach((end, at) => {
      expect(Math.abs(end - (interval[at] as number))).toBeLessThan(0.025);
    });
  });

  it('has, for many labels, the width of the large-sample formula', () => {
    const table = { tp: 2_000, fp: 300, fn: 200, tn: 1_500 };
    const n = 4_000;
    const observed = (table.tp + table.tn) / n;
    const [a, b] = [(table.tp + table.fp) / n, (table.tp + table.fn) / n];
    const chance = a * b + (1 - a) * (1 - b);
    const error = Math.sqrt((observed * (1 - observed)) / n) / (1 - chance);
    const [low, high] = kappaInterval(tasksOf(Object.values(table)));
    const kappa = kappaOf(table) as number;
    expect(low).toBeCloseTo(kappa - 1.96 * error, 2);
    expect(high).toBeCloseTo(kappa + 1.96 * error, 2);
  });

  it('is wide for a few labels that all agree: five prove little', () => {
    const [low, high] = kappaInterval(tasksOf([3, 0, 0, 2]));
    expect(low).toBeLessThan(0.4);
    expect(high).toBeGreaterThan(0.95);
  });

  it('is the same whatever the order of the tasks, and stays within its scale', () => {
    const table = fc.record({ tp: fc.nat(3), fp: fc.nat(3), fn: fc.nat(3), tn: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(table, { minLength: 1, maxLength: 30 }), (clusters) => {
        const [low, high] = kappaInterval(clusters);
        expect(kappaInterval(clusters.toReversed())).toEqual([low, high]);
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
      }),
      { numRuns: 20 },
    );
  });

  it('draws tasks, so that labels which repeat each other do not make it narrower', () => {
    const single = kappaInterval(tasksOf([20, 3, 3, 14]));
    const fivefold = kappaInterval(
      tasksOf([20, 3, 3, 14]).map(({ tp, fp, fn, tn }) => ({
        tp: 5 * tp,
        fp: 5 * fp,
        fn: 5 * fn,
        tn: 5 * tn,
      })),
    );
    fivefold.forEach((end, at) => {
      expect(Math.abs(end - (single[at] as number))).toBeLessThan(0.03);
    });
  });
});
