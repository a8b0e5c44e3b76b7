import type { Owner, RunId } from '@touchstone/protocol';
import { PAGE_BYTES, type ThreadShares, threadMs, UNSHARED } from '../../ports/index.js';
import type { Db, Row, SqlValue } from '../db.js';
import { numberAt } from '../rows.js';

/** What one row of a log holds: the events of a loose entry, or those of one record of a step. */
export type RowExtent = {
  /** Where its entry begins. */
  readonly entry: number;
  /** Where the entry after it begins. */
  readonly entryEnd: number;
  readonly repeat: number;
  /** The sequence of its first event, and of the first one after it. The last record of a step includes `eval.scored`. */
  readonly first: number;
  readonly end: number;
  readonly bytes: number;
};

export const OWNED_RUN = 'u.run_id = ? AND u.tenant = ? AND u.workspace = ?';
export const runKey = (owner: Owner, runId: RunId): readonly SqlValue[] => [
  runId,
  owner.tenant,
  owner.workspace,
];

const LOG_ROWS = `FROM runs u JOIN log_entries l ON l.run_no = u.run_no
  LEFT JOIN records r ON r.run_no = l.run_no AND r.ordinal = l.ordinal`;

export const RECORD_BYTES = 'COALESCE(OCTET_LENGTH(r.events), 0) + COALESCE(OCTET_LENGTH(r.bodies), 0)';

/** What a task usually takes in the list of a summary. */
const TASK_BYTES = 72;

/**
 * The sizes of rows are read before their content, so that a page can end before it is too large. An engine knows the
 * size of a text without reading it. From the entry that holds the first event to the last entry that begins at or before
 * the last one.
 */
const EXTENTS = `SELECT l.first_seq, l.event_count, l.repeats, CASE WHEN l.result IS NULL THEN 0 ELSE 1 END AS scored,
    r.repeat, r.event_count AS record_events, COALESCE(OCTET_LENGTH(l.events), 0) + ${TASK_BYTES} * COALESCE(l.tasks, 0)
      + ${RECORD_BYTES} AS bytes
  ${LOG_ROWS} WHERE ${OWNED_RUN} AND l.first_seq <= ? AND l.first_seq >= COALESCE((SELECT MAX(p.first_seq)
    FROM log_entries p WHERE p.run_no = u.run_no AND p.first_seq <= ?), 0)
  ORDER BY l.first_seq, r.repeat`;

/** The rows from the one that holds the event at `from` to the last that belongs to an entry beginning by `to`. */
export async function readExtents(
  db: Db,
  owner: Owner,
  runId: RunId,
  from: number,
  to: number,
): Promise<readonly RowExtent[]> {
  const rows = await db.all(EXTENTS, [...runKey(owner, runId), to, from]);
  return byEntry(rows).flatMap(extentsOf);
}

/** Rows in log order, those of one entry together. */
export function byEntry(rows: readonly Row[]): readonly (readonly [Row, ...Row[]])[] {
  const entries: [Row, ...Row[]][] = [];
  for (const row of rows) {
    const current = entries.at(-1);
    if (current?.[0].first_seq === row.first_seq) current?.push(row);
    else entries.push([row]);
  }
  return entries;
}

function extentsOf(rows: readonly [Row, ...Row[]]): readonly RowExtent[] {
  const [entry] = rows;
  const start = numberAt(entry, 'first_seq');
  const entryEnd = start + numberAt(entry, 'event_count');
  // A repeat that was sealed after its step had been appended is not part of the entry.
  const own = entry.repeats === null ? rows : rows.slice(0, numberAt(entry, 'repeats'));
  let first = start;
  return own.map((row, index) => {
    const end = index === own.length - 1 ? entryEnd : first + numberAt(row, 'record_events');
    const extent = { entry: start, entryEnd, repeat: Number(row.repeat ?? 0), first, end };
    first = end;
    return { ...extent, bytes: numberAt(row, 'bytes') };
  });
}

/** As many as fit a page, from the first one on; the first one in any case. */
export function fittingPage<T extends { readonly bytes: number }>(rows: readonly T[]): readonly T[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > PAGE_BYTES;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

/** Less is read at once: the request that needs it has waited for its turn already. */
export const LONG_BYTES = PAGE_BYTES / 16;

export type Pace = (owner: Owner, rows: readonly { readonly bytes: number }[]) => Promise<void>;

/**
 * Content is read and parsed on the one thread of the process, and a reader of a long log reads page after page. So long
 * reads of a tenant begin in different turns of the event loop, however many read for it, and count for its share.
 */
export function createPace(shares: ThreadShares = UNSHARED): Pace {
  return async ({ tenant }, rows) => {
    let bytes = 0;
    for (const row of rows) bytes += row.bytes;
    const ms = threadMs(bytes);
    if (bytes >= LONG_BYTES) await shares.enter(tenant, ms);
    shares.charge(tenant, ms);
  };
}

export type LogRow = { readonly row: Row; readonly extent: RowExtent };

/** The content of rows that follow one another. One that has been removed since its size was read is left out. */
export async function readContent(
  db: Db,
  owner: Owner,
  runId: RunId,
  columns: string,
  extents: readonly RowExtent[],
): Promise<readonly LogRow[]> {
  const [first, last] = [extents[0], extents.at(-1)];
  if (!first || !last) return [];
  const sql = `SELECT l.first_seq, r.repeat, ${columns} ${LOG_ROWS}
    WHERE ${OWNED_RUN} AND l.first_seq BETWEEN ? AND ? AND (l.first_seq, COALESCE(r.repeat, 0)) >= (?, ?)
    AND (l.first_seq, COALESCE(r.repeat, 0)) <= (?, ?) ORDER BY l.first_seq, r.repeat`;
  const range = [first.entry, last.entry, first.entry, first.repeat, last.entry, last.repeat];
  const known = new Map(extents.map((extent) => [`${extent.entry}.${extent.repeat}`, extent]));
  const rows = await db.all(sql, [...runKey(owner, runId), ...range]);
  return rows.flatMap((row) => {
    const extent = known.get(`${row.first_seq}.${row.repeat ?? 0}`);
    return extent ? [{ row, extent }] : [];
  });
}
