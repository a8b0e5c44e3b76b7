import type { Digest, Owner } from '@touchstone/protocol';
import type { SuiteSignature, Suites } from '../../ports/index.js';
import type { Db, Row, Statement } from '../db.js';
import { textAt } from '../rows.js';

const INSERT = `INSERT INTO suite_signatures (tenant, workspace, suite_digest, key_id, envelope, pack, signed_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, suite_digest) DO`;
/** An envelope can be shown to others, the word of a pack cannot: it does not replace one. */
const BY_ENVELOPE = `${INSERT} UPDATE SET key_id = excluded.key_id, envelope = excluded.envelope, pack = excluded.pack,
  signed_at = excluded.signed_at`;
const BY_PACK = `${INSERT} NOTHING`;
const GET = `SELECT key_id, envelope, pack FROM suite_signatures
  WHERE tenant = ? AND workspace = ? AND suite_digest = ?`;

/** A statement, so that it can be written together with the suite. */
export const signatureStatement = (
  { tenant, workspace }: Owner,
  digest: Digest,
  { keyId, envelope, pack }: SuiteSignature,
  at: number,
): Statement => ({
  sql: envelope === undefined ? BY_PACK : BY_ENVELOPE,
  params: [tenant, workspace, digest, keyId, envelope ?? null, pack ?? null, at],
});

export const createSuiteSignatures = (db: Db): Pick<Suites, 'sign' | 'signature'> => ({
  async sign(owner, digest, signature, at) {
    await db.transaction([signatureStatement(owner, digest, signature, at)]);
  },
  async signature({ tenant, workspace }, digest) {
    const [row] = await db.all(GET, [tenant, workspace, digest]);
    return row && toSignature(row);
  },
});

const toSignature = (row: Row): SuiteSignature => ({
  keyId: textAt(row, 'key_id'),
  ...(row.envelope !== null && { envelope: textAt(row, 'envelope') }),
  ...(row.pack !== null && { pack: textAt(row, 'pack') }),
});
