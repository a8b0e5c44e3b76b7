import { expect, it } from 'vitest';
import { timeCall } from './call-time.js';

it('a call lasts from when it had its place at the provider to its answer', () => {
  let passed = 0;
  const effort = { attempts: 0, waitedMs: 100 };
  const clock = { now: () => 5_000 + passed, elapsed: () => passed };
  const timed = timeCall(clock as never, { effort });
  passed = 700;
  effort.waitedMs += 200;
  expect(timed()).toEqual({ startedAt: 5_200, durationMs: 500 });
});
