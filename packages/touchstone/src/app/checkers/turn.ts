import type { Clock } from '../../ports/index.js';

/** So long the event loop may be kept by checks before it sees to everything else. */
const TURN_MS = 10;

/** The time that checks have taken in this turn of the event loop. */
export type Turn = {
  hasTime(): boolean;
  /** Counts the time of the work, up to what it costs at worst: loading a library for the first time is not its time. */
  spend<T>(costUs: number, work: () => T, onSpent?: (ms: number) => void): T;
};

export function createTurn(clock: Pick<Clock, 'elapsed'>): Turn {
  let spentMs = 0;
  let isUnderWay = false;
  const begin = (): void => {
    if (isUnderWay) return;
    isUnderWay = true;
    setImmediate(() => {
      isUnderWay = false;
      spentMs = 0;
    });
  };
  return {
    hasTime: () => spentMs < TURN_MS,
    spend(costUs, work, onSpent) {
      begin();
      const startedAt = clock.elapsed();
      try {
        return work();
      } finally {
        const ms = Math.min(clock.elapsed() - startedAt, costUs / 1_000);
        spentMs += ms;
        onSpent?.(ms);
      }
    },
  };
}
