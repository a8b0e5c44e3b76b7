import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import jstat from 'jstat';
import { describe, expect, it } from 'vitest';
import { binomialChances, fairTail } from './binomial.js';
import { mcnemarP } from './mcnemar.js';

const oracle = JSON.parse(readFileSync(new URL('./oracle.json', import.meta.url), 'utf8')) as {
  readonly mcnemar: readonly { readonly toFail: number; readonly toPass: number; readonly p: number }[];
};

describe('the binomial chances', () => {
  it('are those of an independent library', () => {
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), chance, (count, each) => {
        const chances = binomialChances(count, each);
        for (const [hits, found] of chances.entries())
          expect(found).toBeCloseTo(jstat.binomial.pdf(hits, count, each), 9);
      }),
    );
  });

  it('add up to 1, sure things and a million throws included', () => {
    for (const [count, each] of [
      [7, 0],
      [7, 1],
      [0, 0.5],
      [1_000_000, 0.5],
      [1_000_000, 1e-6],
    ] as const) {
      const chances = binomialChances(count, each);
      expect(chances.reduce((sum, found) => sum + found, 0)).toBeCloseTo(1, 9);
      expect(chances.every((found) => found >= 0)).toBe(true);
    }
    expect([...binomialChances(3, 1)]).toEqual([0, 0, 0, 1]);
    expect([...binomialChances(3, 0)]).toEqual([1, 0, 0, 0]);
  });

  it('of a fair coin have the tails of an independent library, and of the normal curve where there are many', () => {
    for (let count = 1; count <= 60; count += 1)
      for (let hits = 0; hits <= count; hits += 1)
        expect(fairTail(count, hits)).toBeCloseTo(1 - jstat.binomial.cdf(hits - 1, count, 0.5), 9);
    expect(fairTail(10_000, 5_082)).toBeCloseTo(1 - jstat.normal.cdf(5_081.5, 5_000, 50), 4);
    expect([fairTail(5, 0), fairTail(5, 6)]).toEqual([1, 0]);
  });
});

describe('McNemar’s test', () => {
  it.each(oracle.mcnemar)('of $toFail against $toPass has the p of SciPy', ({ toFail, toPass, p }) => {
    const found = mcnemarP(toFail, toPass);
    expect(Math.abs(found / p - 1)).toBeLessThan(1e-9);
    expect(mcnemarP(toPass, toFail)).toBe(found);
  });
});
