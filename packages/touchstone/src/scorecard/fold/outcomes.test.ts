import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeOutcomes, outcomeAt } from './outcomes.js';

it('keeps the side of every task, and common scores as they are', () => {
  const results = [
    { score: 1, passed: true },
    { score: 0, passed: false },
    { score: 0.25, passed: false },
    { score: 1 / 3, passed: true },
    { score: 0, passed: false, unscored: 'judge_unreachable' },
  ];
  const text = encodeOutcomes(
    results.map((result, ordinal) => ({ ordinal, result })),
    7,
  );
  expect(text).toHaveLength(7);
  expect([0, 1, 2, 3, 4, 5, 99].map((at) => outcomeAt(text, at))).toEqual([
    [1, 'p'],
    [0, 'f'],
    [0.25, 'f'],
    [1 / 3, 'p'],
    [0, 'u'],
    [0, '-'],
    [0, '-'],
  ]);
});

it('is off by no more than 1/240, whatever the score', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (score, passed) => {
      const [kept, letter] = outcomeAt(encodeOutcomes([{ ordinal: 0, result: { score, passed } }], 1), 0);
      expect(Math.abs(kept - score)).toBeLessThanOrEqual(1 / 240 + 1e-12);
      expect(letter).toBe(passed ? 'p' : 'f');
    }),
  );
});

it('takes one byte for full passes and full failures', () => {
  const ended = [true, false].map((passed, ordinal) => ({
    ordinal,
    result: { score: Number(passed), passed },
  }));
  expect(Buffer.byteLength(encodeOutcomes(ended, 3))).toBe(3);
});
