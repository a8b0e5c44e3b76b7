/** How often the process looks whether it has been able to do anything. */
const LOOK_MS = 500;
/** A busy process is late by less. One that was later was stopped, or got no processor. */
const LATE_MS = 1_000;

/**
 * Measures how long this process has stood still: stopped by a signal, suspended with its machine, starved, or busy with one piece
 * of work. Nothing can arrive meanwhile, so whoever waits for an answer must not count it. It looks from the first question on.
 */
export function createStandstill(
  elapsed: () => number,
  every: (ms: number, look: () => void) => void,
): () => number {
  let seenAt: number | undefined;
  let totalMs = 0;
  /** Timers are late after a standstill, and not always in their order: whoever asks first takes note of it. */
  const look = (): void => {
    const now = elapsed();
    const lateMs = now - (seenAt ?? now) - LOOK_MS;
    if (lateMs > LATE_MS) totalMs += lateMs;
    seenAt = now;
  };
  return () => {
    if (seenAt === undefined) every(LOOK_MS, look);
    look();
    return totalMs;
  };
}
