import { describe, expect, test } from 'vitest';
import { flipOf, kappaWords } from './verdict.js';

const passed = { score: 1, passed: true };
const failed = { score: 0, passed: false };

describe('a task', () => {
  test.each([
    ['fails', { before: passed, after: failed }],
    ['passes', { before: failed, after: passed }],
    ['fails', { before: { score: 0.7, passed: true }, after: { score: 0.7, passed: false } }],
    [undefined, { before: passed, after: passed }],
    [undefined, { after: passed }],
    [undefined, { before: passed }],
    [undefined, { before: passed, after: { ...failed, unscored: true as const } }],
  ])('now %s', (flip, pair) => {
    expect(flipOf(pair)).toBe(flip);
  });
});

describe('kappa', () => {
  test.each([
    [undefined, /^undefined/],
    [-0.1, /worse than chance/],
    [0, /no better than chance/],
    [0.1, /slight/],
    [0.2, /fair/],
    [0.59, /moderate/],
    [0.7, /substantial/],
    [0.8, /almost perfect/],
    [1, /almost perfect/],
  ])('%s has a plain word', (kappa, words) => {
    expect(kappaWords(kappa)).toMatch(words);
  });
});
