import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffSequences, type Edit, hunksOf } from './diff.js';

/** Few different items, so that much is shared and ties abound. */
const sequence = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 14 });
const itemsWithout = <T>(kind: Edit<T>['kind'], edits: readonly Edit<T>[]): readonly T[] =>
  edits.filter((edit) => edit.kind !== kind).map(({ item }) => item);
const shared = <T>(edits: readonly Edit<T>[]): number => edits.filter(({ kind }) => kind === 'same').length;

/** By definition, and therefore slowly. */
function longestCommon(before: readonly string[], after: readonly string[]): number {
  const [head, ...rest] = before;
  if (head === undefined) return 0;
  const place = after.indexOf(head);
  const without = longestCommon(rest, after);
  return place < 0 ? without : Math.max(without, 1 + longestCommon(rest, after.slice(place + 1)));
}

describe('the difference of two sequences', () => {
  test('turns the first into the second, and back', () => {
    fc.assert(
      fc.property(sequence, sequence, (before, after) => {
        const edits = diffSequences(before, after);
        expect(itemsWithout('gone', edits)).toEqual(after);
        expect(itemsWithout('new', edits)).toEqual(before);
      }),
    );
  });

  test('keeps as much as can be kept, whichever comes first', () => {
    fc.assert(
      fc.property(sequence, sequence, (before, after) => {
        const most = longestCommon(before, after);
        expect(shared(diffSequences(before, after))).toBe(most);
        expect(shared(diffSequences(after, before))).toBe(most);
      }),
    );
  });

  test('told in hunks loses nothing, and same and changed take turns', () => {
    fc.assert(
      fc.property(sequence, sequence, (before, after) => {
        const hunks = hunksOf(diffSequences(before, after));
        expect(hunks.flatMap((hunk) => (hunk.kind === 'same' ? hunk.items : hunk.added))).toEqual(after);
        expect(hunks.flatMap((hunk) => (hunk.kind === 'same' ? hunk.items : hunk.gone))).toEqual(before);
        expect(hunks.every((hunk, at) => hunk.kind !== hunks[at + 1]?.kind)).toBe(true);
      }),
    );
  });
});
