import type { Owner } from '@touchstone/protocol';
import type { Audit, KeptCheckpoint } from '../ports/index.js';
import type { Db, Row } from './db.js';
import { numberAt, textAt } from './rows.js';

/** The table takes no second row for a record and key, not even to pass it over: so it is not offered one. */
const INSERT = `INSERT INTO audit_checkpoints (tenant, workspace, seq, key_id, head, at, envelope)
  SELECT ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS
    (SELECT 1 FROM audit_checkpoints WHERE tenant = ? AND workspace = ? AND seq = ? AND key_id = ?)`;
const READ = `SELECT seq, key_id, head, at, envelope FROM audit_checkpoints WHERE tenant = ? AND workspace = ?`;
const FROM = `${READ} AND seq >= ? ORDER BY seq, key_id LIMIT ?`;
const LAST = `${READ} ORDER BY seq DESC, key_id LIMIT 1`;

export const createCheckpoints = (
  db: Db,
): Pick<Audit, 'keepCheckpoint' | 'checkpoints' | 'lastCheckpoint'> => ({
  async keepCheckpoint(owner, { seq, keyId, head, at, envelope }) {
    const params = [...ownerOf(owner), seq, keyId, head, at, envelope, ...ownerOf(owner), seq, keyId];
    await db.transaction([{ sql: INSERT, params }]);
  },
  async checkpoints(owner, fromSeq, limit) {
    return (await db.all(FROM, [...ownerOf(owner), fromSeq, limit])).map(toCheckpoint);
  },
  async lastCheckpoint(owner) {
    const [row] = await db.all(LAST, ownerOf(owner));
    return row && toCheckpoint(row);
  },
});

const ownerOf = ({ tenant, workspace }: Owner): readonly string[] => [tenant, workspace];

const toCheckpoint = (row: Row): KeptCheckpoint => ({
  seq: numberAt(row, 'seq'),
  keyId: textAt(row, 'key_id'),
  head: textAt(row, 'head'),
  at: numberAt(row, 'at'),
  envelope: textAt(row, 'envelope'),
});
