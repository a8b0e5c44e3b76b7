import type { Owner } from '@touchstone/protocol';

export type StoredKey = {
  readonly keyHash: string;
  readonly owner: Owner;
  readonly principal: string;
  readonly roles: readonly string[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
};
/** Looked up before an owner is known, so these take no owner. The hash is the secret's; the key itself is never stored. */
export type Keys = {
  put(key: StoredKey): Promise<void>;
  get(keyHash: string): Promise<StoredKey | undefined>;
  list(): Promise<readonly StoredKey[]>;
  revoke(keyHash: string, at: number): Promise<boolean>;
};
