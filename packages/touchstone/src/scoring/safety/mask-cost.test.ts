import { beforeEach, expect, it, vi } from 'vitest';
import * as patterns from './credential-patterns.js';
import { MASK, maskSecrets } from './mask.js';

vi.mock(import('./credential-patterns.js'), async (original) => {
  const actual = await original();
  return { ...actual, patternPlaces: vi.fn(actual.patternPlaces) };
});
const searches = vi.mocked(patterns.patternPlaces);
beforeEach(() => void searches.mockClear());

it.each([
  ['The customer asked for a refund on Tuesday, and got one.'],
  ['running'],
  ['eval.scored'],
  ['refund-12'.slice(0, 7)],
  ['密码是必需的，客户在星期二要求退款。'],
])('one look tells that there is nothing in %j', async (text) => {
  expect(await maskSecrets(text)).toBe(text);
  expect(searches).not.toHaveBeenCalled();
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
  expect(searches).toHaveBeenCalledTimes(5_000);
  expect(turns).toBeGreaterThan(30);
});
