import type { RunId } from '@touchstone/protocol';
import type { Clock, Run } from '../../ports/index.js';

export type Alarms = {
  /** Wakes a run at the end of its waiting. Once per run; one that waits without end, or for very long, has none. */
  set(run: Run): void;
  close(): void;
};

/** Beyond this the regular look for unfinished runs is good enough. */
const FAR_MS = 60 * 60 * 1_000;

export function createAlarms(clock: Clock, ring: (run: Run) => void): Alarms {
  const set = new Map<RunId, number>();
  const over = new AbortController();
  return {
    set(run) {
      const { runId, waitUntil } = run;
      const inMs = waitUntil === undefined ? Number.POSITIVE_INFINITY : waitUntil - clock.now();
      if (inMs > FAR_MS || set.get(runId) === waitUntil || over.signal.aborted) return;
      set.set(runId, waitUntil as number);
      clock
        .sleep(Math.max(0, inMs), over.signal)
        .then(() => {
          if (set.get(runId) === waitUntil) set.delete(runId);
          ring(run);
        })
        .catch(() => undefined);
    },
    close: () => over.abort(),
  };
}
