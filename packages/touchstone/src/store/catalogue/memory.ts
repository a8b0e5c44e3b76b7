import { validationError } from '@touchstone/protocol';
import type { MemoryEntry } from '@touchstone/protocol/bodies';
import type { Memory } from '../../ports/index.js';
import type { Db } from '../db.js';
import { toMemoryEntry } from '../rows.js';

const PUT = `INSERT INTO memory_entries
    (tenant, workspace, agent_id, entry_id, content, tags, created_at, expires_at, expires_ms, written_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, agent_id, entry_id) DO NOTHING`;
const SNAPSHOT = `SELECT entry_id, content, tags, created_at, expires_at FROM memory_entries
  WHERE tenant = ? AND workspace = ? AND agent_id = ? AND written_at <= ?
  AND (expires_ms IS NULL OR expires_ms > ?) ORDER BY written_at, entry_id`;

/** Expired entries are hidden, not deleted: a deleted one would come back to life when its write is repeated. */
export function createMemory(db: Db): Memory {
  return {
    async put(owner, agentId, entry, writtenAt) {
      const key = [owner.tenant, owner.workspace, agentId, entry.id];
      const content = [JSON.stringify(entry.content), JSON.stringify(entry.tags), entry.createdAt];
      const expiry = [entry.expiresAt ?? null, expiryMs(entry)];
      await db.transaction([{ sql: PUT, params: [...key, ...content, ...expiry, writtenAt] }]);
    },
    async snapshot(owner, agentId, asOf, now) {
      const rows = await db.all(SNAPSHOT, [owner.tenant, owner.workspace, agentId, asOf, now]);
      return rows.map(toMemoryEntry);
    },
  };
}

/** A time that cannot be read would be stored as none at all, and the entry would never be forgotten. */
function expiryMs({ expiresAt }: MemoryEntry): number | null {
  if (expiresAt === undefined) return null;
  const ms = Date.parse(expiresAt);
  if (Number.isNaN(ms))
    throw validationError([
      { pointer: '/expiresAt', message: 'expected a date and time such as 2026-01-31T12:00:00Z.' },
    ]);
  return ms;
}
