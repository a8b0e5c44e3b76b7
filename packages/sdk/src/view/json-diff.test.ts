import { type Json, readPointer } from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffJson } from './json-diff.js';

test('names what differs by its path, on both sides', () => {
  const before = { day: 'Friday', items: [1, 2, 3], same: { a: null }, 'a/b': true };
  const after = { day: 'Monday', items: [1, 5], same: { a: null }, new: {} };
  expect(diffJson(before, after)).toEqual([
    { pointer: '/day', before: 'Friday', after: 'Monday' },
    { pointer: '/items/1', before: 2, after: 5 },
    { pointer: '/items/2', before: 3 },
    { pointer: '/a~1b', before: true },
    { pointer: '/new', after: {} },
  ]);
});

test('shows the whole where the documents are not of one kind', () => {
  expect(diffJson(['a'], { 0: 'a' })).toEqual([{ pointer: '', before: ['a'], after: { 0: 'a' } }]);
  expect(diffJson('a', 'a')).toEqual([]);
});

test('says of every path what each document has there', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(json, json, (one, other) => {
      const [before, after] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))] as Json[];
      for (const change of diffJson(before as Json, after as Json)) {
        expect(readPointer(before as Json, change.pointer)).toEqual(change.before);
        expect(readPointer(after as Json, change.pointer)).toEqual(change.after);
      }
    }),
  );
});
