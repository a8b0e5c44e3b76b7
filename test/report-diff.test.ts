import fc from 'fast-check';
import { expect, test } from 'vitest';

// The page's script has no types; it is loaded as the browser gets it.
type DiffPart = { readonly kind: 'same' | 'gone' | 'new'; readonly text: string };
const { diffTexts } = (await import(
  new URL('../packages/touchstone/assets/report/diff.js', import.meta.url).href
)) as { diffTexts(before: string, after: string): readonly DiffPart[] | undefined };

const textOf = (parts: readonly DiffPart[] | undefined, without: DiffPart['kind']): string | undefined =>
  parts
    ?.filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('');

test('what a difference keeps and takes away is the one text, what it keeps and adds the other', () => {
  const words = fc
    .array(fc.constantFrom('a', 'b', ' ', '\n', 'wort', '12', '💡', '.', 'ß'), { maxLength: 40 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(words, words, (before, after) => {
      const parts = diffTexts(before, after);
      expect([textOf(parts, 'new'), textOf(parts, 'gone')]).toEqual([before, after]);
    }),
  );
});

test('words that stand in both texts are kept', () => {
  expect(diffTexts('within 30 days', 'within 14 days')).toEqual([
    { kind: 'same', text: 'within ' },
    { kind: 'gone', text: '30' },
    { kind: 'new', text: '14' },
    { kind: 'same', text: ' days' },
  ]);
});

test('texts of thousands of words are not compared', () => {
  expect(diffTexts('a '.repeat(2_000), 'b')).toBeUndefined();
});
