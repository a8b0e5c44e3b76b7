import type { Clock } from '../../ports/index.js';

/** So long the event loop may be kept by checks before it sees to everything else. */
const TURN_MS = 10;

/** The time that checks have taken in this turn of the event loop. */
export type Turn = {
  hasTime(): boolean;
  spend<T>(work: () => T): T;
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
    spend(work) {
      begin();
      const startedAt = clock.elapsed();
      try {
        return work();
      } finally {
        spentMs += clock.elapsed() - startedAt;
      }
    },
  };
}
