import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MASK, maskSecrets } from './mask.js';

// A search asks for the preset's pattern of Google's keys exactly once, so its matches are counted; they still run.
let searches = 0;
beforeEach(() => {
  searches = 0;
  const { matchAll } = String.prototype;
  vi.spyOn(String.prototype, 'matchAll').mockImplementation(function (this: string, pattern) {
    if (pattern.source.includes('AIza') && !pattern.source.includes('cred_')) searches += 1;
    return matchAll.call(this, pattern);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['The customer asked for a refund on Tuesday, and got one.'],
  ['running'],
  ['eval.scored'],
  ['refund-12'.slice(0, 7)],
  ['密码是必需的，客户在星期二要求退款。'],
])('one look tells that there is nothing in %j', async (text) => {
  expect(await maskSecrets(text)).toBe(text);
  expect(searches).toBe(0);
});

it('others get their turn while a text of many masked pieces is searched', async () => {
  // Goal: short pieces take turns as windows of a long text do. Method: each turn of the event loop is counted while
  // pieces that need a search, and that no window border divides, are looked at.
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const text = `piece-0123-456 ${MASK}`.repeat(5_000);
  expect(await maskSecrets(text)).toBe(text);
  isDone = true;
  expect(searches).toBe(5_000);
  expect(turns).toBeGreaterThan(30);
});
