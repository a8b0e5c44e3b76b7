import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { asRe2, countsUnits } from './patterns.js';

const TEXTS = [
  '',
  'a',
  'ab',
  '\u{1f600}',
  'a\u{1f600}b',
  '\u{1f600}\u{1f600}',
  'abc \u{1f600}',
  'x1\u{1f600}',
];

describe('countsUnits', () => {
  it.each([
    ['a.b', true],
    ['^.{2}$', true],
    ['^.?$', true],
    ['^\\S\\S$', true],
    ['^[^x]$', true],
    ['^[^\\]x]{1,2}$', true],
    ['\u{1f600}', true],
    ['[\u{1f600}]', true],
    ['a.*b', false],
    ['^.+$', false],
    ['^.{1,}$', false],
    ['^[^x]+$', false],
    ['a\\.b', false],
    ['[.]', false],
    ['^\\w{3}$', false],
    ['friday', false],
  ])('%s: %s', (pattern, counts) => {
    expect(countsUnits(pattern)).toBe(counts);
  });

  it.each([
    'a.*b',
    '^.+$',
    '^.*b$',
    '^[^x]+$',
    '^\\S+$',
    'a\\.b',
    '[.]',
    '^\\w+',
    '\\d',
    'b$',
    '^a|b$',
    '(?:a|b)+',
  ])('where it says no, %s finds the same in both', (pattern) => {
    expect(countsUnits(pattern)).toBe(false);
    const here = RE2JS.compile(asRe2(pattern) ?? '');
    for (const text of TEXTS)
      expect([text, here.matcher(text).find()]).toEqual([text, new RegExp(pattern).test(text)]);
  });
});
