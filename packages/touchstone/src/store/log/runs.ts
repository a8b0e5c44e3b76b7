import { asId, type Owner, type RunId, type RunPlan } from '@touchstone/protocol';
import {
  type Control,
  DEPLOYMENT_WORKFLOW,
  type NewRun,
  type Page,
  type Run,
  type RunFilter,
  type Runs,
} from '../../ports/index.js';
import { decodeCursor, encodeCursor } from '../cursor.js';
import { type Db, lockKey, type Row, type SqlValue, type Statement } from '../db.js';
import {
  jsonOrNull,
  numberAt,
  RUN_COLUMNS,
  RUN_OWN_COLUMNS,
  RUN_TABLES,
  statusIs,
  textAt,
  toRun,
  toRunHead,
} from '../rows.js';
import { fittingPage, LONG_BYTES, type Pace, runKey } from './page-rows.js';
import type { Watchers } from './watchers.js';

const SELECT_RUN = `SELECT ${RUN_COLUMNS} FROM ${RUN_TABLES}`;
/** What a caller sent along may be as long as a request, so that a page of runs ends by bytes, too. */
const REQUEST_BYTES = 'OCTET_LENGTH(q.plan) + OCTET_LENGTH(q.request)';
const GET = `${SELECT_RUN} WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ?`;
/** What the caller sent along comes with the rest unless it is long: then it is read when there is time for it. */
const unlessLong = (column: string): string =>
  `CASE WHEN ${REQUEST_BYTES} < ${LONG_BYTES} THEN q.${column} END AS ${column}`;
const GET_UNLESS_LONG = `SELECT ${RUN_OWN_COLUMNS}, ${unlessLong('plan')}, ${unlessLong('request')}, ${REQUEST_BYTES} AS bytes
  FROM ${RUN_TABLES} WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ?`;
const sizesOf = (rows: readonly Row[]) => rows as readonly { readonly bytes: number }[];
/** Streams look again every second, so without what a caller sent along. */
const HEAD = `SELECT u.status, u.control, u.started_at, u.event_count FROM runs u
  WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ?`;

const COUNT = 'SELECT status, COUNT(*) AS found FROM runs WHERE tenant = ? AND workspace = ? GROUP BY status';

const INSERT = `INSERT INTO runs (run_id, tenant, workspace, principal, origin, workflow_id, agent_id, suite_id, scope_id,
    status, created_at, paused_ms, event_count, engine_version, lease_token, spent_usd, unpriced_calls)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, 0, 0, ?, 0, 0, 0`;
const ACTIVE_IN_SCOPE = `SELECT run_id FROM runs WHERE tenant = ? AND workspace = ? AND scope_id = ?
  AND status NOT IN ('completed', 'failed', 'cancelled')`;
const INSERT_IF_SCOPE_IS_FREE = `${INSERT} WHERE NOT EXISTS (${ACTIVE_IN_SCOPE})`;
const INSERT_REQUEST = `INSERT INTO run_requests (run_no, plan, request) SELECT run_no, ?, ? FROM runs
  WHERE run_id = ? AND tenant = ? AND workspace = ?`;

export function createRuns(db: Db, watchers: Watchers, pace: Pace): Runs {
  const get = async (owner: Owner, runId: RunId): Promise<Run | undefined> => {
    const found = await db.all(GET_UNLESS_LONG, runKey(owner, runId));
    await pace(owner, sizesOf(found));
    const isLong = found[0]?.plan === null;
    const [row] = isLong ? await db.all(GET, runKey(owner, runId)) : found;
    return row && toRun(row);
  };
  return {
    get,
    async head(owner, runId) {
      const [row] = await db.all(HEAD, runKey(owner, runId));
      return row && toRunHead(row);
    },
    async create(run, options) {
      const scopeId = options?.exclusiveScope ? run.request.scopeId : undefined;
      if (scopeId !== undefined) return createAloneInScope(db, run, scopeId);
      await db.transaction([{ sql: INSERT, params: runParams(run) }, requestStatement(run)], run.runId);
      return newRun(run);
    },
    list: (owner, filter) => listRuns(db, pace, owner, filter),
    async count({ tenant, workspace }) {
      const rows = await db.all(COUNT, [tenant, workspace]);
      return Object.fromEntries(rows.map((row) => [textAt(row, 'status'), numberAt(row, 'found')]));
    },
    async request(owner, runId, change) {
      const [updated, read] = await db.transaction(
        [requestChange(owner, runId, change), { sql: GET, params: [runId, owner.tenant, owner.workspace] }],
        runId,
      );
      const row = read?.rows[0];
      if (!row || updated?.changes === 0) return undefined;
      // A driver that begins has an event to tell of in a moment, which others would hear of the later for this.
      if (change.control) watchers.notify(runId);
      else watchers.notifyHere(runId);
      return toRun(row);
    },
  };
}

async function createAloneInScope(
  db: Db,
  run: NewRun,
  scopeId: string,
): Promise<Run | { readonly activeRunId: RunId }> {
  const scope = [run.owner.tenant, run.owner.workspace, scopeId];
  const [inserted, , active] = await db.transaction(
    [
      {
        sql: INSERT_IF_SCOPE_IS_FREE,
        params: [...runParams(run), ...scope],
        lock: { key: lockKey('scope', ...scope) },
      },
      requestStatement(run),
      { sql: ACTIVE_IN_SCOPE, params: scope },
    ],
    run.runId,
  );
  const blocker = active?.rows[0];
  return inserted?.changes === 0 && blocker ? { activeRunId: asId(textAt(blocker, 'run_id')) } : newRun(run);
}

const newRun = (run: NewRun): Run => ({ ...run, status: 'pending', pausedMs: 0, eventCount: 0 });

function agentIdOf(plan: RunPlan): string | null {
  if (plan.kind === 'workflow') return null;
  return plan.kind === 'deployment' ? plan.agentId : plan.agent.agentId;
}
const suiteIdOf = (plan: RunPlan): string | null => (plan.kind === 'eval' ? plan.suite.suiteId : null);

const runParams = (run: NewRun): readonly SqlValue[] => [
  run.runId,
  run.owner.tenant,
  run.owner.workspace,
  run.principal,
  run.origin,
  run.workflowId,
  agentIdOf(run.plan),
  suiteIdOf(run.plan),
  run.request.scopeId ?? null,
  run.createdAt,
  run.engineVersion,
];

const requestStatement = (run: NewRun): Statement => ({
  sql: INSERT_REQUEST,
  params: [
    JSON.stringify(run.plan),
    JSON.stringify(run.request),
    run.runId,
    run.owner.tenant,
    run.owner.workspace,
  ],
  tenant: run.owner.tenant,
});

function requestChange(owner: Owner, runId: RunId, change: Parameters<Runs['request']>[2]): Statement {
  const pausedAt = change.pausedAt === undefined ? [] : [change.pausedAt];
  const sql = `UPDATE runs SET status = ?, control = ?, control_kind = ?${pausedAt.length > 0 ? ', paused_at = ?' : ''}
    WHERE run_id = ? AND tenant = ? AND workspace = ? AND status IN (${change.from.map(() => '?').join(', ')})${change.settled ? ' AND control IS NULL' : ''}`;
  const key = [runId, owner.tenant, owner.workspace, ...change.from];
  return { sql, params: [change.status, ...controlParams(change.control), ...pausedAt, ...key] };
}

/** The values of `control` and `control_kind`. */
export const controlParams = (control: Control | null): readonly SqlValue[] => [
  jsonOrNull(control),
  control?.kind ?? null,
];

/** Later ones of the same moment are told apart by their number, which counts the runs of every owner: it stays in here. */
const BEFORE_CURSOR = `(u.created_at, u.run_no) < (?, COALESCE((SELECT c.run_no FROM runs c
  WHERE c.run_id = ? AND c.tenant = ? AND c.workspace = ?), ${Number.MAX_SAFE_INTEGER}))`;
/** What a run is of can be told from what it is indexed by; only a move is of an agent and no run of it. */
const KIND_IS: { readonly [kind in NonNullable<RunFilter['kind']>]: string } = {
  eval: 'u.suite_id IS NOT NULL',
  deployment: `u.workflow_id = '${DEPLOYMENT_WORKFLOW}'`,
  single: `u.suite_id IS NULL AND u.workflow_id <> '${DEPLOYMENT_WORKFLOW}'`,
};
const NEWEST_FIRST = 'ORDER BY u.created_at DESC, u.run_no DESC';

/**
 * A cursor is what the caller has seen of the last run: when it was created, and its id. If that run has been removed since,
 * others of the same millisecond come again.
 */
async function listRuns(db: Db, pace: Pace, owner: Owner, filter: RunFilter): Promise<Page<Run>> {
  const conditions = ['u.tenant = ?', 'u.workspace = ?'];
  const params: SqlValue[] = [owner.tenant, owner.workspace];
  const where = (condition: string, ...values: SqlValue[]) => {
    conditions.push(condition);
    params.push(...values);
  };
  if (filter.agentId !== undefined) where('u.agent_id = ?', filter.agentId);
  if (filter.suiteId !== undefined) where('u.suite_id = ?', filter.suiteId);
  if (filter.status !== undefined) where(...statusIs(filter.status));
  if (filter.kind !== undefined) where(KIND_IS[filter.kind]);
  if (filter.createdFrom !== undefined) where('u.created_at >= ?', filter.createdFrom);
  if (filter.createdBefore !== undefined) where('u.created_at < ?', filter.createdBefore);
  if (filter.cursor !== undefined)
    where(BEFORE_CURSOR, ...decodeCursor(filter.cursor, ['number', 'string']), owner.tenant, owner.workspace);
  const matching = `FROM ${RUN_TABLES} WHERE ${conditions.join(' AND ')} ${NEWEST_FIRST} LIMIT ?`;
  const sizesText = `SELECT ${REQUEST_BYTES} AS bytes ${matching}`;
  const sizes = sizesOf(await db.all(sizesText, [...params, filter.limit + 1]));
  const page = fittingPage(sizes.slice(0, filter.limit));
  await pace(owner, page);
  const rows = await db.all(`SELECT ${RUN_COLUMNS} ${matching}`, [...params, page.length]);
  const last = sizes.length > page.length ? rows.at(-1) : undefined;
  const nextCursor = last && encodeCursor([numberAt(last, 'created_at'), textAt(last, 'run_id')]);
  return { items: rows.map(toRun), ...(nextCursor !== undefined && { nextCursor }) };
}
