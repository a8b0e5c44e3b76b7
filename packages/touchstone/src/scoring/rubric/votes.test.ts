import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CriterionVerdict } from '../../ports/index.js';
import { orderOf, verdictOf } from './judge.js';

const inOrder = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('the order of criteria', () => {
  it('is the author’s for one vote', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.string(), (count, seed) => {
        expect(orderOf(count, 1, seed)).toEqual(inOrder(count));
      }),
    );
  });

  it('holds every criterion once, and is the same for the same seed', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 2, max: 25 }), fc.string(), (count, votes, seed) => {
        const order = orderOf(count, votes, seed);
        expect([...order].sort((a, b) => a - b)).toEqual(inOrder(count));
        expect(orderOf(count, votes, seed)).toEqual(order);
      }),
    );
  });

  it('puts every criterion in every place about equally often', () => {
    const [count, draws] = [4, 4_000];
    const seen = inOrder(count).map(() => inOrder(count).map(() => 0));
    for (let draw = 0; draw < draws; draw += 1)
      orderOf(count, 3, `${draw}`).forEach((criterion, place) => {
        const row = seen[place] as number[];
        row[criterion] = (row[criterion] as number) + 1;
      });
    // The seeds are fixed, so this is no matter of luck: a fair draw is within a tenth of 1 000, a lopsided one is not.
    for (const often of seen.flat()) expect(Math.abs(often - draws / count)).toBeLessThan(100);
  });
});

const verdict = fc.record({
  met: fc.boolean(),
  reason: fc.string(),
  score: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('the majority', () => {
  it('of one is that one, and has no agreement to speak of', () => {
    expect(verdictOf([{ met: true, reason: 'clear' }])).toEqual({ met: true, reason: 'clear' });
  });

  it('is what more than half of the votes say; a tie is unmet', () => {
    fc.assert(
      fc.property(fc.array(verdict, { minLength: 2, maxLength: 25 }), (votes) => {
        const yes = votes.filter(({ met }) => met).length;
        const no = votes.length - yes;
        const decided = verdictOf(votes);
        expect(decided.met).toBe(yes > no);
        expect(decided.agreement).toBeCloseTo((decided.met ? yes : no) / votes.length, 12);
        expect(decided.agreement).toBeGreaterThanOrEqual(0.5);
        expect(votes).toContainEqual(expect.objectContaining({ met: decided.met, reason: decided.reason }));
        const mean = votes.reduce((sum, { score }) => sum + score, 0) / votes.length;
        expect(decided.score).toBeCloseTo(mean, 12);
      }),
    );
  });

  it.each<[readonly boolean[], Partial<CriterionVerdict>]>([
    [[true, false], { met: false, agreement: 0.5 }],
    [[true, true, false], { met: true, agreement: 2 / 3 }],
    [[true, false, true, false], { met: false, agreement: 0.5 }],
    [[false, false], { met: false, agreement: 1 }],
  ])('of %j is %j', (votes, expected) => {
    expect(verdictOf(votes.map((met) => ({ met })))).toEqual(expected);
  });
});

describe('unanimous votes', () => {
  it.each([
    [[true, true, true], { met: true, agreement: 1 }],
    [[true, true, false], { met: false, agreement: 1 / 3 }],
    [[false, false], { met: false, agreement: 1 }],
  ])('%j', (votes, expected) => {
    expect(
      verdictOf(
        votes.map((met) => ({ met })),
        'unanimous',
      ),
    ).toEqual(expected);
  });
});
