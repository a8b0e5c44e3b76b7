import type { RunId, TaskResult } from '@touchstone/protocol';
import type { RunLog } from '../../ports/index.js';
import type { Db } from '../db.js';
import { jsonAt, numberAt } from '../rows.js';

/**
 * A page comes as one JSON text, pairs of ordinal and result: every row handed over by itself costs more than reading
 * it from the disk, and a long run is read as a whole.
 */
const RESULTS = `SELECT MAX(page.first_seq) AS last_seq, '[' ||
    STRING_AGG('[' || page.ordinal || ',' || page.result || ']', ',' ORDER BY page.first_seq) || ']' AS results
  FROM (SELECT l.first_seq, l.ordinal, l.result FROM runs u JOIN log_entries l ON l.run_no = u.run_no
    WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ? AND l.first_seq > ? AND l.result IS NOT NULL
    ORDER BY l.first_seq LIMIT ? OFFSET ?) AS page`;

type Pair = readonly [ordinal: number, result: TaskResult];
/** The sequence up to which a run's first `offset` results have been read. */
type ResultPlace = { readonly offset: number; readonly sequence: number };
const START: ResultPlace = { offset: 0, sequence: -1 };
const MAX_PLACES = 64;

/**
 * Counting off rows from the start for every page would make reading a long run quadratic. So the place where the last
 * page of a run ended is remembered; the log only grows at its end, hence a place never goes stale.
 */
export function createResultsReader(db: Db): RunLog['results'] {
  const places = new Map<RunId, ResultPlace>();

  function remember(runId: RunId, place: ResultPlace): void {
    places.delete(runId);
    places.set(runId, place);
    const [oldest] = places.keys();
    if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest);
  }

  return async (owner, runId, offset, limit) => {
    const known = places.get(runId) ?? START;
    const from = known.offset <= offset ? known : START;
    const skip = offset - from.offset;
    const params = [runId, owner.tenant, owner.workspace, from.sequence, limit, skip];
    const [page] = await db.all(RESULTS, params);
    if (!page || page.results === null) return [];
    const pairs = jsonAt<readonly Pair[]>(page, 'results');
    remember(runId, { offset: offset + pairs.length, sequence: numberAt(page, 'last_seq') });
    return pairs.map(([ordinal, result]) => ({ ordinal, result }));
  };
}
