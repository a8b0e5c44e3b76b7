import type { Clock } from '../../ports/index.js';

/** A clock that moves only when a test advances it. Sleepers wake in the order of their deadlines. */
export type ManualClock = Clock & { advance(ms: number): Promise<void>; readonly sleeping: number };

export function createManualClock(start = 1_700_000_000_000): ManualClock {
  let now = start;
  let sleepers: { at: number; resolve: () => void }[] = [];
  return {
    now: () => now,
    elapsed: () => now - start,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const wake = (): void => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const sleeper = { at: now + ms, resolve: wake };
        const abort = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
      }),
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        const due = sleepers.filter((sleeper) => sleeper.at <= until).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        sleepers = sleepers.filter((other) => other !== due);
        now = Math.max(now, due.at);
        due.resolve();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = until;
      await new Promise((resolve) => setImmediate(resolve));
    },
    get sleeping() {
      return sleepers.length;
    },
  };
}
