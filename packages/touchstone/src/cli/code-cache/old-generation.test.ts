import { constants, PerformanceObserver } from 'node:perf_hooks';
import { cachedDataVersionTag } from 'node:v8';
import { expect, it, vi } from 'vitest';
import { boundOldGeneration } from './old-generation.js';

const MEGABYTE = 1024 * 1024;

/** Keeps more and more, which collections move to the old generation. */
const untilKept = (kept: unknown[], isSeen: () => boolean) =>
  vi.waitFor(
    () => {
      for (let at = 0; at < 200; at += 1) kept.push(Array.from({ length: 1_000 }, () => ({ at })));
      expect(isSeen()).toBe(true);
    },
    { timeout: 30_000, interval: 5 },
  );

it('the heap is collected as a whole when it has grown, and the flags are those that the process began with', async () => {
  const firstTag = cachedDataVersionTag();
  const kept: unknown[] = [];
  let exposed = 0;
  let collected = 0;
  const stop = boundOldGeneration(MEGABYTE, () => {
    exposed += 1;
    return () => {
      collected += 1;
    };
  });
  await untilKept(kept, () => collected > 1);
  stop();
  expect(exposed).toBe(1);
  expect(kept.length).toBeGreaterThan(0);
  expect(cachedDataVersionTag()).toBe(firstTag);
});

it('such a collection is asked for, and none is without it', async () => {
  const firstTag = cachedDataVersionTag();
  const stop = boundOldGeneration(MEGABYTE);
  let forced = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { flags: number } }[])
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced += 1;
  });
  observer.observe({ entryTypes: ['gc'] });
  await untilKept([], () => forced > 0);
  observer.disconnect();
  stop();
  expect(cachedDataVersionTag()).toBe(firstTag);
});

it('no collection is made while it has not grown', async () => {
  let exposed = 0;
  const stop = boundOldGeneration(Number.POSITIVE_INFINITY, () => {
    exposed += 1;
    return () => undefined;
  });
  const kept: unknown[] = [];
  let seen = 0;
  const observer = new PerformanceObserver((list) => {
    seen += list.getEntries().length;
  });
  observer.observe({ entryTypes: ['gc'] });
  await untilKept(kept, () => seen > 2);
  observer.disconnect();
  stop();
  expect(exposed).toBe(0);
});
