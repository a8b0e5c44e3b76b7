import { expect, it } from 'vitest';
import { createRateLimiter } from './rate-limiter.js';
import { createManualClock } from './testing/manual-clock.js';

it('a rate limiter forgets whoever was quiet the longest, so that strangers cannot fill the memory', () => {
  const limiter = createRateLimiter(1, createManualClock());
  limiter.take('quiet');
  expect(limiter.take('quiet')).toBeGreaterThan(0);
  for (let n = 0; n < 20_000; n += 1) limiter.take(`stranger-${n}`);
  expect(limiter.take('stranger-19999')).toBeGreaterThan(0);
  expect(limiter.take('quiet')).toBe(0);
});
