import { isIPv6 } from 'node:net';
import { HostError } from '@touchstone/protocol';
import type { Clock } from '../ports/index.js';

export type RateLimiter = {
  /** Takes `cost` tokens, or takes none and answers how many milliseconds until there are enough. 0 means taken. */
  take(id: string, cost?: number): number;
  giveBack(id: string, cost: number): void;
};

type Bucket = { tokens: number; at: number };

/** How many callers are remembered before the ones that have been quiet the longest are forgotten. */
const MAX_BUCKETS = 20_000;

/** A token bucket per id: a minute's worth at once, refilled evenly. */
export function createRateLimiter(perMinute: number, clock: Pick<Clock, 'elapsed'>): RateLimiter {
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, Bucket>();

  const bucketOf = (id: string): Bucket => {
    const now = clock.elapsed();
    const known = buckets.get(id) ?? { tokens: perMinute, at: now };
    const bucket = { tokens: Math.min(perMinute, known.tokens + (now - known.at) * perMs), at: now };
    // Deleted first, so that the map stays in order of last use and the front is who was quiet the longest.
    buckets.delete(id);
    buckets.set(id, bucket);
    if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value as string);
    return bucket;
  };

  return {
    take(id, cost = 1) {
      const bucket = bucketOf(id);
      if (bucket.tokens < cost) return Math.ceil((cost - bucket.tokens) / perMs);
      bucket.tokens -= cost;
      return 0;
    },
    giveBack(id, cost) {
      const bucket = bucketOf(id);
      bucket.tokens = Math.min(perMinute, bucket.tokens + cost);
    },
  };
}

export function rateLimited(waitMs: number, scope: 'key' | 'global'): HostError {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
  const message = `Too many requests. Try again in ${retryAfter} s.`;
  return new HostError('rate_limited', message, { retryAfter, retryAfterMs: waitMs, scope });
}

/** Who counts as one remote party: an IPv4 address, or the /64 that a single IPv6 customer is usually given. */
export function remoteParty(address: string): string {
  const mapped = address.match(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i);
  if (mapped) return mapped[1] as string;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  if (tail === undefined || front.length >= 4) return front.slice(0, 4).join(':');
  const back = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':');
}
