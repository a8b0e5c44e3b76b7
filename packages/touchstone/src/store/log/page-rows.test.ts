import { expect, it } from 'vitest';
import { PAGE_BYTES, threadMs } from '../../ports/index.js';
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

it('content is read when its tenant may use the thread, and counts for it by its bytes', async () => {
  const told: unknown[] = [];
  const pace = createPace({
    enter: async (...piece) => void told.push(['enter', ...piece]),
    charge: (...time) => void told.push(['charge', ...time]),
    arrived: () => undefined,
  });
  await pace(RIVAL, sizes(1_000_000, 500_000));
  const ms = threadMs(1_500_000);
  expect(told).toEqual([
    ['enter', 'rival', ms],
    ['charge', 'rival', ms],
  ]);
});

it('a little content does not wait, and counts all the same', async () => {
  const told: unknown[] = [];
  const pace = createPace({
    enter: () => Promise.reject(new Error('It waits.')),
    charge: (...time) => void told.push(time),
    arrived: () => undefined,
  });
  await pace(RIVAL, sizes(60_000));
  expect(told).toEqual([['rival', threadMs(60_000)]]);
});
