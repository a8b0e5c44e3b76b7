import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { manualClock } from '../agents/fixtures/manual-clock.js';
import { createBuckets, createOwnBuckets } from './buckets.js';

const never = new AbortController().signal;
const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
};

function setUp(perMinute: number, take = createOwnBuckets) {
  const clock = manualClock();
  const bucket = createBuckets({ clock, take: take(clock) })('requests p', perMinute);
  let through = 0;
  const enter = async (count: number) => {
    for (let i = 0; i < count; i += 1)
      bucket.take(new AbortController().signal).then(
        () => {
          through += 1;
        },
        () => undefined,
      );
    await settle();
  };
  return { clock, bucket, enter, through: () => through };
}

it("lets a tenth of a minute through at once, and then a second's worth each second", async () => {
  const { clock, enter, through } = setUp(600);
  await enter(1_000);
  expect(through()).toBe(60);
  for (let second = 1; second <= 30; second += 1) {
    clock.advance(1_000);
    await settle();
    expect(through()).toBeLessThanOrEqual(60 + 10 * second);
  }
  expect(through()).toBeGreaterThan(60 + 10 * 25);
});

it('what was spent beyond the limit is made up for before anybody goes on', async () => {
  const { clock, bucket } = setUp(600);
  await bucket.wait(never);
  bucket.spend(160);
  let isFree = false;
  bucket.wait(never).then(() => {
    isFree = true;
  });
  for (let second = 0; second < 8; second += 1) {
    await settle();
    clock.advance(1_000);
  }
  expect(isFree).toBe(false);
  for (let second = 0; second < 10; second += 1) {
    await settle();
    clock.advance(1_000);
  }
  await settle();
  expect(isFree).toBe(true);
});

it('who gives up waits no longer, and a store that is away lets nobody through', async () => {
  const { clock, bucket, enter, through } = setUp(600, () => () => Promise.reject(new Error('away')));
  await enter(1);
  clock.advance(10_000);
  await settle();
  expect(through()).toBe(0);
  const impatient = new AbortController();
  const gaveUp = bucket.take(impatient.signal);
  impatient.abort('enough');
  await expect(gaveUp).rejects.toBe('enough');
});
