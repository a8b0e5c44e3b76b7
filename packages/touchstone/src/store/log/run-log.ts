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
import { damagedError } from '../damaged.js';
import { type Db, GuardFailed, type Row } from '../db.js';
import { jsonAt, jsonIfGiven, numberAt, toRecord, toSealedUnit } from '../rows.js';
import { brokenCommit, commitStatements, sealStatements } from './commit.js';
import { recordWithoutContent } from './content.js';
import { EVENT_COLUMNS, expand } from './expand.js';
import { keepTrying, writeOnce } from './keep-trying.js';
import {
  byEntry,
  fittingPage,
  OWNED_RUN,
  type Pace,
  RECORD_BYTES,
  type RowExtent,
  readContent,
  readExtents,
  runKey,
} from './page-rows.js';
import { createResultsReader, createStepsReader, FAILED } from './results-reader.js';
import { type SealRows, writeButLast } from './seal-rows.js';
import { withTaskList } from './task-lists.js';
import { createListeners, type Watchers } from './watchers.js';

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
const OWNED_RECORDS = `FROM runs u JOIN records r ON r.run_no = u.run_no WHERE ${OWNED_RUN} AND r.ordinal = ?`;
const RECORD_SIZES = `SELECT r.repeat, ${RECORD_BYTES} AS bytes ${OWNED_RECORDS} AND r.repeat >= ? ORDER BY r.repeat`;
const RECORDS = `SELECT u.bodies_removed_at, r.ordinal, r.repeat, r.events, r.score, r.bodies
  ${OWNED_RECORDS} AND r.repeat BETWEEN ? AND ? ORDER BY r.repeat`;
const SCORES = `SELECT r.score ${OWNED_RECORDS} AND r.score IS NOT NULL ORDER BY r.repeat`;

/** The one topic of listeners to all runs. */
const ALL = 'all';

export function createRunLog(
  db: Db,
  clock: Clock,
  watchers: Watchers,
  pace: Pace,
  /** Told how long after the end of a task its step was durable. */
  onAppended?: (ms: number) => void,
): RunLog {
  const readers: Readers = { db, pace, results: createResultsReader(db) };
  const appends = createListeners<AppendNotice>();
  const notify = ({ owner, runId }: Lease, { entries = [], firstSequence, run }: Append): void => {
    const eventCount = entries.reduce((sum, entry) => sum + eventCountOf(entry), 0);
    if (run?.status !== undefined || eventCount > 0) watchers.notify(runId);
    if (eventCount > 0) appends.notify(ALL, () => ({ owner, runId, firstSequence, eventCount }));
  };
  const commit = async (lease: Lease, whole: Commit): Promise<void> => {
    await write(db, clock, pace, lease, whole);
    notify(lease, whole);
    if (onAppended) for (const { at } of stepsIn(whole)) onAppended(clock.now() - at);
  };
  return {
    seal: (slice, records) => seal(db, pace, slice, records, clock.now()),
    append: commit,
    commit,
    read: (owner, runId, after, limit) => read(readers, owner, runId, { after, limit }),
    async last(owner, runId) {
      const [head] = await db.all(HEAD, runKey(owner, runId));
      const after = head ? numberAt(head, 'event_count') - 2 : 0;
      return head && (await read(readers, owner, runId, { after, limit: 1 })).at(-1);
    },
    results: readers.results,
    failures: createResultsReader(db, FAILED),
    resultsAt: createStepsReader(db),
    async pending(owner, runId) {
      return (await db.all(PENDING, [...runKey(owner, runId), runId, runId])).map(toSealedUnit);
    },
    async appended(owner, runId) {
      return (await db.all(APPENDED, runKey(owner, runId))).map((row) => numberAt(row, 'ordinal'));
    },
    records: (owner, runId, ordinal, fromRepeat = 0) =>
      readRecords(db, pace, owner, runId, { ordinal, fromRepeat }),
    async scores(owner, runId, ordinal) {
      return (await db.all(SCORES, [...runKey(owner, runId), ordinal])).map((row) => jsonAt(row, 'score'));
    },
    entries: (owner, runId, from, limit, fromRepeat = 0) =>
      readEntries(db, pace, owner, runId, { from, limit, fromRepeat }),
    watch: watchers.watch,
    watchAll: (listener) => appends.add(ALL, listener),
  };
}

const stepsIn = ({ entries = [] }: Append) => entries.flatMap((one) => (one.kind === 'step' ? [one] : []));

/** Content that has been removed cannot be read, also while its rows wait to be cleared. */
const toReadableRecord = (row: Row): TaskRecord =>
  row.bodies_removed_at == null ? toRecord(row) : recordWithoutContent(toRecord(row));

async function readRecords(
  db: Db,
  pace: Pace,
  owner: Owner,
  runId: RunId,
  { ordinal, fromRepeat }: { readonly ordinal: number; readonly fromRepeat: number },
): Promise<readonly TaskRecord[]> {
  const unit = [...runKey(owner, runId), ordinal];
  const rows = await db.all(RECORD_SIZES, [...unit, fromRepeat]);
  const page = fittingPage(rows as readonly { readonly repeat: number; readonly bytes: number }[]);
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return [];
  await pace(owner, page);
  return (await db.all(RECORDS, [...unit, first.repeat, last.repeat])).map(toReadableRecord);
}

async function seal(
  db: Db,
  pace: Pace,
  slice: Slice,
  records: readonly TaskRecord[],
  now: number,
): Promise<void> {
  const { owner, runId } = slice;
  const [row] = await db.all(RUN_NO, runKey(owner, runId));
  if (!row) throw new HostError('not_found', 'No such run to seal records of.');
  const runNo = numberAt(row, 'run_no');
  const writePiece = (rows: SealRows) => db.transaction(sealStatements(runNo, owner, rows), runId);
  try {
    const pieces = { records, runNo, sealedAt: now, writePiece };
    await writePiece(await writeButLast(pieces, (bytes) => pace(owner, [{ bytes }])));
  } catch (error) {
    throw error instanceof GuardFailed ? new RunEnded(runId) : error;
  }
}

/** Only the driver moves the end of a log. A commit that adds no event is the same when it is made twice. */
async function isCommitted(db: Db, lease: Lease, { entries = [], firstSequence }: Commit): Promise<boolean> {
  const [head] = await db.all(HEAD, runKey(lease.owner, lease.runId));
  const end = entries.reduce((sum, entry) => sum + eventCountOf(entry), firstSequence);
  return end > firstSequence && head?.lease_token === lease.token && head.event_count === end;
}

async function write(db: Db, clock: Clock, pace: Pace, lease: Lease, commit: Commit): Promise<void> {
  const { owner, runNo } = lease;
  const { seals = [], firstSequence } = commit;
  // A piece holds records only, behind the same fence; a driver that ends before the last one has sealed them.
  const writePiece = (rows: SealRows) => {
    const piece = commitStatements(db.dialect, lease, { firstSequence }, rows);
    return keepTrying(clock, () => db.transaction(piece, lease.runId));
  };
  try {
    const pieces = { records: seals, runNo, sealedAt: clock.now(), writePiece };
    const last = writeButLast(pieces, (bytes) => pace(owner, [{ bytes }]));
    // Without a turn in between: what was submitted before the store closes is written.
    const rows = last instanceof Promise ? await last : last;
    const batch = commitStatements(db.dialect, lease, commit, rows);
    await writeOnce(
      clock,
      () => db.transaction(batch, lease.runId),
      () => isCommitted(db, lease, commit),
    );
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error;
    const [head] = await keepTrying(clock, () => db.all(HEAD, runKey(lease.owner, lease.runId)));
    if (head?.lease_token !== lease.token) throw new LeaseLost(lease.runId);
    const controlled = commit.unlessControlled && error.index === 0 && head.control_kind !== null;
    throw controlled ? new ControlPending(lease.runId) : brokenCommit(error.index, commit);
  }
}

type Readers = { readonly db: Db; readonly pace: Pace; readonly results: RunLog['results'] };

async function read(
  { db, pace, results }: Readers,
  owner: Owner,
  runId: RunId,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly RunEvent[]> {
  const extents = await readExtents(db, owner, runId, after + 1, after + limit);
  const page = fittingPage(extents.filter(({ end }) => end - 1 > after));
  await pace(owner, page);
  const rows = await readContent(db, owner, runId, EVENT_COLUMNS, page);
  const events = await withTaskList(expand(runId, rows, after), rows, (offset, size) =>
    results(owner, runId, offset, size),
  );
  if (events) return events;
  const [isThere] = await db.all(RUN_NO, runKey(owner, runId));
  if (isThere) throw damagedError('result');
  return [];
}

const ENTRY_COLUMNS = `l.event_count, l.at, l.ordinal, l.repeats, l.result, l.events AS loose, l.tasks, r.events, r.score, r.bodies`;

/** What was committed, so that committing it to another run gives a log that reads the same. */
async function readEntries(
  db: Db,
  pace: Pace,
  owner: Owner,
  runId: RunId,
  { from, limit, fromRepeat }: { readonly from: number; readonly limit: number; readonly fromRepeat: number },
): Promise<readonly StoredEntry[]> {
  const found = await readExtents(db, owner, runId, from, from + Math.max(1, limit) - 1);
  const page = entriesPage(
    found.filter(({ entryEnd }) => entryEnd > from),
    fromRepeat,
  );
  await pace(owner, page.extents);
  const rows = await readContent(db, owner, runId, ENTRY_COLUMNS, page.extents);
  const entries = byEntry(rows.map(({ row }) => row)).map(toStoredEntry);
  return page.isPartial ? entries.map((entry) => ({ ...entry, partial: true })) : entries;
}

/** Whole entries, as many as fit. One that does not fit by itself comes alone, with as many records as fit. */
function entriesPage(
  extents: readonly RowExtent[],
  fromRepeat: number,
): { readonly extents: readonly RowExtent[]; readonly isPartial: boolean } {
  const fitting = fittingPage(extents);
  const next = extents[fitting.length];
  const first = extents.filter(({ entry }) => entry === extents[0]?.entry);
  if (fromRepeat === 0 && next?.entry !== first[0]?.entry)
    return { extents: fitting.filter(({ entry }) => entry !== next?.entry), isPartial: false };
  const rest = first.filter(({ repeat }) => repeat >= fromRepeat);
  const part = fittingPage(rest);
  return { extents: part, isPartial: part.length < rest.length };
}

function toStoredEntry(rows: readonly [Row, ...Row[]]): StoredEntry {
  const [row] = rows;
  const place = { firstSequence: numberAt(row, 'first_seq'), eventCount: numberAt(row, 'event_count') };
  if (row.loose !== null) return { ...place, entry: looseOf(row), records: [] };
  return { ...place, entry: stepOf(row), records: rows.map(toRecord) };
}

const looseOf = (row: Row): LogEntry => ({
  kind: 'events',
  events: jsonAt(row, 'loose'),
  ...(row.tasks !== null && { tasks: numberAt(row, 'tasks') }),
});

const stepOf = (row: Row): LogEntry => ({
  kind: 'step',
  ordinal: numberAt(row, 'ordinal'),
  repeats: numberAt(row, 'repeats'),
  eventCount: numberAt(row, 'event_count') - (row.result === null ? 0 : 1),
  ...jsonIfGiven('result', row.result),
  at: numberAt(row, 'at'),
});
