import type { Keys } from '../ports/index.js';
import type { Db } from './db.js';
import { toStoredKey } from './rows.js';

/** A revoked key stays revoked: putting it again, as a start with the same config does, must not bring it back. */
const PUT = `INSERT INTO api_keys (key_hash, tenant, workspace, principal, roles, created_at, expires_at, revoked_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key_hash) DO UPDATE SET tenant = excluded.tenant, workspace = excluded.workspace,
    principal = excluded.principal, roles = excluded.roles, expires_at = excluded.expires_at,
    revoked_at = COALESCE(api_keys.revoked_at, excluded.revoked_at)`;
const SELECT = `SELECT key_hash, tenant, workspace, principal, roles, created_at, expires_at, revoked_at FROM api_keys`;
const GET = `${SELECT} WHERE key_hash = ?`;
const LIST = `${SELECT} ORDER BY created_at, key_hash`;
const REVOKE = 'UPDATE api_keys SET revoked_at = ? WHERE key_hash = ? AND revoked_at IS NULL';

export function createKeys(db: Db): Keys {
  return {
    async put(key) {
      const { tenant, workspace } = key.owner;
      const times = [key.createdAt, key.expiresAt ?? null, key.revokedAt ?? null];
      const params = [key.keyHash, tenant, workspace, key.principal, JSON.stringify(key.roles), ...times];
      await db.transaction([{ sql: PUT, params }]);
    },
    async get(keyHash) {
      const [row] = await db.all(GET, [keyHash]);
      return row && toStoredKey(row);
    },
    async list() {
      return (await db.all(LIST, [])).map(toStoredKey);
    },
    async revoke(keyHash, at) {
      const [outcome] = await db.transaction([{ sql: REVOKE, params: [at, keyHash] }]);
      return outcome?.changes === 1;
    },
  };
}
