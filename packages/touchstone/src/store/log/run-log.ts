import { HostError, type Owner, type RunId } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import {
  type Append,
  type AppendNotice,
  type Clock,
  type Commit,
  ControlPending,
  eventCountOf,
  type Lease,
  LeaseLost,
  type LogEntry,
  RunEnded,
  type RunLog,
  type Slice,
  type StoredEntry,
  type TaskRecord,
} from '../../ports/index.js';
import { type Db, GuardFailed, type Row } from '../db.js';
import { jsonAt, jsonIfGiven, numberAt, toRecord, toSealedUnit } from '../rows.js';
import { brokenCommit, commitStatements, sealStatements } from './commit.js';
import { recordWithoutContent } from './content.js';
import { byEntry, expand } from './expand.js';
import { createResultsReader } from './results-reader.js';
import { createListeners, type Watchers } from './watchers.js';

const OWNED_RUN = 'u.run_id = ? AND u.tenant = ? AND u.workspace = ?';

/** From the entry that holds the first wanted event to the last entry that begins among the wanted ones. */
const READ = `SELECT u.engine_version, u.suite_id, u.bodies_removed_at, l.first_seq, l.at, l.repeats, l.result, l.events, r.events AS block
  FROM runs u JOIN log_entries l ON l.run_no = u.run_no
  LEFT JOIN records r ON r.run_no = l.run_no AND r.ordinal = l.ordinal
  WHERE ${OWNED_RUN} AND l.first_seq <= ? AND l.first_seq >= COALESCE((SELECT MAX(p.first_seq)
    FROM log_entries p WHERE p.run_no = u.run_no AND p.first_seq <= ?), 0)
  ORDER BY l.first_seq, r.repeat`;
const HEAD = `SELECT u.event_count, u.lease_token, u.control_kind FROM runs u WHERE ${OWNED_RUN}`;
const RUN_NO = `SELECT u.run_no FROM runs u WHERE ${OWNED_RUN}`;
const APPENDED = `SELECT l.ordinal FROM runs u JOIN log_entries l ON l.run_no = u.run_no
  WHERE ${OWNED_RUN} AND l.ordinal IS NOT NULL ORDER BY l.first_seq`;
/** As a difference of two sets, which engines compute in one pass over each; a join would search the log per record. */
const PENDING = `SELECT r.ordinal, r.repeat, r.score, r.event_count, r.sealed_at
  FROM runs u JOIN records r ON r.run_no = u.run_no
  WHERE ${OWNED_RUN} AND r.ordinal IN (
    SELECT s.ordinal FROM records s WHERE s.run_no = (SELECT run_no FROM runs WHERE run_id = ?)
    EXCEPT
    SELECT l.ordinal FROM log_entries l WHERE l.run_no = (SELECT run_no FROM runs WHERE run_id = ?))
  ORDER BY r.ordinal, r.repeat`;
const RECORDS = `SELECT u.bodies_removed_at, r.ordinal, r.repeat, r.events, r.score, r.bodies
  FROM runs u JOIN records r ON r.run_no = u.run_no WHERE ${OWNED_RUN} AND r.ordinal = ? ORDER BY r.repeat`;

/** The one topic of listeners to all runs. */
const ALL = 'all';

export function createRunLog(db: Db, clock: Clock, watchers: Watchers): RunLog {
  const appends = createListeners<AppendNotice>();
  const notify = ({ owner, runId }: Lease, { entries = [], firstSequence, run }: Append): void => {
    const eventCount = entries.reduce((sum, entry) => sum + eventCountOf(entry), 0);
    if (run?.status !== undefined || eventCount > 0) watchers.notify(runId);
    if (eventCount > 0) appends.notify(ALL, () => ({ owner, runId, firstSequence, eventCount }));
  };
  const commit = async (lease: Lease, whole: Commit): Promise<void> => {
    await write(db, lease, whole, clock.now());
    notify(lease, whole);
  };
  return {
    seal: (slice, records) => seal(db, slice, records, clock.now()),
    append: commit,
    commit,
    read: (owner, runId, after, limit) => read(db, owner, runId, after, limit),
    async last(owner, runId) {
      const [head] = await db.all(HEAD, key(owner, runId));
      return head && (await read(db, owner, runId, numberAt(head, 'event_count') - 2, 1)).at(-1);
    },
    results: createResultsReader(db),
    async pending(owner, runId) {
      return (await db.all(PENDING, [...key(owner, runId), runId, runId])).map(toSealedUnit);
    },
    async appended(owner, runId) {
      return (await db.all(APPENDED, key(owner, runId))).map((row) => numberAt(row, 'ordinal'));
    },
    async records(owner, runId, ordinal) {
      return (await db.all(RECORDS, [...key(owner, runId), ordinal])).map(toReadableRecord);
    },
    entries: (owner, runId, from, limit) => readEntries(db, owner, runId, from, limit),
    watch: watchers.watch,
    watchAll: (listener) => appends.add(ALL, listener),
  };
}

/** Content that has been removed cannot be read, also while its rows wait to be cleared. */
const toReadableRecord = (row: Row): TaskRecord =>
  row.bodies_removed_at == null ? toRecord(row) : recordWithoutContent(toRecord(row));

const key = (owner: Owner, runId: RunId) => [runId, owner.tenant, owner.workspace];

async function seal(db: Db, slice: Slice, records: readonly TaskRecord[], now: number): Promise<void> {
  const { owner, runId } = slice;
  const [row] = await db.all(RUN_NO, key(owner, runId));
  if (!row) throw new HostError('not_found', 'No such run to seal records of.');
  await db.transaction(sealStatements(numberAt(row, 'run_no'), records, now)).catch((error) => {
    throw error instanceof GuardFailed ? new RunEnded(runId) : error;
  });
}

async function write(db: Db, lease: Lease, commit: Commit, now: number): Promise<void> {
  try {
    await db.transaction(commitStatements(db.dialect, lease, commit, now));
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error;
    const [head] = await db.all(HEAD, key(lease.owner, lease.runId));
    if (head?.lease_token !== lease.token) throw new LeaseLost(lease.runId);
    const controlled = commit.unlessControlled && error.index === 0 && head.control_kind !== null;
    throw controlled ? new ControlPending(lease.runId) : brokenCommit(error.index, commit);
  }
}

async function read(
  db: Db,
  owner: Owner,
  runId: RunId,
  after: number,
  limit: number,
): Promise<readonly RunEvent[]> {
  const rows = await db.all(READ, [...key(owner, runId), after + limit, after + 1]);
  const [first] = rows;
  return first ? expand({ runId, engineVersion: String(first.engine_version) }, rows, after) : [];
}

/** From the entry that holds the first wanted event to the last entry that begins among the wanted ones. */
const ENTRIES = `SELECT l.first_seq, l.event_count, l.at, l.ordinal, l.repeats, l.result, l.events AS loose,
    r.repeat, r.events, r.score, r.bodies
  FROM runs u JOIN log_entries l ON l.run_no = u.run_no
  LEFT JOIN records r ON r.run_no = l.run_no AND r.ordinal = l.ordinal
  WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ? AND l.first_seq < ? AND l.first_seq + l.event_count > ?
  AND l.first_seq >= COALESCE((SELECT MAX(p.first_seq)
    FROM log_entries p WHERE p.run_no = u.run_no AND p.first_seq <= ?), 0)
  ORDER BY l.first_seq, r.repeat`;

/** What was committed, so that committing it to another run gives a log that reads the same. */
async function readEntries(
  db: Db,
  owner: Owner,
  runId: RunId,
  from: number,
  limit: number,
): Promise<readonly StoredEntry[]> {
  const params = [runId, owner.tenant, owner.workspace, from + Math.max(1, limit), from, from];
  return byEntry(await db.all(ENTRIES, params)).map(toStoredEntry);
}

function toStoredEntry(rows: readonly [Row, ...Row[]]): StoredEntry {
  const [row] = rows;
  const place = { firstSequence: numberAt(row, 'first_seq'), eventCount: numberAt(row, 'event_count') };
  if (row.loose !== null)
    return { ...place, entry: { kind: 'events', events: jsonAt(row, 'loose') }, records: [] };
  return { ...place, entry: stepOf(row), records: rows.slice(0, numberAt(row, 'repeats')).map(toRecord) };
}

const stepOf = (row: Row): LogEntry => ({
  kind: 'step',
  ordinal: numberAt(row, 'ordinal'),
  repeats: numberAt(row, 'repeats'),
  eventCount: numberAt(row, 'event_count') - (row.result === null ? 0 : 1),
  ...jsonIfGiven('result', row.result),
  at: numberAt(row, 'at'),
});
