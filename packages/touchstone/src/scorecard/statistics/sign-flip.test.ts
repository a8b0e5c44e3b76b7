import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from './random.js';
import { EXACT_PAIRS, signFlipP } from './sign-flip.js';

const oracle = JSON.parse(readFileSync(new URL('./oracle.json', import.meta.url), 'utf8')) as {
  readonly signFlip: readonly { readonly differences: readonly number[]; readonly p: number }[];
};

const add = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Every assignment of signs, one after another, in whole numbers. */
function bruteForce(whole: readonly number[]): number {
  const observed = add(whole);
  let hits = 0;
  for (let signs = 0; signs < 2 ** whole.length; signs += 1) {
    const sum = add(whole.map((size, place) => (signs & (1 << place) ? Math.abs(size) : -Math.abs(size))));
    if (sum <= observed) hits += 1;
  }
  return hits / 2 ** whole.length;
}

/** The chances of every sum, task by task: exact for any number of tasks whose differences are small whole numbers. */
function byDistribution(whole: readonly number[]): number {
  let chances = new Map([[0, 1]]);
  for (const size of whole) {
    const next = new Map<number, number>();
    for (const [sum, chance] of chances)
      for (const signed of [sum + size, sum - size]) next.set(signed, (next.get(signed) ?? 0) + chance / 2);
    chances = next;
  }
  return add([...chances].map(([sum, chance]) => (sum <= add(whole) ? chance : 0)));
}

const twelfth = fc.integer({ min: -12, max: 12 });
const few = fc.array(twelfth, { minLength: 1, maxLength: 10 });
const difference = fc.double({ min: -1, max: 1, noNaN: true });
const many = fc.array(difference, { minLength: 1, maxLength: 80 });
const twelfths = (whole: readonly number[]): number[] => whole.map((value) => value / 12);

describe('the sign-flip test', () => {
  it.each(oracle.signFlip)('gives the p of SciPy, case %#', ({ differences, p }) => {
    expect(signFlipP(differences, 'seed')).toBeCloseTo(p, 12);
  });

  it('is what trying all signs gives', () => {
    fc.assert(
      fc.property(few, (whole) => {
        expect(signFlipP(twelfths(whole), 'seed')).toBeCloseTo(bruteForce(whole), 12);
      }),
    );
  });

  it('counts sums that are equal but for rounding as equal', () => {
    // 0.1 + 0.2 is not 0.3, and 1 − 2/3 is not 1/3.
    expect(signFlipP([-0.1, -0.2, 0.3], 'seed')).toBe(bruteForce([-1, -2, 3]));
    expect(signFlipP([1 / 3 - 1, 1 - 2 / 3, 1 / 3, 0.9 - 0.3 - 0.6], 'seed')).toBe(bruteForce([-2, 1, 1]));
  });

  it('is exact for differences of one size, however many there are', () => {
    const whole = Array.from({ length: 400 }, (_, place) => (place < 220 ? -1 : 1));
    expect(signFlipP(whole, 'a')).toBeCloseTo(byDistribution(whole), 12);
    expect(signFlipP(whole, 'b')).toBe(signFlipP(whole, 'a'));
  });

  it.each([EXACT_PAIRS + 1, 75, 300, 2_000])(
    'of %d differing tasks is drawn, and near the truth',
    (count) => {
      const random = createRandom(`thirds ${count}`);
      const whole = Array.from({ length: count }, () => {
        const size = 1 + Math.floor(3 * random());
        return random() < 0.5 + 0.5 / Math.sqrt(count) ? -size : size;
      });
      const truth = byDistribution(whole);
      const error = Math.sqrt((truth * (1 - truth)) / 9_999);
      const drawn = signFlipP(twelfths(whole), 'seed');
      expect(Math.abs(drawn - truth)).toBeLessThan(4 * error);
      expect(drawn * 10_000).toBeCloseTo(Math.round(drawn * 10_000), 6);
      expect(signFlipP(twelfths(whole), 'seed')).toBe(drawn);
      expect(signFlipP(twelfths(whole), 'other seed')).not.toBe(drawn);
    },
  );

  it('draws at least 999 times, and p is never 0', () => {
    const drops = Array.from({ length: 400_000 }, (_, place) => -(place + 1) / 400_000);
    expect(signFlipP(drops, 'seed')).toBe(1 / 1_000);
  });

  it('of nothing that differs is 1', () => {
    expect([signFlipP([], 'seed'), signFlipP([0, 0, -0], 'seed')]).toEqual([1, 1]);
  });

  it('does not care for the order of the tasks, nor for those that did not differ', () => {
    fc.assert(
      fc.property(many, fc.nat(5), (differences, settled) => {
        const p = signFlipP(differences, 'seed');
        const withSettled = [...differences.toReversed(), ...Array.from({ length: settled }, () => 0)];
        expect(signFlipP(withSettled, 'seed')).toBe(p);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });

  it('of the opposite differences makes up 1 and the share of ties', () => {
    fc.assert(
      fc.property(few, (whole) => {
        const reversed = whole.map((value) => -value);
        // Both count the assignments whose sum is the observed one.
        const below = bruteForce(whole);
        const both = signFlipP(twelfths(whole), 'seed') + signFlipP(twelfths(reversed), 'seed');
        expect(both).toBeCloseTo(below + bruteForce(reversed), 12);
        expect(both).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it('never grows when one task gets worse', () => {
    const some = fc.array(difference, { minLength: 1, maxLength: EXACT_PAIRS });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(some, fc.nat(), share, (differences, any, by) => {
        const place = any % differences.length;
        const worse = differences.map((one, at) => (at === place ? one - by * (1 + one) : one));
        expect(signFlipP(worse, 'seed')).toBeLessThanOrEqual(signFlipP(differences, 'seed') + 1e-12);
      }),
      { numRuns: 200 },
    );
  });
});
