import { expect, it } from 'vitest';
import { FreeList } from './free-list.js';

const named = (name: string) => ({ name });

it('keeps each object until it is taken out, and uses its index again', () => {
  const list = new FreeList<{ name: string }>();
  const [a, b, c] = [named('a'), named('b'), named('c')];
  const [ofA, ofB] = [list.add(a), list.add(b)];
  list.remove(ofA);

  expect(list.at(ofA)).toBeUndefined();
  expect(list.at(ofB)).toBe(b);
  expect(list.size).toBe(1);

  expect(list.add(c)).toBe(ofA);
  expect([...list]).toEqual([c, b]);
  expect(list.size).toBe(2);
});

it('takes no more room than the most that it has held at a time', () => {
  const list = new FreeList<object>();
  for (let at = 0; at < 1_000; at += 1) {
    const [one, other] = [list.add({}), list.add({})];
    expect([one, other].every((index) => index < 2)).toBe(true);
    list.remove(one);
    list.remove(other);
  }
  expect(list.size).toBe(0);
});

it('can be taken out of while it is looked through', () => {
  const list = new FreeList<{ name: string }>();
  const indexOf = new Map(['a', 'b', 'c'].map((name) => [name, list.add(named(name))]));
  for (const { name } of list) list.remove(indexOf.get(name) as number);
  expect([...list]).toEqual([]);
});
