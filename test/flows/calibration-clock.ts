import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';

/** The clock of the machine, which can be set: only what time it says changes, not how fast it goes. */
export function createTestClock(): Clock & { moveOn(ms: number): void } {
  let moved = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + moved,
    moveOn(ms) {
      moved += ms;
    },
  };
}
