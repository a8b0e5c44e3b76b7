import type { Clock, Paces } from '../ports/index.js';

export type RateLimiter = {
  /** Takes a token, or answers how many milliseconds until there is one. 0 means taken. */
  take(id: string): number;
};
/** The same for a limit that processes share, who have to ask. */
export type SharedRateLimiter = { take(id: string): number | Promise<number> };

type Bucket = { tokens: number; at: number };

/** How many callers are remembered before the ones that have been quiet the longest are forgotten. */
const MAX_BUCKETS = 20_000;

/** A token bucket per id, refilled evenly; a full one holds a minute's worth unless told otherwise. */
export function createRateLimiter(
  perMinute: number,
  clock: Pick<Clock, 'elapsed'>,
  atOnce = perMinute,
): RateLimiter {
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, Bucket>();

  const bucketOf = (id: string): Bucket => {
    const now = clock.elapsed();
    const known = buckets.get(id) ?? { tokens: atOnce, at: now };
    const bucket = { tokens: Math.min(atOnce, known.tokens + (now - known.at) * perMs), at: now };
    // Deleted first, so that the map stays in order of last use and the front is who was quiet the longest.
    buckets.delete(id);
    buckets.set(id, bucket);
    if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value as string);
    return bucket;
  };

  return {
    take(id) {
      const bucket = bucketOf(id);
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perMs);
      bucket.tokens -= 1;
      return 0;
    },
  };
}

type Share = { left: number; emptyUntil: number; asking?: Promise<void> | undefined };

/** A process takes a tenth of a minute's worth at a time, so that few requests ask. */
const PIECES = 10;

/**
 * A limit that counts over all processes on a store. What a process has taken is its own to give out; while the store cannot be
 * asked, `alone` decides.
 */
export function createSharedRateLimiter(
  perMinute: number,
  clock: Pick<Clock, 'elapsed'>,
  paces: Pick<Paces, 'take'>,
  alone: RateLimiter = createRateLimiter(perMinute, clock),
): SharedRateLimiter {
  const limits = { perMinute, atOnce: perMinute };
  const shares = new Map<string, Share>();
  const shareOf = (id: string): Share => {
    const share = shares.get(id) ?? { left: 0, emptyUntil: 0 };
    shares.delete(id);
    shares.set(id, share);
    if (shares.size > MAX_BUCKETS) shares.delete(shares.keys().next().value as string);
    return share;
  };
  const ask = async (id: string, share: Share): Promise<void> => {
    const { taken, waitMs } = await paces.take(`key ${id}`, limits, Math.max(1, perMinute / PIECES));
    share.left += taken;
    share.emptyUntil = clock.elapsed() + waitMs;
  };
  const takeAsking = async (id: string, share: Share): Promise<number> => {
    share.asking ??= ask(id, share).finally(() => {
      share.asking = undefined;
    });
    try {
      await share.asking;
    } catch {
      return alone.take(id);
    }
    return take(id);
  };
  const take = (id: string): number | Promise<number> => {
    const share = shareOf(id);
    if (share.left >= 1) {
      share.left -= 1;
      return 0;
    }
    const waitMs = share.emptyUntil - clock.elapsed();
    return waitMs > 0 ? Math.ceil(waitMs) : takeAsking(id, share);
  };
  return { take };
}
