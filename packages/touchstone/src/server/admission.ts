import { isIPv6 } from 'node:net';
import { HostError, type Principal } from '@touchstone/protocol';
import { bearerToken, hashKey, type KeyId, type KeyRing, keyIdOf, unauthenticated } from '../app/index.js';
import type { Clock } from '../ports/index.js';

type Visitor = { readonly address: string; readonly authorization?: string | undefined };
type Caller = { readonly principal: Principal; readonly keyId: KeyId };

export type Admission = {
  /** For an endpoint that asks for no key. */
  admitAnyone(visitor: Visitor): void;
  /** For every other one: who is this, and is it not too often? What it may do is asked afterwards. */
  admit(visitor: Visitor): Promise<Caller>;
};

/** A failed attempt weighs as much as this share of a minute's allowance: about a hundred guesses, then one a second. */
const FAILURE_SHARE = 0.01;
const MAX_PROVEN = 20_000;

export function createAdmission(parts: {
  readonly keys: KeyRing;
  readonly requestsPerMinute: number;
  readonly clock: Clock;
}): Admission {
  const perKey = createRateLimiter(parts.requestsPerMinute, parts.clock);
  const perParty = createRateLimiter(parts.requestsPerMinute, parts.clock);
  const failureCost = Math.max(1, parts.requestsPerMinute * FAILURE_SHARE);
  // Pairs of address and key that have worked. They pass while their address is shut out for guessing; any other key
  // from there is not even looked up, or else the guessing could go on at full speed.
  const proven = new Set<string>();

  const identify = async (party: string, keyHash: string): Promise<Principal> => {
    const pair = `${party} ${keyHash}`;
    const isProven = proven.has(pair);
    if (!isProven) payFailure(party);
    const found = await parts.keys.find(keyHash);
    if (typeof found === 'string') {
      if (isProven) proven.delete(pair);
      throw unauthenticated(found);
    }
    if (!isProven) {
      perParty.giveBack(party, failureCost);
      if (proven.size >= MAX_PROVEN) proven.clear();
      proven.add(pair);
    }
    return found;
  };

  const payFailure = (party: string): void => {
    const waitMs = perParty.take(party, failureCost);
    if (waitMs > 0) throw rateLimited(waitMs, 'global');
  };

  return {
    admitAnyone(visitor) {
      const waitMs = perParty.take(remoteParty(visitor.address));
      if (waitMs > 0) throw rateLimited(waitMs, 'global');
    },
    async admit(visitor) {
      const party = remoteParty(visitor.address);
      const token = bearerToken(visitor.authorization);
      if (token === undefined) {
        payFailure(party);
        throw unauthenticated('missing');
      }
      const keyHash = hashKey(token);
      const principal = await identify(party, keyHash);
      const waitMs = perKey.take(keyHash);
      if (waitMs > 0) throw rateLimited(waitMs, 'key');
      return { principal, keyId: keyIdOf(keyHash) };
    },
  };
}

type RateLimiter = {
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

function rateLimited(waitMs: number, scope: 'key' | 'global'): HostError {
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
