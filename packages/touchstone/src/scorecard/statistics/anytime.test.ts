import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANYTIME_ALPHA, anytimeInterval, anytimeLower, anytimeUpper } from './anytime.js';

const scores = fc.array(fc.constantFrom(0, 0.25, 0.5, 0.75, 1), { minLength: 1, maxLength: 60 });

/** The game as it is told: value by value, gambler by gambler, without logarithms. */
function capitalOf(values: readonly number[], supposed: number): number {
  const gamblers = 32;
  let sum = 0;
  for (let at = 1; at <= gamblers; at += 1) {
    const stake = Math.sin((Math.PI * (2 * at - 1)) / (4 * gamblers)) ** 2;
    sum += values.reduce((held, value) => held * (1 + (stake / supposed) * (value - supposed)), 1);
  }
  return sum / gamblers;
}

describe('an interval that is right at every look', () => {
  it('ends where the gamblers are just rich enough', () => {
    fc.assert(
      fc.property(scores, (values) => {
        const low = anytimeLower(values);
        if (low > 1e-6) expect(capitalOf(values, low)).toBeCloseTo(1 / ANYTIME_ALPHA, 3);
        else expect(capitalOf(values, 1e-6)).toBeLessThan(1 / ANYTIME_ALPHA);
      }),
    );
  });

  it('has the mean in it, whatever the order, and is its own mirror image', () => {
    fc.assert(
      fc.property(scores, (values) => {
        const mean = values.reduce<number>((sum, value) => sum + value, 0) / values.length;
        const [low, high] = anytimeInterval(values);
        expect(low).toBeLessThanOrEqual(mean + 1e-9);
        expect(high).toBeGreaterThanOrEqual(mean - 1e-9);
        expect(anytimeInterval(values.toReversed())).toEqual([low, high]);
        const [mirroredLow, mirroredHigh] = anytimeInterval(values.map((value) => 1 - value));
        expect(1 - mirroredHigh).toBeCloseTo(low, 9);
        expect(1 - mirroredLow).toBeCloseTo(high, 9);
      }),
    );
  });

  it('is wider when it has to be surer', () => {
    fc.assert(
      fc.property(scores, (values) => {
        expect(anytimeLower(values, 0.01)).toBeLessThanOrEqual(anytimeLower(values, 0.1));
        expect(anytimeUpper(values, 0.01)).toBeGreaterThanOrEqual(anytimeUpper(values, 0.1));
      }),
    );
  });

  it('excludes nothing before there is anything to look at', () => {
    expect(anytimeInterval([])).toEqual([0, 1]);
  });

  it.each([
    ['20 tasks that all pass', 20, 0.78],
    ['100 tasks that all pass', 100, 0.95],
    ['1,000 tasks that all pass', 1_000, 0.994],
  ])('of %s begins at %d: %d', (_what, size, low) => {
    const [from, to] = anytimeInterval(Array.from({ length: size }, () => 1));
    expect([Math.floor(from * 1_000) / 1_000 >= low, to]).toEqual([true, 1]);
  });

  it('is not moved by scores that are all different: they are rounded to its cautious side', () => {
    const values = Array.from({ length: 5_000 }, (_, at) => (at + 0.5) / 5_000);
    const [low, high] = anytimeInterval(values);
    expect([low, high]).toEqual([expect.closeTo(0.48, 1), expect.closeTo(0.52, 1)]);
    expect(low).toBeLessThan(0.5);
  });
});
