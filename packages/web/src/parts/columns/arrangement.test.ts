import { expect, test } from 'vitest';
import { inOrder, movedTo } from './arrangement.js';

// Goal: columns are where their reader has put them, whatever columns a list has today.

const columns = (ids: string) => [...ids].map((id) => ({ id }));
const idsOf = (placed: readonly { readonly id: string }[]): string => placed.map(({ id }) => id).join('');

test('columns are in the order of their reader', () => {
  expect(idsOf(inOrder(columns('abcd'), ['d', 'a', 'c', 'b']))).toBe('dacb');
  expect(idsOf(inOrder(columns('abcd'), []))).toBe('abcd');
});

test('a column that the reader has not seen is where it usually is, and one that is gone leaves no gap', () => {
  expect(idsOf(inOrder(columns('abxc'), ['c', 'b', 'gone', 'a']))).toBe('cbxa');
});

test('a column moves to a place, and what is no column moves nothing', () => {
  expect(movedTo(['a', 'b', 'c'], 'c', 0)).toEqual(['c', 'a', 'b']);
  expect(movedTo(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c']);
  expect(movedTo(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c']);
  expect(movedTo(['a', 'b'], 'dragged text', 0)).toEqual(['a', 'b']);
});
