import type { Clock } from '../../ports/index.js';
import { GuardFailed, OutcomeUnknown, StoreAway } from '../db.js';

/** How long what has been executed is kept for a database that is away: it has been paid for. */
const KEPT_MS = 60_000;
const PAUSE_MS = 250;

/** Reads, or writes what is the same when it is written twice, until the database answers or has been away for too long. */
export async function keepTrying<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  const until = clock.elapsed() + KEPT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreAway) || clock.elapsed() >= until) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}

/**
 * The same for a write that may take effect once only. Whether one that was never confirmed took effect is looked up. It may
 * also do so later, while the next one waits for it: then a guard of the next one fails.
 */
export function writeOnce(
  clock: Clock,
  write: () => Promise<unknown>,
  isWritten: () => Promise<boolean>,
): Promise<void> {
  let isUnknown = false;
  return keepTrying(clock, async () => {
    if (isUnknown && (await isWritten())) return;
    try {
      await write();
    } catch (error) {
      isUnknown ||= error instanceof OutcomeUnknown;
      if (!(isUnknown && error instanceof GuardFailed && (await isWritten()))) throw error;
    }
  });
}
