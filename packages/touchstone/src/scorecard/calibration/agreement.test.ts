import type { Confusion } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agreementOf, agreementOn, confusionOf, sizeOf } from './agreement.js';
import { kappaOf } from './kappa.js';

const counts = fc.record({ tp: fc.nat(500), fp: fc.nat(500), fn: fc.nat(500), tn: fc.nat(500) });

/** As it is usually written: observed agreement against the agreement of two coins with the same habits. */
function kappaByShares({ tp, fp, fn, tn }: Confusion): number {
  const size = tp + fp + fn + tn;
  const observed = (tp + tn) / size;
  const expected = ((tp + fp) / size) * ((tp + fn) / size) + ((fn + tn) / size) * ((fp + tn) / size);
  return (observed - expected) / (1 - expected);
}

describe('Cohen’s kappa', () => {
  test.each<[string, Confusion, number | undefined]>([
    ['perfect agreement on both kinds', { tp: 3, fp: 0, fn: 0, tn: 1 }, 1],
    ['nothing but contradiction', { tp: 0, fp: 2, fn: 2, tn: 0 }, -1],
    ['one who always says met', { tp: 5, fp: 5, fn: 0, tn: 0 }, 0],
    ['two independent coins', { tp: 4, fp: 4, fn: 4, tn: 4 }, 0],
    ['the textbook example', { tp: 20, fp: 10, fn: 5, tn: 15 }, 0.4],
    ['nothing to compare', { tp: 0, fp: 0, fn: 0, tn: 0 }, undefined],
    ['both always met', { tp: 7, fp: 0, fn: 0, tn: 0 }, undefined],
    ['both never met', { tp: 0, fp: 0, fn: 0, tn: 7 }, undefined],
  ])('of %s', (_what, confusion, kappa) => {
    expect(kappaOf(confusion)).toBe(kappa);
  });

  test('is what its definition says, for any counts', () => {
    fc.assert(
      fc.property(counts, (confusion) => {
        const kappa = kappaOf(confusion);
        if (kappa === undefined) return;
        expect(kappa).toBeCloseTo(kappaByShares(confusion), 9);
        expect(Math.abs(kappa)).toBeLessThanOrEqual(1);
        expect(kappa === 1).toBe(confusion.fp + confusion.fn === 0);
      }),
    );
  });

  test('does not mind who is first, nor which answer is called met', () => {
    fc.assert(
      fc.property(counts, ({ tp, fp, fn, tn }) => {
        const kappa = kappaOf({ tp, fp, fn, tn });
        expect(kappaOf({ tp, fp: fn, fn: fp, tn })).toBe(kappa);
        expect(kappaOf({ tp: tn, fp: fn, fn: fp, tn: tp })).toBe(kappa);
      }),
    );
  });
});

test('every pair is counted once, in the cell of its two verdicts', () => {
  const pairs = fc.array(fc.record({ first: fc.boolean(), second: fc.boolean() }));
  fc.assert(
    fc.property(pairs, (all) => {
      const confusion = confusionOf(all);
      expect(sizeOf(confusion)).toBe(all.length);
      expect(confusion.fp).toBe(all.filter(({ first, second }) => !first && second).length);
      expect(confusion.fn).toBe(all.filter(({ first, second }) => first && !second).length);
      const same = all.filter(({ first, second }) => first === second).length;
      expect(agreementOf(confusion)).toBe(all.length === 0 ? undefined : same / all.length);
      expect(agreementOn(all)).toMatchObject({ confusion });
    }),
  );
});
