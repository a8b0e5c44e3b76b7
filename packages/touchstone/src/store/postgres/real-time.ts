import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../ports/index.js';

/** Connections and notifications go by the time of the network, whichever clock the host was given. */
export const REAL_TIME: Pick<Clock, 'elapsed' | 'sleep'> = {
  elapsed: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { ref: false, ...(signal && { signal }) }),
};
