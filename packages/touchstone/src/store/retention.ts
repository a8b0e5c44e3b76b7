import type { AgentDeployments, AuditEntry, Owner } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import type { Clock, EvidenceRun, Retention } from '../ports/index.js';
import { aroundChange, UNCOUNT_RUN } from './amounts.js';
import { auditStatement } from './audit.js';
import { type Db, GuardFailed, type Row, type Statement } from './db.js';
import { withoutContent } from './log/content.js';
import { jsonAt, numberAt, textAt } from './rows.js';
import { readUsage } from './usage.js';

/**
 * A removed run belongs to this owner until its rows are gone. Every read takes the owner first, so it looks absent from then
 * on; its number stays taken meanwhile, so that no new run gets its rows.
 */
export const REMOVED_OWNER: Owner = { tenant: '~removed', workspace: '~' };

/**
 * The condition is part of the write: a run that has just been blessed or promoted by another process stays, and so does
 * one that an unfinished run reads: the source of a fork, a baseline, the proof of a promotion.
 */
const removable = (placeOf: string): string => `WHERE run_id = ? AND tenant = ? AND workspace = ?
  AND status IN ('completed', 'failed', 'cancelled')
  AND NOT EXISTS (SELECT 1 FROM blessings b WHERE b.tenant = runs.tenant AND b.workspace = runs.workspace
    AND ${placeOf}(b.blessing, '"runId":"' || runs.run_id || '"') > 0)
  AND NOT EXISTS (SELECT 1 FROM deployments d WHERE d.tenant = runs.tenant AND d.workspace = runs.workspace
    AND ${placeOf}(d.document, '"evalRunId":"' || runs.run_id || '"') > 0)
  AND NOT EXISTS (SELECT 1 FROM runs u JOIN run_requests q ON q.run_no = u.run_no
    WHERE u.tenant = runs.tenant AND u.workspace = runs.workspace
    AND u.status NOT IN ('completed', 'failed', 'cancelled')
    AND ${placeOf}(q.plan, '"' || runs.run_id || '"') > 0)`;

const OWNERS = 'SELECT DISTINCT tenant, workspace FROM runs WHERE tenant <> ? ORDER BY tenant, workspace';
const DOCUMENTS = 'SELECT document FROM deployments WHERE tenant = ? AND workspace = ? ORDER BY agent_id';

export function createRetention(db: Db, clock: Pick<Clock, 'now'>): Retention {
  const where = removable(db.dialect.placeOf);
  const decide = (
    change: Statement,
    owner: Owner,
    audit: AuditEntry,
    before: readonly Statement[] = [],
  ): Promise<boolean> =>
    written(
      db.transaction([...before, { ...change, guard: true }, auditStatement(db.dialect, owner, audit)]),
    );
  const clear = `UPDATE runs SET bodies_removed_at = ?, log_digest = ?, bodies_left = 0 ${where}
    AND bodies_removed_at IS NULL`;
  return {
    remove(owner, runId, audit) {
      const params = [REMOVED_OWNER.tenant, REMOVED_OWNER.workspace, runId, owner.tenant, owner.workspace];
      const change = { sql: `UPDATE runs SET tenant = ?, workspace = ? ${where}`, params };
      const { tenant, workspace } = owner;
      return decide(change, owner, audit, [{ sql: UNCOUNT_RUN, params: [runId, tenant, workspace, tenant] }]);
    },
    removeBodies(owner, runId, audit, logDigest) {
      const params = [clock.now(), logDigest ?? null, runId, owner.tenant, owner.workspace];
      return decide({ sql: clear, params }, owner, audit);
    },
    async sweep() {
      return (await sweepRuns(db)) || (await sweepBodies(db)) || (await db.reclaim());
    },
    rewrite: () => db.rewrite(),
    async evidence({ tenant, workspace }) {
      const rows = await db.all(DOCUMENTS, [tenant, workspace]);
      return rows.flatMap((row) => evidenceIn(jsonAt<AgentDeployments>(row, 'document')));
    },
    async owners() {
      const rows = await db.all(OWNERS, [REMOVED_OWNER.tenant]);
      return rows.map((row) => ({ tenant: textAt(row, 'tenant'), workspace: textAt(row, 'workspace') }));
    },
    usage: () => readUsage(db, REMOVED_OWNER),
  };
}

async function written(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof GuardFailed) return false;
    throw error;
  }
}

const evidenceIn = ({ agentId, versions }: AgentDeployments): readonly EvidenceRun[] =>
  versions.flatMap(({ version, evalRunId }) =>
    evalRunId === undefined ? [] : [{ runId: evalRunId, agent: `${agentId}@${version}` }],
  );

/** Tasks, events and calls of one step: a few milliseconds of work. */
const TASKS = 64;
const EVENTS = 512;
const CALLS = 1_000;

const REMOVED_RUN = `SELECT run_no FROM runs WHERE tenant = ? AND workspace = ? ORDER BY created_at, run_no LIMIT 1`;
const SOME_RECORDS = `DELETE FROM records WHERE run_no = ?
  AND ordinal < (SELECT MIN(r.ordinal) FROM records r WHERE r.run_no = ?) + ?`;
const SOME_ENTRIES = `DELETE FROM log_entries WHERE run_no = ?
  AND first_seq < (SELECT MIN(l.first_seq) FROM log_entries l WHERE l.run_no = ?) + ?`;
const SOME_CALLS = `DELETE FROM ledger WHERE run_no = ? AND at <= COALESCE(
  (SELECT c.at FROM ledger c WHERE c.run_no = ? ORDER BY c.at LIMIT 1 OFFSET ?), at)`;
const PIECES: readonly (readonly [sql: string, size: number])[] = [
  [SOME_RECORDS, TASKS],
  [SOME_ENTRIES, EVENTS],
  [SOME_CALLS, CALLS],
];
/** What is left of it is small, and goes at once. */
const REST = ['work', 'assignments', 'claims', 'annotations', 'run_outcomes', 'run_requests', 'runs'].map(
  (table) => `DELETE FROM ${table} WHERE run_no = ?`,
);

/** One step on one removed run; false when there is none. */
async function sweepRuns(db: Db): Promise<boolean> {
  const [row] = await db.all(REMOVED_RUN, [REMOVED_OWNER.tenant, REMOVED_OWNER.workspace]);
  if (!row) return false;
  const runNo = numberAt(row, 'run_no');
  for (const [sql, size] of PIECES) {
    const [outcome] = await db.transaction([{ sql, params: [runNo, runNo, size] }]);
    if ((outcome?.changes ?? 0) > 0) return true;
  }
  await db.transaction(REST.map((sql) => ({ sql, params: [runNo] })));
  return true;
}

const RUN_WITH_BODIES = `SELECT run_no, suite_id, bodies_left FROM runs WHERE bodies_left IS NOT NULL
  ORDER BY run_no LIMIT 1`;
const RECORDS_LEFT = `SELECT ordinal, repeat, events FROM records
  WHERE run_no = ? AND ordinal >= ? AND ordinal < ?`;
const NEXT_RECORD = 'SELECT MIN(ordinal) AS ordinal FROM records WHERE run_no = ? AND ordinal >= ?';
const CLEAR_RECORD = `UPDATE records SET events = ?, bodies = NULL
  WHERE run_no = ? AND ordinal = ? AND repeat = ?`;
const CLEARED_TO = 'UPDATE runs SET bodies_left = ? WHERE run_no = ?';
const LOOSE = 'SELECT first_seq, events FROM log_entries WHERE run_no = ? AND events IS NOT NULL';
const COUNT_RECORDS = aroundChange('records', 'run_no = ? AND ordinal >= ? AND ordinal < ?');
const COUNT_LOOSE = aroundChange('log_entries', 'run_no = ? AND events IS NOT NULL');
const CLEAR_LOOSE = 'UPDATE log_entries SET events = ? WHERE run_no = ? AND first_seq = ?';

/** One step on one run whose content is to go; false when there is none. */
async function sweepBodies(db: Db): Promise<boolean> {
  const [run] = await db.all(RUN_WITH_BODIES, []);
  if (!run) return false;
  const runNo = numberAt(run, 'run_no');
  const [next] = await db.all(NEXT_RECORD, [runNo, numberAt(run, 'bodies_left')]);
  const batch = next?.ordinal == null ? await looseBatch(db, run) : await recordsBatch(db, run, next);
  await db.transaction(batch);
  return true;
}

async function recordsBatch(db: Db, run: Row, next: Row): Promise<readonly Statement[]> {
  const [runNo, from] = [numberAt(run, 'run_no'), numberAt(next, 'ordinal')];
  const rows = await db.all(RECORDS_LEFT, [runNo, from, from + TASKS]);
  const cleared = rows.map((row) => ({
    sql: CLEAR_RECORD,
    params: [clearedText(run, row), runNo, numberAt(row, 'ordinal'), numberAt(row, 'repeat')],
  }));
  const count = (times: number) => ({
    sql: COUNT_RECORDS,
    params: [times, runNo, from, from + TASKS, runNo],
  });
  return [count(-1), ...cleared, count(1), { sql: CLEARED_TO, params: [from + TASKS, runNo] }];
}

/** The events between the tasks, and what the caller sent along; then nothing is left. */
async function looseBatch(db: Db, run: Row): Promise<readonly Statement[]> {
  const runNo = numberAt(run, 'run_no');
  const cleared = (await db.all(LOOSE, [runNo])).map((row) => ({
    sql: CLEAR_LOOSE,
    params: [clearedText(run, row), runNo, numberAt(row, 'first_seq')],
  }));
  const count = (times: number) => ({ sql: COUNT_LOOSE, params: [times, runNo, runNo] });
  const request = db.dialect.without('request', ['inputs']);
  return [
    count(-1),
    ...cleared,
    count(1),
    { sql: `UPDATE run_requests SET request = ${request} WHERE run_no = ?`, params: [runNo] },
    { sql: CLEARED_TO, params: [null, runNo] },
  ];
}

const clearedText = (run: Row, row: Row): string =>
  JSON.stringify(withoutContent(jsonAt<readonly NewEvent[]>(row, 'events'), run.suite_id !== null));
