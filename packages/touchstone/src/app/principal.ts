import { createHash, timingSafeEqual } from 'node:crypto';
import { asId, HostError, type Id, type Owner, type Principal } from '@touchstone/protocol';
import type { Clock, Keys, Store, StoredKey } from '../ports/index.js';

/** How a key is written down everywhere: in the config, in the store, in memory. The key itself is kept nowhere. */
export const hashKey = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/** A name for a key that can be logged: enough of the hash to tell two keys apart, too little to be one. */
export type KeyId = Id<'key'>;
export const keyIdOf = (keyHash: string): KeyId =>
  asId<KeyId>(keyHash.slice('sha256:'.length, 'sha256:'.length + 8));

export type KnownKey = Pick<
  StoredKey,
  'keyHash' | 'owner' | 'principal' | 'roles' | 'expiresAt' | 'revokedAt'
>;
export type Roles = { readonly [role: string]: readonly string[] };

/** Why a key does not work. */
export type KeyLoss = 'unknown' | 'expired' | 'revoked' | 'ended';

export type KeyRing = {
  /** The principal behind a key, or the reason it is none. A stored key is believed for `trustMs` without asking again. */
  find(keyHash: string, trustMs?: number): Promise<Principal | KeyLoss>;
};

/** How long a stored key may be believed without asking again; a revocation takes at most this long. */
const TRUST_MS = 5_000;

export function createKeyRing(parts: {
  readonly fixed: readonly KnownKey[];
  readonly stored: Pick<Keys, 'get'>;
  readonly roles: Roles;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}): KeyRing {
  const fixed = new Map(parts.fixed.map((key) => [key.keyHash, key]));
  // Only keys that exist are remembered, so guessing cannot fill the memory.
  const recent = new Map<string, { readonly key: KnownKey; readonly at: number }>();

  const stored = async (keyHash: string, trustMs: number): Promise<KnownKey | undefined> => {
    const seen = recent.get(keyHash);
    if (seen && parts.clock.elapsed() - seen.at < trustMs) return seen.key;
    const key = await parts.stored.get(keyHash);
    if (key) recent.set(keyHash, { key, at: parts.clock.elapsed() });
    else recent.delete(keyHash);
    return key;
  };

  return {
    async find(keyHash, trustMs = TRUST_MS) {
      // A key of the config can be revoked like any other, without editing the file.
      const [configured, known] = [fixed.get(keyHash), await stored(keyHash, trustMs)];
      const key = configured && known?.revokedAt !== undefined ? known : (configured ?? known);
      if (!key || !sameHash(key.keyHash, keyHash)) return 'unknown';
      if (key.revokedAt !== undefined && key.revokedAt <= parts.clock.now()) return 'revoked';
      if (key.expiresAt !== undefined && key.expiresAt <= parts.clock.now()) return 'expired';
      return principalOf(key, parts.roles);
    },
  };
}

function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const principalOf = (key: KnownKey, roles: Roles): Principal => ({
  id: key.principal,
  owner: key.owner,
  roles: key.roles,
  scopes: new Set(key.roles.flatMap((role) => roles[role] ?? [])),
});

const NOBODY: Owner = Object.freeze({ tenant: '~nobody', workspace: '~' });
/** The caller of an endpoint that asks for no key. It owns nothing: no key can name this tenant. */
export const ANONYMOUS: Principal = Object.freeze({
  id: '~anonymous',
  owner: NOBODY,
  roles: [],
  scopes: new Set<string>(),
});

/** What these scopes allow reaches beyond the caller's tenant, so `*` does not bring them: an admin is a tenant's own. */
const isHostScope = (scope: string): boolean => scope.startsWith('host:') || scope === 'metrics:read';

export const hasScope = ({ scopes }: Principal, scope: string): boolean =>
  scopes.has(scope) || (scopes.has('*') && !isHostScope(scope));

/** Any of `others` will do as well; a refusal names only the scope that was made for the deed. */
export function checkScope(principal: Principal, scope: string, others: readonly string[] = []): void {
  if ([scope, ...others].some((one) => hasScope(principal, one))) return;
  const message = `This API key may not do this: it needs the scope ${scope}.`;
  throw new HostError('forbidden', message, { scopeRequired: scope });
}

/** The token of `Authorization: Bearer <token>`; undefined when the header is missing or says something else. */
export const bearerToken = (header: string | undefined): string | undefined =>
  header?.match(/^Bearer +([\x21-\x7e]{1,512})$/i)?.[1];

const UNAUTHENTICATED = {
  missing: ['unauthenticated', 'Send an API key: "Authorization: Bearer <key>".'],
  several: ['unauthenticated', 'Send one Authorization header, not several.'],
  unknown: ['unauthenticated', 'This API key is not known here.'],
  expired: ['key_expired', 'This API key has expired. Ask the operator for a new one.'],
  ended: ['unauthenticated', 'This session has ended. Sign in again.'],
  revoked: ['key_revoked', 'This API key has been revoked. Ask the operator for a new one.'],
} as const;

export function unauthenticated(reason: keyof typeof UNAUTHENTICATED): HostError {
  const [code, message] = UNAUTHENTICATED[reason];
  return new HostError(code, message);
}

type TenantOptions = {
  readonly config: { readonly keys: readonly { readonly tenant: string }[] };
  readonly origin: 'host' | 'cli';
};

/**
 * Whether a tenant is the only one with keys, those in the store included. Looked up again with every look for orphaned
 * runs; a tenant that turns up in between is not the one that was known, and so is not alone. The operator at
 * the machine acts for no tenant of the keys.
 */
export async function watchTenants(
  store: Store,
  { config, origin }: TenantOptions,
): Promise<{ isOnly(tenant: string): boolean; look(): Promise<void> }> {
  let known: ReadonlySet<string> = new Set();
  const look = async (): Promise<void> => {
    const stored = (await store.keys.list()).filter((key) => key.revokedAt === undefined);
    known = new Set([...config.keys.map((key) => key.tenant), ...stored.map((key) => key.owner.tenant)]);
  };
  await look();
  return {
    isOnly: (tenant) => known.size === 0 || (known.size === 1 && (origin === 'cli' || known.has(tenant))),
    look,
  };
}
