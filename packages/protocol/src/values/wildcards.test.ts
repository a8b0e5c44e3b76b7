import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitsWildcards } from './wildcards.js';

const letters = (...from: string[]) => fc.string({ unit: fc.constantFrom(...from), maxLength: 8 });

it.each([
  ['a.b', 'a.b', true],
  ['a.b', 'axb', false],
  ['a?c', 'abc', true],
  ['*', '', true],
  ['a*c', 'abd', false],
])('the pattern %s fits %s: %s', (pattern, text, expected) => {
  expect(fitsWildcards(pattern, text)).toBe(expected);
});

it('wildcards mean what a regular expression of them means', () => {
  fc.assert(
    fc.property(letters('a', 'b', '*', '?', '.'), letters('a', 'b', '.', '*'), (pattern, text) => {
      const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
      expect(fitsWildcards(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
    }),
    { seed: 16, numRuns: 2_000 },
  );
});

it('many of them take no longer than a few', () => {
  expect(fitsWildcards(`${'*a'.repeat(50)}*b`, 'a'.repeat(200))).toBe(false);
});
