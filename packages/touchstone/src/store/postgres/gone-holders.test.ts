import { expect, it } from 'vitest';
import { createGoneHolders } from './gone-holders.js';

it('a holder is gone when its lock was free in two looks that lie apart, and not while one of them found it held', async () => {
  let now = 0;
  let free: readonly string[] | undefined = ['a', 'b'];
  const gone = createGoneHolders({ elapsed: () => now }, async () => free);
  await gone.look(['a', 'b', 'c']);
  expect(gone.has('a')).toBe(false);
  now += 100;
  await gone.look(['a', 'b', 'c']);
  expect(gone.has('a')).toBe(false);
  now += 1_000;
  free = ['a'];
  await gone.look(['a', 'b', 'c']);
  expect(['a', 'b', 'c'].filter(gone.has)).toEqual(['a']);
  // It has connected again.
  free = [];
  await gone.look(['a', 'b', 'c']);
  expect(gone.has('a')).toBe(false);
});

it('nobody is gone while it cannot be asked', async () => {
  let now = 0;
  let free: readonly string[] | undefined = ['a'];
  const gone = createGoneHolders({ elapsed: () => now }, async () => free);
  await gone.look(['a']);
  free = undefined;
  now += 1_000;
  await gone.look(['a']);
  free = ['a'];
  now += 1_000;
  await gone.look(['a']);
  expect(gone.has('a')).toBe(false);
});
