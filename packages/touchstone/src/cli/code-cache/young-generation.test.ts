import { cachedDataVersionTag, getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { afterEach, expect, it, vi } from 'vitest';
import { boundYoungGeneration } from './young-generation.js';

// V8's tag tells whether flags are those it began with. A thread of a test has a young generation of its own, whose size is not looked at.
const firstTag = cachedDataVersionTag();
afterEach(() => setFlagsFromString('--semi-space-growth-factor=2'));

/** Makes garbage until the collections have been told of. */
const untilCollected = (isSeen: () => boolean) =>
  vi.waitFor(() => {
    for (let at = 0; at < 200; at += 1) Array.from({ length: 10_000 }, () => ({}));
    expect(isSeen()).toBe(true);
  });

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

it('a young generation has a size that V8 tells', () => {
  expect(youngBytes()).toBeGreaterThan(0);
});

it('it is bound once it has that size, is not while code is compiled, and not any more at the end', async () => {
  const young = boundYoungGeneration(1);
  await untilCollected(() => cachedDataVersionTag() !== firstTag);
  expect(young.withFirstFlags(cachedDataVersionTag)).toBe(firstTag);
  expect(cachedDataVersionTag()).not.toBe(firstTag);
  expect(() =>
    young.withFirstFlags(() => {
      throw new Error('a file that does not compile');
    }),
  ).toThrow('compile');
  expect(cachedDataVersionTag()).not.toBe(firstTag);
  young.release();
  expect(cachedDataVersionTag()).toBe(firstTag);
});

it('it may grow until then', async () => {
  const young = boundYoungGeneration(Number.POSITIVE_INFINITY);
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({ entryTypes: ['gc'] });
  await untilCollected(() => collections > 1);
  observer.disconnect();
  expect(cachedDataVersionTag()).toBe(firstTag);
  young.release();
});
