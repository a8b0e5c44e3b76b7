import { afterEach, expect, it, vi } from 'vitest';
import { keepDoing } from './keep-doing.js';

afterEach(() => void vi.useRealTimers());

const EVERY_MS = 60_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('tells of a failure', async () => {
  const told: unknown[] = [];
  const stop = keepDoing(
    () => Promise.reject('away'),
    EVERY_MS,
    (error) => told.push(error),
  );
  await settled();
  stop();
  expect(told).toEqual(['away']);
});

it('is silent about what was under way at its end', async () => {
  const told: unknown[] = [];
  let fail: (error: unknown) => void = () => undefined;
  const stop = keepDoing(
    () => new Promise((_, reject) => (fail = reject)),
    EVERY_MS,
    (error) => told.push(error),
  );
  stop();
  fail('closed');
  await settled();
  expect(told).toEqual([]);
});

it('is not done again soon after a failure while it is under way anyway', async () => {
  vi.useFakeTimers();
  let times = 0;
  const what = async () => {
    times += 1;
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    throw 'away';
  };
  const stop = keepDoing(what, 2_500, () => undefined, 250);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(times).toBe(25);
  stop();
});

it('is done again soon after a failure, and once at a time', async () => {
  vi.useFakeTimers();
  const times: number[] = [];
  let isAway = true;
  const what = async () => {
    times.push(Date.now() - begunAt);
    if (isAway) throw 'away';
  };
  const begunAt = Date.now();
  const stop = keepDoing(what, 2_500, () => undefined, 1_000);
  await vi.advanceTimersByTimeAsync(2_900);
  expect(times).toEqual([0, 1_000, 2_000, 2_500]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_500);
  expect(times).toEqual([0, 1_000, 2_000, 2_500, 3_500, 5_000]);
  stop();
});
