import type { Owner } from '@touchstone/protocol';
import type { OwnerUsage } from '../ports/index.js';
import { LOG_BYTES } from './amounts.js';
import type { Db, Row } from './db.js';
import { numberAt, textAt } from './rows.js';

const TOTALS = `SELECT tenant, workspace, COUNT(*) AS runs, SUM(spent_usd) AS usd, SUM(unpriced_calls) AS unpriced,
    SUM(CASE WHEN status IN ('completed', 'failed', 'cancelled') THEN 0 ELSE 1 END) AS unfinished,
    MIN(created_at) AS oldest, MAX(created_at) AS newest, MAX(run_no) AS last_run
  FROM runs WHERE tenant <> ? GROUP BY tenant, workspace ORDER BY tenant, workspace`;

const SIZES = `SELECT u.tenant, u.workspace, SUM(${LOG_BYTES}) AS bytes
  FROM runs u WHERE u.run_no > ? AND u.run_no <= ? GROUP BY u.tenant, u.workspace`;

/** Runs whose sizes are added up at a time, so that a request in between does not wait for all of them. */
const RUNS = 16;

/** What each owner has, but for one. */
export async function readUsage(db: Db, except: Owner): Promise<readonly OwnerUsage[]> {
  const rows = await db.all(TOTALS, [except.tenant]);
  const last = rows.reduce((most, row) => Math.max(most, numberAt(row, 'last_run')), 0);
  const bytes = await sizesUpTo(db, last);
  return rows.map((row) => toUsage(row, bytes.get(keyOf(row)) ?? 0));
}

async function sizesUpTo(db: Db, last: number): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map<string, number>();
  for (let after = 0; after < last; after += RUNS) {
    for (const row of await db.all(SIZES, [after, after + RUNS]))
      bytes.set(keyOf(row), (bytes.get(keyOf(row)) ?? 0) + numberAt(row, 'bytes'));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return bytes;
}

const keyOf = (row: Row): string => JSON.stringify([row.tenant, row.workspace]);

const toUsage = (row: Row, bytes: number): OwnerUsage => ({
  owner: { tenant: textAt(row, 'tenant'), workspace: textAt(row, 'workspace') },
  runs: numberAt(row, 'runs'),
  unfinished: numberAt(row, 'unfinished'),
  costUsd: numberAt(row, 'usd'),
  unpricedCalls: numberAt(row, 'unpriced'),
  bytes,
  oldestAt: numberAt(row, 'oldest'),
  newestAt: numberAt(row, 'newest'),
});
