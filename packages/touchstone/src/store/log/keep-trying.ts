import type { Clock } from '../../ports/index.js';
import { OutcomeUnknown, StoreAway } from '../db.js';

/** How long what has been executed is kept for a database that is away: it has been paid for. */
const KEPT_MS = 60_000;
const PAUSE_MS = 250;

/**
 * Writes until the database takes it, or has been away for too long. Whether a write took effect that was never confirmed is
 * looked up; where that cannot be, it is not tried again.
 */
export async function keepTrying(
  clock: Clock,
  write: () => Promise<unknown>,
  isWritten?: () => Promise<boolean>,
): Promise<void> {
  const until = clock.elapsed() + KEPT_MS;
  for (let isUnknown = false; ; ) {
    try {
      if (!(isUnknown && (await isWritten?.()))) await write();
      return;
    } catch (error) {
      isUnknown ||= error instanceof OutcomeUnknown;
      if (!(error instanceof StoreAway) || clock.elapsed() >= until || (isUnknown && !isWritten)) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}
