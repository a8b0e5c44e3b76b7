import type { Clock } from '../../ports/index.js';

type Sleeper = { readonly at: number; readonly wake: () => void };

/** A clock that moves only when told to. */
export type ManualClock = Clock & {
  advance(ms: number): Promise<void>;
  /** How many are asleep. */
  readonly sleeping: number;
};

export function createManualClock(start = 1_700_000_000_000): ManualClock {
  let now = start;
  const sleepers = new Set<Sleeper>();
  return {
    now: () => now,
    elapsed: () => now - start,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper: Sleeper = {
          at: now + ms,
          wake() {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', giveUp);
            resolve();
          },
        };
        const giveUp = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', giveUp);
        sleepers.add(sleeper);
      }),
    async advance(ms) {
      now += ms;
      for (const sleeper of [...sleepers].sort((a, b) => a.at - b.at)) if (sleeper.at <= now) sleeper.wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
    get sleeping() {
      return sleepers.size;
    },
  };
}
