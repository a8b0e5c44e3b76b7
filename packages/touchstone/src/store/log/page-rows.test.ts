import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PAGE_BYTES } from '../../ports/index.js';
import { createPace, fittingPage } from './page-rows.js';

const RIVAL = { tenant: 'rival', workspace: 'main' };
const sizes = (...bytes: readonly number[]) => bytes.map((each) => ({ bytes: each }));

it.each([
  [[], []],
  [[1], [1]],
  [[PAGE_BYTES, 1], [PAGE_BYTES]],
  [
    [PAGE_BYTES / 2, PAGE_BYTES / 2, 1],
    [PAGE_BYTES / 2, PAGE_BYTES / 2],
  ],
  [[1, PAGE_BYTES], [1]],
  [[5 * PAGE_BYTES, 1], [5 * PAGE_BYTES]],
])('of rows of %j bytes a page holds %j', (rows, page) => {
  expect(fittingPage(sizes(...rows))).toEqual(sizes(...page));
});

it('many readers of one tenant get one page together before everyone else has had a turn', async () => {
  const pace = createPace();
  const order: string[] = [];
  const attack = Array.from({ length: 20 }, async () => {
    await pace(RIVAL, sizes(PAGE_BYTES));
    order.push('rival');
  });
  for (let turn = 0; turn < 20; turn += 1) {
    await nextTurn();
    order.push('others');
  }
  await Promise.all(attack);
  const longest = Math.max(
    ...order
      .join(' ')
      .split('others')
      .map((stretch) => stretch.split('rival').length - 1),
  );
  expect(longest).toBe(1);
});

it('short reads are not delayed', async () => {
  const pace = createPace();
  let isOver = false;
  void nextTurn().then(() => {
    isOver = true;
  });
  for (let n = 0; n < 100; n += 1) await pace(RIVAL, sizes(1_000));
  expect(isOver).toBe(false);
});
