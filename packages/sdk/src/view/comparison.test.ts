import { describe, expect, test } from 'vitest';
import { fewLabelsWords, flipOf, kappaFigure, kappaWords } from './verdict.js';

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

test('a kappa that is not 1 is not shown as 1', () => {
  expect([kappaFigure(1), kappaFigure(0.9999), kappaFigure(-0.125)]).toEqual(['1.00', '0.99', '-0.13']);
});

test('fewer than fifty labels are said to be few', () => {
  expect(fewLabelsWords(3)).toContain('Three labels are an anecdote');
  expect(fewLabelsWords(49)).toContain('here are 49');
  expect(fewLabelsWords(50)).toBeUndefined();
});
