import type { Dialect } from '../dialect.js';

type ColumnGroup = readonly [table: string, columns: readonly string[], tenantOf: (row: string) => string];

const own = (row: string): string => `${row}.tenant`;
const ofRun = (row: string): string => `(SELECT u.tenant FROM runs u WHERE u.run_no = ${row}.run_no)`;
const ofSuite = (row: string): string => `(SELECT s.tenant FROM suites s WHERE s.suite_no = ${row}.suite_no)`;

/** Counted by the engine, row by row. */
const COUNTED: readonly ColumnGroup[] = [
  ['run_requests', ['plan', 'request'], ofRun],
  ['annotations', ['target', 'signal', 'note', 'score_override'], ofRun],
  ['suites', ['head'], own],
  ['suite_chunks', ['task_ids', 'tasks'], ofSuite],
  ['contracts', ['contract'], own],
  ['bound_agents', ['spec'], own],
  ['packs', ['agents'], own],
  ['memory_entries', ['content', 'tags'], own],
  ['model_responses', ['answer'], own],
  ['webhooks', ['url', 'events', 'tags'], own],
  ['blessings', ['blessing'], own],
  ['scorecards', ['scorecard'], own],
  ['idempotency', ['response'], own],
];
/** Counted once per commit. */
const COUNTED_BY_COMMITS: readonly ColumnGroup[] = [
  ['records', ['events', 'bodies', 'score'], ofRun],
  ['log_entries', ['events', 'result'], ofRun],
];

/**
 * What a request with an Idempotency-Key creates is named after its claim, which also says which process executes it.
 * `stored_bytes` has a row per tenant: the bytes of the columns above. What is there already is counted here, once, which takes
 * about as long as reading the file.
 */
export const claimsAndStoredBytes = (t: Dialect): readonly string[] => [
  `ALTER TABLE idempotency ADD COLUMN creation_id ${t.text}`,
  `ALTER TABLE idempotency ADD COLUMN claimed_by ${t.text}`,
  `CREATE TABLE stored_bytes (
    tenant ${t.text} NOT NULL PRIMARY KEY,
    bytes ${t.integer} NOT NULL
  )${t.clustered}`,
  ...[...COUNTED, ...COUNTED_BY_COMMITS].map(countAll),
  "DELETE FROM stored_bytes WHERE tenant = '~removed'",
  ...COUNTED.flatMap(([table, columns, tenantOf]) => t.counted(table, columns, tenantOf)),
];

const countAll = ([table, columns, tenantOf]: ColumnGroup): string => {
  const bytes = columns.map((column) => `COALESCE(OCTET_LENGTH(${table}.${column}), 0)`).join(' + ');
  return `INSERT INTO stored_bytes (tenant, bytes) SELECT ${tenantOf(table)}, SUM(${bytes}) FROM ${table} GROUP BY 1
    ON CONFLICT (tenant) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes`;
};
