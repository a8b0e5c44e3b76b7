import type { RunId } from '@touchstone/contract';
import type { RunLog } from '@touchstone/contract/ports';
import type { Db } from './db.js';
import { jsonAt, numberAt } from './rows.js';

const RESULTS = `SELECT l.first_seq, l.ordinal, l.result FROM runs u JOIN log_entries l ON l.run_no = u.run_no
  WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ? AND l.first_seq > ? AND l.result IS NOT NULL
  ORDER BY l.first_seq LIMIT ? OFFSET ?`;

type Place = { readonly offset: number; readonly sequence: number };
const START: Place = { offset: 0, sequence: -1 };
const MAX_PLACES = 64;

/**
 * Counting off rows from the start for every page would make reading a long run quadratic. So the place where the last
 * page of a run ended is remembered; the log only grows at its end, hence a place never goes stale.
 */
export function createResultsReader(db: Db): RunLog['results'] {
  const places = new Map<RunId, Place>();

  function remember(runId: RunId, place: Place): void {
    places.delete(runId);
    places.set(runId, place);
    const [oldest] = places.keys();
    if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest);
  }

  return async (owner, runId, offset, limit) => {
    const known = places.get(runId) ?? START;
    const from = known.offset <= offset ? known : START;
    const skip = offset - from.offset;
    const rows = await db.all(RESULTS, [runId, owner.tenant, owner.workspace, from.sequence, limit, skip]);
    const last = rows.at(-1);
    if (last) remember(runId, { offset: offset + rows.length, sequence: numberAt(last, 'first_seq') });
    return rows.map((row) => ({ ordinal: numberAt(row, 'ordinal'), result: jsonAt(row, 'result') }));
  };
}
