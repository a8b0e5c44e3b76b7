import { HostError, type Owner } from '@touchstone/protocol';
import {
  type Commit,
  DeploymentsMoved,
  eventCountOf,
  type Lease,
  type LogEntry,
  type RunChange,
} from '../../ports/index.js';
import { countStatement } from '../amounts.js';
import { auditStatement } from '../audit.js';
import { lockKey, type SqlValue, type Statement } from '../db.js';
import { moveStatement } from '../deployments.js';
import type { Dialect } from '../dialect.js';
import { jsonOrNull } from '../rows.js';
import { controlParams } from './runs.js';
import type { SealRows } from './seal-rows.js';

// The way of every sealed task, so the texts are constants and a task costs two rows: seal and append.

/** A run that can still be sealed into; fails when its last word is written. */
const ACTIVE = `SELECT run_no FROM runs WHERE run_no = ? AND status NOT IN ('completed', 'failed', 'cancelled')`;
const FENCED = `WHERE run_id = ? AND tenant = ? AND workspace = ? AND lease_token = ? AND event_count = ?`;
const FENCE = `UPDATE runs SET event_count = event_count + ? ${FENCED}`;

/** Rows of one statement: calling into the engine costs as much as storing a row. The last size fits every rest. */
const SIZES = [64, 8, 1] as const;
type Insert = readonly { readonly size: number; readonly sql: string }[];

const insertOf = (into: string, columns: number, otherwise = ''): Insert =>
  SIZES.map((size) => {
    const row = `(${new Array(columns).fill('?').join(', ')})`;
    return { size, sql: `INSERT INTO ${into} VALUES ${new Array(size).fill(row).join(', ')}${otherwise}` };
  });

const SEAL_COLUMNS = 8;
const SEAL = insertOf(
  'records (run_no, ordinal, repeat, event_count, sealed_at, score, bodies, events)',
  SEAL_COLUMNS,
  ' ON CONFLICT (run_no, ordinal, repeat) DO NOTHING',
);
const STEP_COLUMNS = 7;
const APPEND_STEP = insertOf(
  'log_entries (run_no, first_seq, event_count, at, ordinal, repeats, result)',
  STEP_COLUMNS,
);

const APPEND_EVENTS =
  'INSERT INTO log_entries (run_no, first_seq, event_count, at, events, tasks) VALUES (?, ?, ?, ?, ?, ?)';

const KEEP_OUTCOMES = `INSERT INTO run_outcomes (run_no, outcomes, figures) VALUES (?, ?, ?)
  ON CONFLICT (run_no) DO NOTHING`;

/** Finds a row when the records of a range of steps are all there and hold as many events as the entries count. */
const WHOLE = `SELECT found.n FROM (SELECT COUNT(*) AS n, SUM(event_count) AS events FROM records
  WHERE run_no = ? AND ordinal BETWEEN ? AND ?) AS found WHERE found.n = ? AND found.events = ?`;

/** Shared by those who seal into a run, and held alone by the one who ends it: nobody seals into a run that has ended. */
export const endingLock = (runNo: number): string => lockKey('ending', String(runNo));

/** The statements that seal records without a lease. The run's own state is their only condition. */
export function sealStatements(runNo: number, owner: Owner, rows: SealRows): readonly Statement[] {
  const lock = { key: endingLock(runNo), shared: true } as const;
  return [{ sql: ACTIVE, params: [runNo], guard: true, lock }, ...recordStatements(owner, rows)];
}

/** The records themselves, and their bytes for the tenant. */
export function recordStatements({ tenant }: Owner, rows: SealRows): readonly Statement[] {
  const stored = inGroups(SEAL, SEAL_COLUMNS, rows.values);
  return stored.length === 0 ? [] : [...stored, countStatement(tenant, stored)];
}

/** The places of the guards whose failure has its own error. */
const FENCE_AT = 0;
const MOVE_AT = 1;

/**
 * The statements of one commit, with the rows of those of its records that are not sealed yet; the first one is the fence, the second one the move of a deployment if there is one,
 * and every one that could go wrong unseen is a guard.
 */
export function commitStatements(
  dialect: Dialect,
  lease: Lease,
  commit: Commit,
  rows: SealRows,
): readonly Statement[] {
  const { entries = [], audit = [], deployments, firstSequence } = commit;
  const { loose, steps, sequence } = placed(lease, entries, firstSequence);
  const stored = [
    ...inGroups(SEAL, SEAL_COLUMNS, rows.values),
    ...inGroups(APPEND_STEP, STEP_COLUMNS, steps),
    ...loose,
  ];
  return [
    fenceStatement(lease, commit, sequence - firstSequence),
    ...(deployments ? [moveStatement(lease.owner, deployments)] : []),
    ...stored,
    countStatement(lease.owner.tenant, stored),
    ...stepRanges(entries).map((range) => wholeStatement(lease, range)),
    ...outcomeStatements(lease, commit),
    ...audit.map((entry) => auditStatement(dialect, lease.owner, entry)),
  ];
}

/** Computed from the log, and bounded by it: nothing is counted for the tenant. */
const outcomeStatements = ({ runNo }: Lease, { run }: Commit): readonly Statement[] =>
  run?.outcomes
    ? [{ sql: KEEP_OUTCOMES, params: [runNo, run.outcomes.outcomes, JSON.stringify(run.outcomes.figures)] }]
    : [];

/** Where each entry begins. A function of its own, because it is the only loop here that is worth compiling. */
function placed(lease: Lease, entries: readonly LogEntry[], firstSequence: number) {
  const loose: Statement[] = [];
  const steps: SqlValue[] = [];
  let sequence = firstSequence;
  for (const entry of entries) {
    const eventCount = eventCountOf(entry);
    if (entry.kind === 'step') pushStep(steps, lease, entry, sequence);
    else if (eventCount > 0) loose.push(looseStatement(lease, entry, sequence));
    sequence += eventCount;
  }
  return { loose, steps, sequence };
}

/** As many rows as possible with each statement: three texts to compile, whatever the number of rows. */
function inGroups(insert: Insert, columns: number, values: readonly SqlValue[]): readonly Statement[] {
  const statements: Statement[] = [];
  let at = 0;
  for (const { size, sql } of insert) {
    for (const length = size * columns; values.length - at >= length; at += length)
      statements.push({ sql, params: values.slice(at, at + length) });
  }
  return statements;
}

type StepRange = { readonly first: number; last: number; records: number; events: number };

/** Steps whose ordinals follow one another are checked together: one question for a whole group of tasks. */
function stepRanges(entries: readonly LogEntry[]): readonly StepRange[] {
  const ranges: StepRange[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'step') continue;
    const current = ranges.at(-1);
    if (current && current.last + 1 === entry.ordinal) {
      current.last = entry.ordinal;
      current.records += entry.repeats;
      current.events += entry.eventCount;
    } else {
      const { ordinal, repeats, eventCount } = entry;
      ranges.push({ first: ordinal, last: ordinal, records: repeats, events: eventCount });
    }
  }
  return ranges;
}

const wholeStatement = (lease: Lease, { first, last, records, events }: StepRange): Statement => ({
  sql: WHOLE,
  params: [lease.runNo, first, last, records, events],
  guard: true,
});

/** Why a guard of these statements failed, when it was not the lease. */
export function brokenCommit(failedIndex: number, commit: Commit): Error {
  if (commit.deployments && failedIndex === MOVE_AT) return new DeploymentsMoved(commit.deployments.agentId);
  const message =
    failedIndex === FENCE_AT
      ? `The run's log does not end at sequence ${commit.firstSequence}, where this commit was to begin.`
      : 'A step was to be appended whose sealed records are missing or hold another number of events.';
  return new HostError('internal_error', message);
}

function fenceStatement(lease: Lease, commit: Commit, appended: number): Statement {
  const key = [lease.runId, lease.owner.tenant, lease.owner.workspace, lease.token, commit.firstSequence];
  if (!commit.run) return { sql: FENCE, params: [appended, ...key], guard: true };
  const ends = commit.run.completedAt !== undefined && { lock: { key: endingLock(lease.runNo) } };
  const [columns, values] = rowChange(commit.run);
  const free = commit.unlessControlled ? ' AND control IS NULL' : '';
  const sql = `UPDATE runs SET event_count = event_count + ?${columns} ${FENCED}${free}`;
  return { sql, params: [appended, ...values, ...key], guard: true, ...ends };
}

function rowChange(change: RunChange): [columns: string, values: readonly SqlValue[]] {
  let columns = '';
  const values: SqlValue[] = [];
  const set = (column: string, value: SqlValue | undefined) => {
    if (value === undefined) return;
    columns += `, ${column} = ?`;
    values.push(value);
  };
  set('status', change.status);
  set('started_at', change.startedAt);
  set('completed_at', change.completedAt);
  set('paused_at', change.pausedAt);
  set('paused_ms', change.pausedMs);
  set('wait_until', change.waitUntil);
  set('waiting_node', change.waitingNode);
  if (change.control !== undefined) {
    const [control, kind] = controlParams(change.control);
    set('control', control);
    set('control_kind', kind);
  }
  if (change.error) set('error', JSON.stringify(change.error));
  if (change.headline) set('headline', JSON.stringify(change.headline));
  return [columns, values];
}

type StepEntry = Extract<LogEntry, { kind: 'step' }>;
type LooseEvents = Extract<LogEntry, { kind: 'events' }>;

function pushStep(values: SqlValue[], { runNo }: Lease, entry: StepEntry, sequence: number): void {
  const { at, ordinal, repeats, result } = entry;
  values.push(runNo, sequence, eventCountOf(entry), at, ordinal, repeats, jsonOrNull(result));
}

const looseStatement = (lease: Lease, { events, tasks }: LooseEvents, sequence: number): Statement => ({
  sql: APPEND_EVENTS,
  params: [lease.runNo, sequence, events.length, events[0]?.at ?? 0, JSON.stringify(events), tasks ?? null],
});
