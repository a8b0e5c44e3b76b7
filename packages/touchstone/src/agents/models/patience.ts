import { createDeadlines, onAbort, type RequestBounds } from '../../net/index.js';
import type { Clock } from '../../ports/index.js';

export const DEFAULT_TIMEOUT_MS = 60_000;

type Unreachable = { readonly kind: 'unreachable'; readonly reason: string };

export type Patience = {
  /** Does something that may be given up when it takes too long. Waiting for a place at the provider costs no patience. */
  within<T>(signal: AbortSignal, work: (bounds: RequestBounds) => Promise<T>): Promise<T | Unreachable>;
  close(): void;
};

const TIMED_OUT = Symbol('it took too long');

/** `who` is what the reason begins with. */
export function createPatience(clock: Clock, timeoutMs: number, who: string): Patience {
  const deadlines = createDeadlines(clock, timeoutMs);
  return {
    async within(signal, work) {
      signal.throwIfAborted();
      const over = new AbortController();
      const stopListening = onAbort(signal, () => over.abort(signal.reason));
      const deadline = deadlines.start(() => over.abort(TIMED_OUT));
      const waiting = async <T>(wait: () => Promise<T>): Promise<T> => {
        const resume = deadlines.pause(deadline);
        try {
          return await wait();
        } finally {
          resume();
        }
      };
      try {
        return await work({ signal: over.signal, effort: { attempts: 0, waitedMs: 0 }, waiting });
      } catch (error) {
        if (error !== TIMED_OUT) throw error;
        return { kind: 'unreachable', reason: `${who} did not answer within ${timeoutMs} ms.` };
      } finally {
        stopListening();
        deadlines.stop(deadline);
      }
    },
    close: deadlines.close,
  };
}
