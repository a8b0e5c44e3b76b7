import type { Clock } from '../../ports/index.js';

export type GoneHolders = {
  look(holders: readonly string[]): Promise<void>;
  has(holder: string): boolean;
};

/**
 * A process that lives may have lost its connection, and its lock with it, for the moment that it takes to connect again.
 * So a lock has to be found free twice, with this in between.
 */
const APART_MS = 700;
/** Nobody has asked for it in so long: what was found out is no longer true, and not needed. */
const FORGOTTEN_MS = 10_000;

/** Which holders are no more, whoever asks for which of them. `freeLocks` answers nothing when it cannot tell. */
export function createGoneHolders(
  clock: Pick<Clock, 'elapsed'>,
  freeLocks: (holders: readonly string[]) => Promise<readonly string[] | undefined>,
): GoneHolders {
  const seen = new Map<string, { readonly since: number; at: number }>();
  return {
    async look(holders) {
      const known = [...new Set(holders)];
      const free = known.length === 0 ? [] : await freeLocks(known);
      const now = clock.elapsed();
      if (!free) return seen.clear();
      const isFree = new Set(free);
      for (const holder of known) {
        const before = seen.get(holder);
        if (!isFree.has(holder)) seen.delete(holder);
        else if (before) before.at = now;
        else seen.set(holder, { since: now, at: now });
      }
      for (const [holder, { at }] of seen) if (now - at > FORGOTTEN_MS) seen.delete(holder);
    },
    has(holder) {
      const found = seen.get(holder);
      return found !== undefined && found.at - found.since >= APART_MS;
    },
  };
}
