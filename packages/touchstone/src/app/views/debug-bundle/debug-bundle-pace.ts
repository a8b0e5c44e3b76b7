import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../ports/index.js';
import { checkStillThere } from './debug-bundle-line.js';

/** Keeps long work from holding up everyone else. */
export type Pace = {
  /** Whether it is time to let others have a turn, or to stop. Cheap enough to be asked at every step. */
  isDue(): boolean;
  /** Lets them; refuses to go on when nobody waits for the work any more. */
  pause(): Promise<void>;
};

const STRETCH_MS = 10;

export function createPace(clock: Pick<Clock, 'elapsed'>, signal?: AbortSignal): Pace {
  let since = clock.elapsed();
  return {
    isDue: () => signal?.aborted === true || clock.elapsed() - since >= STRETCH_MS,
    async pause() {
      await nextTurn();
      checkStillThere(signal);
      since = clock.elapsed();
    },
  };
}
