import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairsToDetect, powerCurve, smallestDetectableDrop } from './detectable.js';

type World = { readonly pairs: number; readonly noise: number; readonly tolerance: number };
const oracle = JSON.parse(readFileSync(new URL('./oracle.json', import.meta.url), 'utf8')) as {
  readonly detectable: readonly (World & { readonly drop: number })[];
};

/** Where 80 % of a normal curve about the drop lies beyond both the 5 % of another about none and the tolerance. */
function normalDrop({ pairs, noise, tolerance }: World): number {
  let [missed, found] = [0, 1];
  for (let halving = 0; halving < 50; halving += 1) {
    const drop = (missed + found) / 2;
    const differs = Math.min(1, noise + drop);
    const threshold = Math.max(1.6448536 * Math.sqrt(pairs * differs), pairs * tolerance);
    const reach = 0.8416212 * Math.sqrt(pairs * (differs - drop ** 2));
    if (pairs * drop - threshold >= reach) found = drop;
    else missed = drop;
  }
  return found;
}

const noise = fc.double({ min: 0, max: 1, noNaN: true });

describe('the smallest detectable drop', () => {
  it.each(oracle.detectable)(
    'of $pairs tasks at noise $noise and tolerance $tolerance is what SciPy adds up',
    ({ pairs, noise: flips, tolerance, drop }) => {
      expect(smallestDetectableDrop(pairs, flips, tolerance)).toBeCloseTo(drop, 8);
    },
  );

  it('is near that of the normal approximation where there are many tasks', () => {
    for (const pairs of [10_000, 50_000])
      for (const flips of [0.05, 0.2, 1])
        for (const tolerance of [0, 0.05]) {
          const drop = smallestDetectableDrop(pairs, flips, tolerance) as number;
          expect(Math.abs(drop / normalDrop({ pairs, noise: flips, tolerance }) - 1)).toBeLessThan(0.03);
        }
  });

  it('does not exist for fewer than five pairs, and does from there on', () => {
    for (const flips of [0, 0.3, 1]) {
      expect(smallestDetectableDrop(0, flips)).toBeUndefined();
      expect(smallestDetectableDrop(4, flips)).toBeUndefined();
      expect(smallestDetectableDrop(5, flips)).toBeGreaterThan(0.9);
    }
    expect(smallestDetectableDrop(100, 0.1, 1)).toBeUndefined();
  });

  it('is a drop, and never shrinks for being asked to exceed a tolerance', () => {
    const tolerance = fc.double({ min: 0, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 200 }), noise, tolerance, (pairs, flips, tolerated) => {
        const drop = smallestDetectableDrop(pairs, flips, tolerated);
        const without = smallestDetectableDrop(pairs, flips) as number;
        expect(without).toBeLessThanOrEqual(1);
        expect(drop ?? 1).toBeGreaterThanOrEqual(without);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the power curve', () => {
  it.each(oracle.detectable)(
    'of $pairs tasks at noise $noise and tolerance $tolerance passes 80 % at the drop that SciPy found',
    ({ pairs, noise: flips, tolerance, drop }) => {
      const curve = powerCurve(pairs, flips, Math.min(1, 2 * drop), tolerance);
      const below = curve.filter((point) => point.drop < drop - 1e-9);
      const above = curve.filter((point) => point.drop > drop + 1e-9);
      expect(below.every(({ chance }) => chance < 0.8)).toBe(true);
      expect(above.every(({ chance }) => chance > 0.8)).toBe(true);
      expect(below.length).toBeGreaterThan(0);
    },
  );

  it('starts at no drop, where what chance alone would do is under 5 %', () => {
    for (const flips of [0, 0.1, 0.5]) {
      const [first] = powerCurve(200, flips, 0.5);
      expect(first?.drop).toBe(0);
      expect(first?.chance).toBeLessThan(0.05);
    }
  });
});

describe('the tasks that a drop takes', () => {
  it('find it four times in five, and a few percent fewer do not', () => {
    const world = fc.record({
      drop: fc.double({ min: 0.03, max: 0.5, noNaN: true }),
      flips: fc.double({ min: 0.02, max: 0.5, noNaN: true }),
    });
    fc.assert(
      fc.property(world, ({ drop, flips }) => {
        const pairs = pairsToDetect(drop, flips) as number;
        expect(smallestDetectableDrop(pairs, flips)).toBeLessThanOrEqual(drop + 1e-9);
        if (pairs > 50)
          expect(smallestDetectableDrop(Math.floor(pairs * 0.9), flips)).toBeGreaterThan(drop * 0.99);
      }),
      { numRuns: 20 },
    );
  });

  it('are not counted beyond what any suite has', () => {
    expect(pairsToDetect(0.0001, 0.5)).toBeUndefined();
  });
});
