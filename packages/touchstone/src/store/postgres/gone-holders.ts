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

/** Which lease holders are no more. `freeLocks` answers nothing when it cannot tell. */
export function createGoneHolders(
  clock: Pick<Clock, 'elapsed'>,
  freeLocks: (holders: readonly string[]) => Promise<readonly string[] | undefined>,
): GoneHolders {
  let freeSince = new Map<string, number>();
  let gone = new Set<string>();
  return {
    async look(holders) {
      const known = [...new Set(holders)];
      const free = known.length === 0 ? [] : await freeLocks(known);
      const now = clock.elapsed();
      const before = free ? freeSince : new Map<string, number>();
      freeSince = new Map((free ?? []).map((holder) => [holder, before.get(holder) ?? now]));
      gone = new Set([...freeSince].flatMap(([holder, since]) => (now - since >= APART_MS ? [holder] : [])));
    },
    has: (holder) => gone.has(holder),
  };
}
