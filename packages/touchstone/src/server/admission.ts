import type { Principal } from '@touchstone/protocol';
import { bearerToken, hashKey, type KeyId, type KeyRing, keyIdOf, unauthenticated } from '../app/index.js';
import type { Clock } from '../ports/index.js';
import { createRateLimiter, rateLimited, remoteParty } from './rate-limit.js';

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
