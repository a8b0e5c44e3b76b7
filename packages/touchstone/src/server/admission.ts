import { isIPv6 } from 'node:net';
import { HostError, type Principal } from '@touchstone/protocol';
import type { Credential } from '../api/index.js';
import {
  bearerToken,
  createRateLimiter,
  createSharedRateLimiter,
  hashKey,
  type KeyId,
  type KeyLoss,
  type KeyRing,
  keyIdOf,
  type OneTimeTokens,
  type RateLimiter,
  type SessionHalves,
  type Sessions,
  unauthenticated,
} from '../app/index.js';
import type { Clock, Paces } from '../ports/index.js';

type Visitor = {
  readonly address: string;
  /** Every `Authorization` header of the request. */
  readonly authorization: readonly string[];
  /** Of a page, when both halves came. */
  readonly session?: SessionHalves | undefined;
  /** A one-time token does as well as a key. */
  readonly signsIn?: true | undefined;
};
export type Caller = Credential & {
  readonly principal: Principal;
  readonly keyId: KeyId;
  /** Why it would not be let in any more; a stored key is believed for `trustMs` without asking again. */
  loss(trustMs: number): Promise<KeyLoss | undefined>;
};

export type Admission = {
  /** For an endpoint that asks for no key. */
  admitAnyone(visitor: Pick<Visitor, 'address'>): void;
  /** For every other one: who is this, and is it not too often? What it may do is asked afterwards. */
  admit(visitor: Visitor): Promise<Caller>;
};

/** Requests without a valid key that an address may make in a minute; as many at once, then one or two a second. */
const FAILURES_PER_MINUTE = 100;

/**
 * A valid key always gets in, whatever others do from its address: behind a proxy that is not trusted, or in an office, all
 * callers are one address. So keys are looked up first, and only requests without a valid one count against an address.
 */
export function createAdmission(parts: {
  readonly keys: KeyRing;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly tokens: Pick<OneTimeTokens, 'redeem'>;
  readonly requestsPerMinute: number;
  /** Where the requests of a key are counted for all processes; each counts for itself without it. */
  readonly shared?: Pick<Paces, 'take'> | undefined;
  readonly clock: Clock;
}): Admission {
  const { requestsPerMinute, clock } = parts;
  const perKey = parts.shared
    ? createSharedRateLimiter(requestsPerMinute, clock, parts.shared)
    : createRateLimiter(requestsPerMinute, clock);
  const perParty = createRateLimiter(requestsPerMinute, clock);
  const failures = createRateLimiter(Math.min(FAILURES_PER_MINUTE, requestsPerMinute), clock);
  const take = (limiter: RateLimiter, id: string): void => check(limiter.take(id), 'global');
  const check = (waitMs: number, scope: 'key' | 'global'): void => {
    if (waitMs > 0) throw rateLimited(waitMs, scope);
  };
  return {
    admitAnyone: ({ address }) => take(perParty, remoteParty(address)),
    async admit(visitor) {
      const known = await identify(parts, visitor);
      if (typeof known === 'string') {
        take(failures, remoteParty(visitor.address));
        throw unauthenticated(known);
      }
      const waitMs = perKey.take(known.keyHash);
      check(typeof waitMs === 'number' ? waitMs : await waitMs, 'key');
      const { keyHash, session } = known;
      return {
        ...known,
        keyId: keyIdOf(keyHash),
        loss: (trustMs) => lossOf(parts, { keyHash, session }, trustMs),
      };
    },
  };
}

type Sources = {
  readonly keys: KeyRing;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly tokens: Pick<OneTimeTokens, 'redeem'>;
};

/** A session ends with its key, and by itself. */
async function lossOf(
  { keys, sessions }: Sources,
  { keyHash, session }: { readonly keyHash: string; readonly session?: SessionHalves | undefined },
  trustMs: number,
): Promise<KeyLoss | undefined> {
  if (session && !(await sessions.find(session))) return 'ended';
  const found = await keys.find(keyHash, trustMs);
  return typeof found === 'string' ? found : undefined;
}

type Identity = Credential & { readonly principal: Principal };
type Reason = Parameters<typeof unauthenticated>[0];

/** The key of a request and who holds it, or the reason that there is none. A key goes before a session. */
async function identify(sources: Sources, visitor: Visitor): Promise<Identity | Reason> {
  const [header, ...others] = visitor.authorization;
  if (others.length > 0) return 'several';
  if (header === undefined && visitor.session) return identifySession(sources, visitor.session);
  const token = bearerToken(header);
  if (token === undefined) return 'missing';
  const keyHash = (visitor.signsIn && sources.tokens.redeem(token)) ?? hashKey(token);
  const principal = await sources.keys.find(keyHash);
  return typeof principal === 'string' ? principal : { principal, keyHash };
}

async function identifySession(
  { keys, sessions }: Sources,
  session: SessionHalves,
): Promise<Identity | Reason> {
  const found = await sessions.find(session);
  if (!found) return 'ended';
  const principal = await keys.find(found.keyHash);
  return typeof principal === 'string' ? principal : { principal, keyHash: found.keyHash, session };
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
