import type { Clock } from '../../../ports/index.js';

/** How long a fetch may go on: until it is done, until its time is over, or until nobody wants it any more. */
export type Lifetime = {
  readonly signal: AbortSignal;
  readonly isTimedOut: boolean;
  end(): void;
};

export function startLifetime(clock: Clock, timeoutMs: number, outer?: AbortSignal): Lifetime {
  const over = new AbortController();
  const timer = new AbortController();
  let isTimedOut = false;
  const giveUp = (): void => over.abort(outer?.reason);
  outer?.addEventListener('abort', giveUp);
  if (outer?.aborted) giveUp();
  clock.sleep(timeoutMs, timer.signal).then(
    () => {
      isTimedOut = true;
      over.abort();
    },
    () => undefined,
  );
  return {
    signal: over.signal,
    get isTimedOut() {
      return isTimedOut;
    },
    end() {
      timer.abort();
      outer?.removeEventListener('abort', giveUp);
    },
  };
}
