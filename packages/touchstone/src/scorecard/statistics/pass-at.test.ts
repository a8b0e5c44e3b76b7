import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passAt, passHat } from './pass-at.js';

/** Every way to take `size` things out of a list. */
function choices<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, at) => choices(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]));
}

function choose(count: number, taken: number): bigint {
  if (taken > count) return 0n;
  let ways = 1n;
  for (let step = 1; step <= taken; step += 1) ways = (ways * BigInt(count - step + 1)) / BigInt(step);
  return ways;
}

/** A quotient of whole numbers of any size, to 15 digits. */
const quotient = (above: bigint, below: bigint): number => Number((above * 10n ** 18n) / below) / 1e18;

describe('passAt and passHat', () => {
  it('are what counting every choice of repeats gives', () => {
    for (let count = 1; count <= 8; count += 1) {
      for (let passed = 0; passed <= count; passed += 1) {
        const repeats = Array.from({ length: count }, (_, index) => index < passed);
        for (let j = 1; j <= count; j += 1) {
          const drawn = choices(repeats, j);
          const some = drawn.filter((choice) => choice.some(Boolean)).length;
          const all = drawn.filter((choice) => choice.every(Boolean)).length;
          expect(passAt(count, passed, j)).toBeCloseTo(some / drawn.length, 12);
          expect(passHat(count, passed, j)).toBeCloseTo(all / drawn.length, 12);
        }
      }
    }
  });

  it('are exact to 12 places for up to 100 repeats', () => {
    const sizes = fc
      .integer({ min: 1, max: 100 })
      .chain((count) => fc.tuple(fc.constant(count), fc.nat(count), fc.integer({ min: 1, max: count })));
    fc.assert(
      fc.property(sizes, ([count, passed, j]) => {
        const ways = choose(count, j);
        expect(passHat(count, passed, j)).toBeCloseTo(quotient(choose(passed, j), ways), 12);
        expect(passAt(count, passed, j)).toBeCloseTo(1 - quotient(choose(count - passed, j), ways), 12);
        expect(passHat(count, passed, j)).toBeLessThanOrEqual(passAt(count, passed, j) + 1e-12);
      }),
      { numRuns: 500 },
    );
  });

  it('are the share of passes for one repeat, and any and all for as many as there were', () => {
    expect([passAt(4, 1, 1), passHat(4, 1, 1)]).toEqual([0.25, 0.25]);
    expect([passAt(4, 1, 4), passHat(4, 1, 4)]).toEqual([1, 0]);
    expect([passAt(4, 4, 4), passHat(4, 4, 4)]).toEqual([1, 1]);
    expect([passAt(4, 0, 4), passHat(4, 0, 4)]).toEqual([0, 0]);
  });
});
