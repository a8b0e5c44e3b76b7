import { randomBytes } from 'node:crypto';
import { asId, type RunId } from '@touchstone/protocol';
import { createStandstill } from '../net/index.js';
import type { Clock, Ids } from '../ports/index.js';

/** Node clamps longer timers to one millisecond, so long waits are made of shorter ones. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The one place where real time is read. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  stoodStillMs: createStandstill(
    () => performance.now(),
    (ms, look) => void setInterval(look, ms).unref(),
  ),
  async sleep(ms, signal) {
    for (let left = ms; ; left -= LONGEST_TIMER_MS) {
      await timer(Math.min(Math.max(0, left), LONGEST_TIMER_MS), signal);
      if (left <= LONGEST_TIMER_MS) return;
    }
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      clearTimeout(handle);
      reject(signal?.reason);
    };
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Sortable by time, unguessable by the rest: 48 bits of milliseconds, then 80 random bits, in Crockford's base 32. */
function timeOrderedId(now: number): string {
  let time = '';
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  return time + Array.from(randomBytes(16), (byte) => ALPHABET[byte % 32]).join('');
}

export const systemIds: Ids = {
  runId: () => asId<RunId>(`run-${timeOrderedId(Date.now())}`),
  token: () => randomBytes(32).toString('base64url'),
};
