import type { Amounts, CountedThing } from '../ports/index.js';
import type { Db, SqlValue, Statement } from './db.js';
import { numberAt } from './rows.js';

const BYTES = 'SELECT bytes FROM stored_bytes WHERE tenant = ?';
const TABLES: { readonly [thing in CountedThing]: string } = {
  suites: 'suite_versions',
  agents: 'bound_agents',
  webhooks: 'webhooks',
};
const ANNOTATIONS = `SELECT COUNT(*) AS found FROM runs u JOIN annotations a ON a.run_no = u.run_no
  WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ?`;

/** Looks only at unfinished runs, of which there is an index. */
const PENDING = `SELECT COUNT(*) AS found FROM (SELECT run_no FROM runs
  WHERE origin = 'host' AND status IN ('pending', 'running', 'cancelling', 'paused') AND status = 'pending' AND tenant = ?
  LIMIT ?) AS waiting`;

export function createAmounts(db: Db): Amounts {
  const numberOf = async (sql: string, params: readonly SqlValue[], column: string): Promise<number> => {
    const [row] = await db.all(sql, params);
    return row ? numberAt(row, column) : 0;
  };
  return {
    bytes: ({ tenant }) => numberOf(BYTES, [tenant], 'bytes'),
    count: ({ tenant }, thing) =>
      numberOf(`SELECT COUNT(*) AS found FROM ${TABLES[thing]} WHERE tenant = ?`, [tenant], 'found'),
    pendingRuns: ({ tenant }, most) => numberOf(PENDING, [tenant, most], 'found'),
    annotations: ({ tenant, workspace }, runId) => numberOf(ANNOTATIONS, [runId, tenant, workspace], 'found'),
  };
}

// The engine counts what is seldom written (see the dialect). Tasks are written by the thousand, so what they store is added
// once per commit, by the statements below.

const ADD = `INSERT INTO stored_bytes (tenant, bytes) VALUES (?, ?)
  ON CONFLICT (tenant) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes`;

/** Adds the texts of these statements to the count of a tenant. */
export const countStatement = (tenant: string, stored: readonly Statement[]): Statement => ({
  sql: ADD,
  params: [tenant, stored.reduce((sum, { params }) => sum + bytesOf(params), 0)],
  tenant,
});

function bytesOf(params: readonly SqlValue[]): number {
  let bytes = 0;
  for (const value of params) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}

const lengths = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `COALESCE(OCTET_LENGTH(${table}.${column}), 0)`).join(' + ');
const sumOf = (table: string, columns: readonly string[], runNo: string): string =>
  `COALESCE((SELECT SUM(${lengths(table, columns)}) FROM ${table} WHERE ${table}.run_no = ${runNo}), 0)`;

/** Bytes of a run's log, of the run `u`. Counted without loading what is counted: engines keep the length of a text beside it. */
export const LOG_BYTES = `${sumOf('records', ['events', 'bodies', 'score'], 'u.run_no')}
  + ${sumOf('log_entries', ['events', 'result'], 'u.run_no')}`;
const RUN_BYTES = `${LOG_BYTES} + ${sumOf('run_requests', ['plan', 'request'], 'u.run_no')}
  + ${sumOf('annotations', ['target', 'signal', 'note', 'score_override'], 'u.run_no')}`;

/** Takes a run off the count of its tenant, before it is the tenant's no longer. */
export const UNCOUNT_RUN = `UPDATE stored_bytes SET bytes = bytes - COALESCE(
    (SELECT ${RUN_BYTES} FROM runs u WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ?), 0)
  WHERE tenant = ?`;

/** Puts the count right around a change of rows: what they hold is taken off before it, with -1, and added after it, with 1. */
export const aroundChange = (table: 'records' | 'log_entries', rows: string): string =>
  `UPDATE stored_bytes SET bytes = bytes + ? * COALESCE((SELECT SUM(${lengths(table, table === 'records' ? ['events', 'bodies'] : ['events'])})
    FROM ${table} WHERE ${rows}), 0)
  WHERE tenant = (SELECT u.tenant FROM runs u WHERE u.run_no = ?)`;
