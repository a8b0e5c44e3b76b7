import { HostUnreachable } from '@touchstone/sdk';
import { useEffect, useRef } from 'preact/hooks';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** While the host does not answer, it is asked again after pauses that grow. Another key is another question. */
export function useRetry(key: string | undefined) {
  const waiting = useRef<{ pauseMs: number; timer?: ReturnType<typeof setTimeout> }>({
    pauseMs: FIRST_PAUSE_MS,
  });
  useEffect(() => () => clearTimeout(waiting.current.timer), [key]);
  return {
    onAnswer(): void {
      waiting.current.pauseMs = FIRST_PAUSE_MS;
    },
    onError(error: unknown, askAgain: () => void): void {
      if (!(error instanceof HostUnreachable)) return;
      const { pauseMs, timer } = waiting.current;
      clearTimeout(timer);
      waiting.current = {
        pauseMs: Math.min(LONGEST_PAUSE_MS, pauseMs * 2),
        timer: setTimeout(askAgain, pauseMs),
      };
    },
  };
}
