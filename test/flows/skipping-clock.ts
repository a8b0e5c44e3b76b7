import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';

export type SkippingClock = Clock & {
  /** Moves the time ahead; sleeps that are over by then end at once. */
  skip(ms: number): void;
};

/** Real time that can be moved ahead. A sleep of at least `skippedMs` moves it by itself, and ends at once. */
export function createSkippingClock(skippedMs = Number.POSITIVE_INFINITY): SkippingClock {
  let aheadMs = 0;
  const sleepers = new Set<{ readonly until: number; readonly over: AbortController }>();
  const now = (): number => systemClock.now() + aheadMs;
  const skip = (ms: number): void => {
    // Clocks tell whole milliseconds, and a database holds times in columns of whole numbers.
    aheadMs += Math.ceil(ms);
    for (const { until, over } of sleepers) if (until <= now()) over.abort();
  };
  return {
    now,
    elapsed: () => systemClock.elapsed() + aheadMs,
    skip,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms >= skippedMs) return skip(ms);
      const sleeper = { until: now() + ms, over: new AbortController() };
      const either = signal ? AbortSignal.any([signal, sleeper.over.signal]) : sleeper.over.signal;
      sleepers.add(sleeper);
      try {
        await systemClock.sleep(ms, either);
      } catch (error) {
        if (!sleeper.over.signal.aborted || signal?.aborted) throw error;
      } finally {
        sleepers.delete(sleeper);
      }
    },
  };
}
