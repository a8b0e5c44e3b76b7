import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, matchesPattern } from './pattern.js';

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

/** An assertion takes up nothing, so it is not repeated. */
const suited = (piece: string, often: string): string => (/^[\^$]$|^\\b$/.test(piece) ? '' : often);
