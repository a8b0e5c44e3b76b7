import type { Owner, RunId } from '@touchstone/protocol';
import type { LogEntry, StoredEntry } from '../../ports/index.js';
import type { Db, Row } from '../db.js';
import { jsonAt, jsonIfGiven, numberAt, toRecord } from '../rows.js';
import { byEntry } from './expand.js';

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
export async function readEntries(
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
