import { expect, test } from 'vitest';
import { createSampler } from './sample.js';
import { taskIdOf } from './slug.js';
import { IdHashes } from './survey.js';

test('ids that differ are not suspected, however many there are', () => {
  const hashes = new IdHashes();
  for (let at = 0; at < 5000; at += 1) hashes.add(`task-${at}`);
  expect(hashes.repeats()).toBeUndefined();
});

test('an id that comes twice is suspected, and no other', () => {
  const hashes = new IdHashes();
  for (let at = 0; at < 5000; at += 1) hashes.add(`task-${at}`);
  hashes.add('task-7');
  const mayRepeat = hashes.repeats();
  expect(mayRepeat?.('task-7')).toBe(true);
  expect(mayRepeat?.('task-8')).toBe(false);
});

test('ids whose hashes meet are suspected together', () => {
  const hashes = new IdHashes((id) => BigInt(id.length));
  for (const id of ['a', 'bb', 'cc']) hashes.add(id);
  const mayRepeat = hashes.repeats();
  expect(['a', 'bb', 'cc', 'dd'].map((id) => mayRepeat?.(id))).toEqual([false, true, true, true]);
});

test.each([
  ['INV_001 / b', 'inv-001-b'],
  ['Çağrı №5', 'cagr-no5'],
  ['--x--', 'x'],
  ['日本', 'row-0042'],
  ['', 'row-0042'],
  [undefined, 'row-0042'],
])('%s becomes %s', (id, taskId) => {
  expect(taskIdOf(id, 42)).toBe(taskId);
});

test('a sample has its size, is the same for its seed and another for another', () => {
  const chosen = (seed: string) => {
    const isChosen = createSampler(30, 100, seed);
    return Array.from({ length: 100 }, (_, at) => at).filter(() => isChosen());
  };
  expect(chosen('a')).toHaveLength(30);
  expect(chosen('a')).toEqual(chosen('a'));
  expect(chosen('a')).not.toEqual(chosen('b'));
});

test('every row is sampled about as often as any other', () => {
  const counts = new Array<number>(20).fill(0);
  for (let seed = 0; seed < 2000; seed += 1) {
    const isChosen = createSampler(5, 20, `seed ${seed}`);
    for (let at = 0; at < 20; at += 1) if (isChosen()) counts[at] = (counts[at] ?? 0) + 1;
  }
  // 500 each by chance, with a standard deviation of about 19.
  for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(100);
});
