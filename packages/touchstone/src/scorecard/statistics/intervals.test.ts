import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mean } from '../fold/aggregate.js';
import { drawGamma } from './gamma.js';
import { MAX_GROUPS, meanInterval } from './mean-interval.js';
import { createRandom } from './random.js';
import { wilsonInterval } from './wilson.js';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const flags = (hits: number, count: number): number[] => times(count, (index) => (index < hits ? 1 : 0));
const covers = ([low, high]: readonly [number, number], value: number): boolean =>
  low <= value && value <= high;

describe('the seeded generator', () => {
  it('gives the same numbers for the same seed and others for a seed one letter away', () => {
    const numbers = (seed: string): number[] => times(5, createRandom(seed));
    expect(numbers('sha256:0a')).toEqual(numbers('sha256:0a'));
    expect(numbers('sha256:0a')).not.toEqual(numbers('sha256:0b'));
  });

  it('fills its range evenly, one number after another', () => {
    const random = createRandom('even');
    const cells = new Map<number, number>();
    for (let pair = 0; pair < 64_000; pair += 1) {
      const cell = Math.floor(random() * 8) * 8 + Math.floor(random() * 8);
      cells.set(cell, (cells.get(cell) ?? 0) + 1);
    }
    const chiSquare = [...cells.values()].reduce((sum, seen) => sum + (seen - 1000) ** 2 / 1000, 0);
    // 63 degrees of freedom: outside of this one time in ten thousand at either end.
    expect(chiSquare).toBeGreaterThan(28);
    expect(chiSquare).toBeLessThan(116);
  });
});

describe('gamma draws', () => {
  it.each([0.5, 1, 1.5, 7, 400])('of shape %d have its mean, its variance and its skewness', (shape) => {
    const random = createRandom(`gamma ${shape}`);
    const draws = times(40_000, () => drawGamma(shape, random));
    const centre = mean(draws);
    const variance = mean(draws.map((draw) => (draw - centre) ** 2));
    const skewness = mean(draws.map((draw) => (draw - centre) ** 3)) / variance ** 1.5;
    expect(centre / shape).toBeCloseTo(1, 1);
    expect(variance / shape).toBeCloseTo(1, 1);
    expect(Math.abs(skewness - 2 / Math.sqrt(shape))).toBeLessThan(0.25);
  });
});

/** Chances of every count of hits, by multiplying up from none. */
function binomial(count: number, chance: number): number[] {
  const chances = [(1 - chance) ** count];
  for (let hits = 1; hits <= count; hits += 1)
    chances.push(((chances[hits - 1] as number) * (count - hits + 1) * chance) / (hits * (1 - chance)));
  return chances;
}

describe('the interval of a pass rate', () => {
  it('ends where the rate seen is just 1.96 standard errors away, the definition it is solved from', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(), (count, any) => {
        const hits = any % (count + 1);
        const interval = wilsonInterval(hits, count);
        expect(covers(interval, hits / count)).toBe(true);
        for (const end of interval) {
          expect(end).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(1);
          if (end === 0 || end === 1) continue;
          const errors = Math.abs(hits / count - end) / Math.sqrt((end * (1 - end)) / count);
          expect(errors).toBeCloseTo(1.959964, 5);
        }
      }),
    );
  });

  it.each([
    [0, 10, [0, 0.2775]],
    [8, 10, [0.4902, 0.9433]],
    [10, 10, [0.7225, 1]],
    [90, 100, [0.8256, 0.9448]],
  ])('%d of %d has the ends that tables give', (hits, count, [low, high]) => {
    const interval = wilsonInterval(hits, count);
    expect(interval[0]).toBeCloseTo(low as number, 4);
    expect(interval[1]).toBeCloseTo(high as number, 4);
  });

  it('of nothing is everything', () => {
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
  });

  it.each([20, 60, 200])('covers the true rate of %d tasks about 95 times in 100', (count) => {
    const rates = times(39, (index) => (index + 1) / 40);
    const coverage = rates.map((rate) =>
      binomial(count, rate).reduce(
        (sum, chance, hits) => sum + (covers(wilsonInterval(hits, count), rate) ? chance : 0),
        0,
      ),
    );
    expect(mean(coverage)).toBeGreaterThan(0.94);
    expect(mean(coverage)).toBeLessThan(0.965);
    expect(Math.min(...coverage)).toBeGreaterThan(0.89);
  });
});

/** The quantiles of a beta distribution by adding up its density; the square-root scale tames its ends. */
function betaQuantiles(a: number, b: number, wanted: readonly number[]): number[] {
  const steps = 40_000;
  const angles = times(steps, (index) => ((index + 0.5) * Math.PI) / 2 / steps);
  const weights = angles.map((angle) => Math.sin(angle) ** (2 * a - 1) * Math.cos(angle) ** (2 * b - 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return wanted.map((quantile) => {
    let at = 0;
    for (let sum = weights[0] as number; sum < quantile * total; sum += weights[at] as number) at += 1;
    return Math.sin(angles[at] as number) ** 2;
  });
}

describe('the interval of a mean score', () => {
  it.each([
    [3, 3],
    [0, 5],
    [18, 20],
    [45, 100],
    [990, 1_000],
  ])('of %d passes in %d tasks is that of Jeffreys', (hits, count) => {
    const [low, high] = meanInterval(flags(hits, count), 'digest');
    const [wantedLow, wantedHigh] = betaQuantiles(hits + 0.5, count - hits + 0.5, [0.025, 0.975]) as [
      number,
      number,
    ];
    const slack = (wantedHigh - wantedLow) * 0.08;
    expect(Math.abs(low - wantedLow)).toBeLessThan(slack);
    expect(Math.abs(high - wantedHigh)).toBeLessThan(slack);
  });

  it('of one task is wide, whatever it scored', () => {
    for (const score of [0, 0.5, 1]) {
      const [low, high] = meanInterval([score], 'digest');
      expect(high - low).toBeGreaterThan(0.5);
    }
  });

  it('is the same for the same scores in any order, and knows its seed', () => {
    const scores = [1, 0.25, 0, 1, 0.75, 0.25, 1];
    expect(meanInterval(scores, 'a')).toEqual(meanInterval(scores.toReversed(), 'a'));
    expect(meanInterval(scores, 'a')).not.toEqual(meanInterval(scores, 'b'));
  });

  it('is the same whether it is known already or drawn again', () => {
    const scores = [1, 0.25, 0];
    const first = meanInterval(scores, 'digest');
    expect(meanInterval(scores, 'digest')).toBe(first);
    for (let other = 0; other < 40; other += 1) meanInterval(scores, `digest ${other}`);
    expect(meanInterval(scores, 'digest')).not.toBe(first);
    expect(meanInterval(scores, 'digest')).toEqual(first);
  });

  it('stays within the scale and in order', () => {
    const score = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(score, { minLength: 1, maxLength: 60 }), (scores) => {
        const [low, high] = meanInterval(scores, 'digest');
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThan(high);
      }),
      { numRuns: 40 },
    );
  });

  it.each([MAX_GROUPS * 2, 200_000])(
    'of %d different scores agrees with the normal approximation, though neighbours are put together',
    (count) => {
      const random = createRandom(`spread ${count}`);
      const scores = times(count, () => 0.6 + 0.3 * random());
      expect(new Set(scores).size).toBeGreaterThan(MAX_GROUPS);
      const centre = mean(scores);
      const error = Math.sqrt(mean(scores.map((score) => (score - centre) ** 2)) / count);
      const [low, high] = meanInterval(scores, 'digest');
      expect(Math.abs((high - low) / (2 * 1.96 * error) - 1)).toBeLessThan(0.1);
      expect(Math.abs((low + high) / 2 - centre)).toBeLessThan(error);
    },
  );
});
