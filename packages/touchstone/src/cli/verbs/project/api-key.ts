import { createHash, randomBytes } from 'node:crypto';
import type { Owner } from '@touchstone/protocol';
import type { StoredKey } from '../../../ports/index.js';
import { UsageError } from '../../exit.js';

export const newToken = (): string => randomBytes(32).toString('base64url');

/** A fresh key and the row that is kept of it: the hash, never the key. */
export function makeKey(facts: {
  readonly owner: Owner;
  readonly principal: string;
  readonly roles: readonly string[];
  readonly now: number;
  readonly lifetimeMs?: number;
}): { readonly key: string; readonly row: StoredKey } {
  const key = `ts_${newToken()}`;
  const keyHash = `sha256:${createHash('sha256').update(key).digest('hex')}`;
  const { owner, principal, roles, now, lifetimeMs } = facts;
  const expiry = lifetimeMs === undefined ? {} : { expiresAt: now + lifetimeMs };
  return { key, row: { keyHash, owner, principal, roles, createdAt: now, ...expiry } };
}

const UNIT_MS: { readonly [unit: string]: number } = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `45m`, `12h`, `30d`, `8w`. */
export function parseLifetime(text: string): number {
  const [, amount, unit = ''] = text.match(/^(\d{1,5})([mhdw])$/) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? 0);
  if (ms > 0) return ms;
  throw new UsageError('Expected a lifetime such as 12h or 30d after --expires.');
}

export type KeyState = 'active' | 'expired' | 'revoked';
type KeyEnds = { readonly expiresAt?: number | undefined; readonly revokedAt?: number | undefined };
export function keyState(key: KeyEnds, now: number): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active';
}

/** Enough of the hash to tell keys apart and to type. */
export const shortHash = (keyHash: string): string => keyHash.replace(/^sha256:/, '').slice(0, 12);
