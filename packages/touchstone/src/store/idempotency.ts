import type { Owner } from '@touchstone/protocol';
import type { Claim, Idempotency, IdempotencyKey } from '../ports/index.js';
import type { Db, Row } from './db.js';
import { jsonAt } from './rows.js';

/**
 * Takes the key if it is free, if it has expired, or if the same request claimed it and let the claim
 * run out. One statement, so that of two callers one gets a row back and the other none.
 */
const CLAIM = `INSERT INTO idempotency
    (tenant, workspace, operation, caller_key, request_digest, claimed_until, keep_ms, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, operation, caller_key) DO UPDATE SET request_digest = excluded.request_digest,
    claimed_until = excluded.claimed_until, keep_ms = excluded.keep_ms, expires_at = excluded.expires_at, response = NULL
  WHERE idempotency.expires_at <= ? OR (idempotency.response IS NULL AND idempotency.claimed_until <= ?
    AND idempotency.request_digest = excluded.request_digest)
  RETURNING request_digest`;
const READ = `SELECT request_digest, response FROM idempotency
  WHERE tenant = ? AND workspace = ? AND operation = ? AND caller_key = ?`;
const SWEEP = 'DELETE FROM idempotency WHERE expires_at <= ?';
/** The first answer stays: a claimant that came back after its claim ran out must not replace it. */
const KEEP = `UPDATE idempotency SET response = ?, expires_at = ? + keep_ms
  WHERE tenant = ? AND workspace = ? AND operation = ? AND caller_key = ? AND response IS NULL`;
const DROP = `DELETE FROM idempotency
  WHERE tenant = ? AND workspace = ? AND operation = ? AND caller_key = ? AND response IS NULL`;

export function createIdempotency(db: Db): Idempotency {
  return {
    async claim(owner, key, requestDigest, now, leaseMs, keepMs) {
      const row = keyParams(owner, key);
      const claim = [...row, requestDigest, now + leaseMs, keepMs, now + keepMs, now, now];
      const [claimed, found] = await db.transaction([
        { sql: CLAIM, params: claim },
        { sql: READ, params: row },
        { sql: SWEEP, params: [now] },
      ]);
      return claimed?.changes === 1 ? { kind: 'claimed' } : refusal(requestDigest, found?.rows[0]);
    },
    async keep(owner, key, response, now) {
      await db.transaction([
        { sql: KEEP, params: [JSON.stringify(response), now, ...keyParams(owner, key)] },
      ]);
    },
    async drop(owner, key) {
      await db.transaction([{ sql: DROP, params: keyParams(owner, key) }]);
    },
  };
}

const keyParams = (owner: Owner, { operation, key }: IdempotencyKey) => [
  owner.tenant,
  owner.workspace,
  operation,
  key,
];

function refusal(requestDigest: string, row: Row | undefined): Claim {
  if (!row || row.request_digest !== requestDigest) return { kind: 'mismatch' };
  if (row.response === null) return { kind: 'in-flight' };
  return { kind: 'replay', response: jsonAt(row, 'response') };
}
