import { asId, type Owner } from '@touchstone/protocol';
import type { Claim, ClaimRequest, CreationId, Idempotency, IdempotencyKey } from '../ports/index.js';
import { type Db, queueOf, type Row } from './db.js';
import { isGone } from './log/leases.js';
import { jsonAt, textAt } from './rows.js';

/**
 * Takes the key if it is free, if it has expired, or if the same request claimed it and let the claim run out or is gone.
 * One statement, so that of two callers one gets a row back and the other none. What the same request may have created
 * keeps its name.
 */
const CLAIM = `INSERT INTO idempotency
    (tenant, workspace, operation, caller_key, request_digest, creation_id, claimed_by, claimed_until, keep_ms, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, operation, caller_key) DO UPDATE SET request_digest = excluded.request_digest,
    creation_id = CASE WHEN idempotency.expires_at <= ? OR idempotency.creation_id IS NULL
      THEN excluded.creation_id ELSE idempotency.creation_id END,
    claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until, keep_ms = excluded.keep_ms,
    expires_at = excluded.expires_at, response = NULL
  WHERE idempotency.expires_at <= ? OR (idempotency.response IS NULL
    AND (idempotency.claimed_until <= ? OR idempotency.claimed_by = ?)
    AND idempotency.request_digest = excluded.request_digest)
  RETURNING creation_id`;
const READ = `SELECT request_digest, claimed_by, response FROM idempotency
  WHERE tenant = ? AND workspace = ? AND operation = ? AND caller_key = ?`;
const SWEEP = 'DELETE FROM idempotency WHERE expires_at <= ?';
/** The first answer stays: a claimant that came back after its claim ran out must not replace it. */
const KEEP = `UPDATE idempotency SET response = ?, expires_at = ? + keep_ms
  WHERE tenant = ? AND workspace = ? AND operation = ? AND caller_key = ? AND response IS NULL`;
const DROP = `DELETE FROM idempotency
  WHERE tenant = ? AND workspace = ? AND operation = ? AND caller_key = ? AND response IS NULL`;

export function createIdempotency(db: Db, holder: string): Idempotency {
  /** `gone` is a holder whose claims may be taken over, because its process is no more. */
  const attempt = async (owner: Owner, row: readonly string[], request: ClaimRequest, gone: string) => {
    const { requestDigest, creationId, now, leaseMs, keepMs } = request;
    const claim = [requestDigest, creationId, holder, now + leaseMs, keepMs, now + keepMs];
    const [claimed, found] = await db.transaction(
      [
        { sql: CLAIM, params: [...row, ...claim, now, now, now, gone] },
        { sql: READ, params: row },
      ],
      queueOf(owner),
    );
    return { claimed: claimed?.rows[0], found: found?.rows[0] };
  };
  return {
    async claim(owner, key, request) {
      const row = keyParams(owner, key);
      const first = await attempt(owner, row, request, NOBODY);
      const gone = first.claimed ? undefined : goneHolder(first.found);
      const { claimed, found } = gone === undefined ? first : await attempt(owner, row, request, gone);
      return claimed ? granted(claimed) : refusal(request.requestDigest, found);
    },
    async keep(owner, key, response, now) {
      await db.transaction(
        [{ sql: KEEP, params: [JSON.stringify(response), now, ...keyParams(owner, key)] }],
        queueOf(owner),
      );
    },
    async sweep(now) {
      await db.transaction([{ sql: SWEEP, params: [now] }]);
    },
    async drop(owner, key) {
      await db.transaction([{ sql: DROP, params: keyParams(owner, key) }], queueOf(owner));
    },
  };
}

const keyParams = (owner: Owner, { operation, key }: IdempotencyKey) => [
  owner.tenant,
  owner.workspace,
  operation,
  key,
];

const NOBODY = '';

/** After a crash nobody has to wait for the claims of the process that is no more. */
function goneHolder(row: Row | undefined): string | undefined {
  const holder = row?.claimed_by;
  return row?.response === null && typeof holder === 'string' && isGone(holder) ? holder : undefined;
}

const granted = (row: Row): Claim => ({
  kind: 'claimed',
  creationId: asId<CreationId>(textAt(row, 'creation_id')),
});

function refusal(requestDigest: string, row: Row | undefined): Claim {
  if (!row || row.request_digest !== requestDigest) return { kind: 'mismatch' };
  if (row.response === null) return { kind: 'in-flight' };
  return { kind: 'replay', response: jsonAt(row, 'response') };
}
