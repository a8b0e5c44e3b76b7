import { expect, it } from 'vitest';
import { createOwnBuckets } from '../net/index.js';
import { createRateLimiter, createSharedRateLimiter } from './rate-limiter.js';
import { createManualClock } from './testing/manual-clock.js';

it('a rate limiter forgets whoever was quiet the longest, so that strangers cannot fill the memory', () => {
  const limiter = createRateLimiter(1, createManualClock());
  limiter.take('quiet');
  expect(limiter.take('quiet')).toBeGreaterThan(0);
  for (let n = 0; n < 20_000; n += 1) limiter.take(`stranger-${n}`);
  expect(limiter.take('stranger-19999')).toBeGreaterThan(0);
  expect(limiter.take('quiet')).toBe(0);
});

it('a limit that two processes share lets as many through as that of one, and each alone while the store is away', async () => {
  const clock = createManualClock();
  const take = createOwnBuckets(clock);
  const two = [1, 2].map(() => createSharedRateLimiter(60, clock, { take }));
  const enter = async (count: number) => {
    let through = 0;
    for (let i = 0; i < count; i += 1) if ((await two[i % 2]?.take('k')) === 0) through += 1;
    return through;
  };
  expect(await enter(200)).toBe(60);
  expect(await two[0]?.take('k')).toBeGreaterThan(0);
  await clock.advance(10_000);
  expect(await enter(40)).toBe(10);
  const away = createSharedRateLimiter(2, clock, { take: () => Promise.reject(new Error('away')) });
  expect([await away.take('k'), await away.take('k')]).toEqual([0, 0]);
  expect(await away.take('k')).toBeGreaterThan(0);
});
