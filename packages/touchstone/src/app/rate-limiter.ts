import type { Clock } from '../ports/index.js';

export type RateLimiter = {
  /** Takes a token, or answers how many milliseconds until there is one. 0 means taken. */
  take(id: string): number;
};

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
