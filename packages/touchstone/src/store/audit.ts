import { AUDIT_START, type AuditEntry, auditLine, type Owner } from '@touchstone/protocol';
import type { Audit, AuditQuery } from '../ports/index.js';
import { createCheckpoints } from './checkpoints.js';
import { type Db, lockKey, queueOf, type SqlValue, type Statement } from './db.js';
import type { Dialect } from './dialect.js';
import { textAt, toAuditRecord } from './rows.js';

const COLUMNS = 'seq, at, principal, action, resource, allowed, reason, run_id, previous, digest';
const CHAIN = `SELECT ${COLUMNS} FROM audit WHERE tenant = ? AND workspace = ?`;
const READ = `${CHAIN} AND seq > ? ORDER BY seq LIMIT ?`;
const LAST = `${CHAIN} ORDER BY seq DESC LIMIT 1`;
const OWNERS = 'SELECT DISTINCT tenant, workspace FROM audit ORDER BY tenant, workspace';

/**
 * The engine finds the end of the chain, numbers the record and computes its digest in the statement that writes it.
 * A head that is read beforehand would be out of date whenever another process is faster, and a slow process would never
 * get in.
 */
const appendText = ({ sha256Hex }: Dialect): string => `INSERT INTO audit (tenant, workspace, ${COLUMNS})
  SELECT ?, ?, head.seq + 1, ?, ?, ?, ?, ?, ?, ?, head.digest,
    'sha256:' || ${sha256Hex(`? || ',' || (head.seq + 1) || ',"' || head.digest || '"' || ?`)}
  FROM (SELECT seq, digest FROM audit WHERE tenant = ? AND workspace = ?
    UNION ALL SELECT 0, ? ORDER BY seq DESC LIMIT 1) AS head
  RETURNING ${COLUMNS}`;

export function createAudit(db: Db): Audit {
  return {
    ...createCheckpoints(db),
    async append(owner, entry) {
      const [outcome] = await db.transaction([auditStatement(db.dialect, owner, entry)], queueOf(owner));
      const [row] = outcome?.rows ?? [];
      if (!row) throw new Error('An audit record was written and not answered.');
      return toAuditRecord(row);
    },
    async read(owner, after, limit) {
      return (await db.all(READ, [owner.tenant, owner.workspace, after, limit])).map(toAuditRecord);
    },
    async list(owner, query) {
      return (await db.all(...listText(owner, query))).map(toAuditRecord);
    },
    async last(owner) {
      const [row] = await db.all(LAST, [owner.tenant, owner.workspace]);
      return row && toAuditRecord(row);
    },
    async owners() {
      const rows = await db.all(OWNERS, []);
      return rows.map((row) => ({ tenant: textAt(row, 'tenant'), workspace: textAt(row, 'workspace') }));
    },
  };
}

/** An answer to a question of a run names the run alone; whose run it is stands in the row of the run. */
const OF_AGENT = `(resource = ? OR substr(resource, 1, ?) = ? OR EXISTS (SELECT 1 FROM runs AS u
  WHERE u.run_id = audit.run_id AND u.tenant = audit.tenant AND u.workspace = audit.workspace AND u.agent_id = ?))`;

function listText(
  { tenant, workspace }: Owner,
  { order, limit, cursor, runId, agentId }: AuditQuery,
): readonly [string, readonly SqlValue[]] {
  const isDown = order === 'desc';
  const about = `agents/${agentId}`;
  const wanted: readonly (readonly [string, readonly SqlValue[]] | undefined)[] = [
    cursor === undefined ? undefined : [`seq ${isDown ? '<' : '>'} ?`, [cursor]],
    runId === undefined ? undefined : ['run_id = ?', [runId]],
    agentId === undefined ? undefined : [OF_AGENT, [about, about.length + 1, `${about}@`, agentId]],
  ];
  const given = wanted.filter((one) => one !== undefined);
  const where = given.map(([text]) => ` AND ${text}`).join('');
  const params = given.flatMap(([, values]) => values);
  return [
    `${CHAIN}${where} ORDER BY seq ${isDown ? 'DESC' : 'ASC'} LIMIT ?`,
    [tenant, workspace, ...params, limit],
  ];
}

/** A statement, so that a commit can write it together with what it is about. */
export function auditStatement(dialect: Dialect, owner: Owner, given: AuditEntry): Statement {
  const entry = storable(given);
  const { tenant, workspace } = owner;
  const [before, after] = aroundPlace(owner, entry);
  const params = [tenant, workspace, ...entryParams(entry), before, after, tenant, workspace, AUDIT_START];
  // Each record is built on the one before, so those of an owner are written one after the other.
  return { sql: appendText(dialect), params, lock: { key: lockKey('audit', tenant, workspace) } };
}

const entryParams = (entry: AuditEntry): readonly SqlValue[] => [
  entry.at,
  entry.principal,
  entry.action,
  entry.resource,
  entry.allowed ? 1 : 0,
  entry.reason ?? null,
  entry.runId ?? null,
];

/** A record's line but for its number and the digest before it, which are known only when it is written. */
function aroundPlace(owner: Owner, entry: AuditEntry): readonly [before: string, after: string] {
  const before = JSON.stringify([owner.tenant, owner.workspace]).slice(0, -1);
  const place = ',0,""';
  return [before, auditLine(owner, 0, '', entry).slice(before.length + place.length)];
}

/**
 * Half characters and NULs do not survive a text column, and a record that does not read back as it was digested looks
 * forged. Nor may a caller avoid its record by putting one into a reason.
 */
const storable = (entry: AuditEntry): AuditEntry =>
  Object.fromEntries(
    Object.entries(entry).map(([member, value]) => [
      member,
      typeof value === 'string'
        ? value.replaceAll('\0', '\uFFFD').replace(/\p{Surrogate}/gu, '\uFFFD')
        : value,
    ]),
  ) as AuditEntry;
