import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, compilingCost, matchingCost, searchPattern } from './pattern.js';

const matchesPattern = (pattern: string, text: string, ignoreCase: boolean): boolean =>
  searchPattern(pattern, text, { ignoreCase, limit: 1 }).count > 0;

describe('a pattern', () => {
  // Goal: a pattern made to be slow is not. Method: these need more steps than there are atoms when a matcher tries one
  // way after the other, so the test ends only if it does not.
  it.each([
    ['(a+)+$', `${'a'.repeat(5_000)}!`],
    ['(a|aa)*c$', 'a'.repeat(5_000)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(5_000)],
    ['(.*a){12}x', 'a'.repeat(2_000)],
  ])('%s made to be slow is simply not found', (pattern, text) => {
    expect(matchesPattern(pattern, text, false)).toBe(false);
  });

  it.each(['(', '[z-a]', 'a{2,1}', '(?<=a)b', '(?=a)', '(a)\\1', '*'])('%s is none', (pattern) => {
    expect(() => compile(pattern, false)).toThrow();
  });

  it('is found where JavaScript finds it, with case and without', () => {
    const piece = fc.constantFrom('a', 'B', 'é', '\\d', '.', '[a-c]', '(?:xy)', '^', '$', '\\b', 'a|b');
    const pattern = fc.array(
      fc.tuple(piece, fc.constantFrom('', '+', '{1,2}')).map(([one, often]) => one + suited(one, often)),
    );
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'x', 'y', '1', 'é', ' ') });
    fc.assert(
      fc.property(pattern, text, fc.boolean(), (pieces, where, ignoreCase) => {
        const source = pieces.join('');
        const expected = new RegExp(source, ignoreCase ? 'iu' : 'u').test(where);
        expect(matchesPattern(source, where, ignoreCase)).toBe(expected);
      }),
    );
  });

  it('keeps its meaning after more patterns than are kept', () => {
    for (let count = 0; count < 2_100; count += 1)
      expect(matchesPattern(`^n${count}$`, `n${count}`, false)).toBe(true);
    expect(matchesPattern('^n0$', 'N0', false)).toBe(false);
    expect(matchesPattern('^n0$', 'N0', true)).toBe(true);
  });
});

describe('a search', () => {
  const search = (pattern: string, text: string, group: number | 'first' = 'first') =>
    searchPattern(pattern, text, { ignoreCase: false, limit: 3, group });

  it('counts no further than its limit', () => {
    expect(search('a', 'aaaaa').count).toBe(3);
    expect(search('a', 'a-a').count).toBe(2);
  });

  it('tells what the first group caught, or the whole match when there is no group', () => {
    expect(search('id (\\d+)', 'id 12, id 13').caught).toBe('12');
    expect(search('\\d+', 'id 12').caught).toBe('12');
    expect(search('(a)(b)', 'ab', 2).caught).toBe('b');
    expect(search('(a)', 'a', 7).caught).toBeUndefined();
    expect(search('(x)?a', 'a').caught).toBeUndefined();
  });

  it('that asks only whether a pattern is found is told no more', () => {
    expect(searchPattern('(a)', 'aaa', { ignoreCase: false, limit: 1 })).toEqual({ count: 1 });
  });
});

describe('the cost of a pattern', () => {
  it('is small for what people write, and large for one that repeats much, before either is compiled', () => {
    expect(matchingCost('\\b(?:refund|return)ed \\d{4}\\b', true, 500)).toBeLessThan(2_000);
    expect(matchingCost('(?:x?){900}[^x]', false, 500)).toBeGreaterThan(100_000);
    expect(compilingCost('(?:(?:x?){30}){30}', false)).toBeGreaterThan(5_000);
  });

  it('grows with the text', () => {
    const [short, long] = [1_000, 1_000_000].map((length) => matchingCost('a+b', false, length));
    expect(long).toBeGreaterThan(500 * (short as number));
  });
});

/** An assertion takes up nothing, so it is not repeated. */
const suited = (piece: string, often: string): string => (/^[\^$]$|^\\b$/.test(piece) ? '' : often);
