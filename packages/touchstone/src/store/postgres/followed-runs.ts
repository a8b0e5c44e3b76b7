import type { Clock } from '../../ports/index.js';

/** Which runs have readers, in this process and in others. */
export type FollowedRuns = {
  /** A reader has come; call the answer when it has gone. */
  follow(runId: string): () => void;
  /** Another process has told of a reader. */
  heard(runId: string): void;
  /** Whether another process has told of a reader lately. */
  has(runId: string): boolean;
  close(): void;
};

/** The others are told again this often, and forget a run that they have not heard of for longer. */
const REPEAT_MS = 5_000;
const KEPT_MS = 12_000;

export function createFollowedRuns(
  clock: Pick<Clock, 'elapsed' | 'sleep'>,
  tell: (runId: string) => void,
): FollowedRuns {
  const closing = new AbortController();
  const here = new Map<string, number>();
  const elsewhere = new Map<string, number>();
  let isRepeating = false;
  const repeat = async (): Promise<void> => {
    isRepeating = true;
    while (here.size > 0) {
      await clock.sleep(REPEAT_MS, closing.signal);
      for (const runId of here.keys()) tell(runId);
    }
    isRepeating = false;
  };
  return {
    follow(runId) {
      const readers = here.get(runId) ?? 0;
      here.set(runId, readers + 1);
      if (readers === 0) tell(runId);
      if (!isRepeating) void repeat().catch(() => undefined);
      return () => {
        const left = (here.get(runId) ?? 0) - 1;
        if (left > 0) here.set(runId, left);
        else here.delete(runId);
      };
    },
    heard(runId) {
      const now = clock.elapsed();
      for (const [known, until] of elsewhere) if (until <= now) elsewhere.delete(known);
      elsewhere.set(runId, now + KEPT_MS);
    },
    has: (runId) => (elsewhere.get(runId) ?? 0) > clock.elapsed(),
    close: () => closing.abort(),
  };
}
