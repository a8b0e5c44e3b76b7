import type { RunId, TaskResult } from '@touchstone/protocol';
import type { RunLog, StepResult } from '../../ports/index.js';
import type { Db, Row } from '../db.js';
import { jsonAt, numberAt } from '../rows.js';

/**
 * A page comes as one JSON text, a list per step: every row handed over by itself costs more than reading
 * it from the disk, and a long run is read as a whole. The inner rows are sorted; saying the order once more inside of the
 * aggregate would make an engine sort their texts again. The run is looked up by itself: in a join, PostgreSQL would read and sort all that is
 * left of the log for every page, because it does not see that there is one run.
 */
const resultsOf = (where: string, limit: string): string => `SELECT MAX(page.first_seq) AS last_seq, '[' ||
    STRING_AGG('[' || page.ordinal || ',' || page.result || ',' || page.first_seq || ',' || page.event_count || ']', ',')
      || ']' AS results
  FROM (SELECT l.first_seq, l.event_count, l.ordinal, l.result FROM log_entries l
    WHERE l.run_no = (SELECT u.run_no FROM runs u WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ?)
    AND ${where} AND l.result IS NOT NULL
    ORDER BY l.first_seq ${limit}) AS page`;

/**
 * Told by its text, without parsing what is passed over: a result has one member of this name, and in a text its quotation marks
 * would be escaped.
 */
export const FAILED = `l.result LIKE '%"passed":false%'`;

type StepColumns = readonly [ordinal: number, result: TaskResult, firstSequence: number, eventCount: number];
/** The sequence up to which a run's first `offset` results have been read. */
type ResultPlace = { readonly offset: number; readonly sequence: number };
const START: ResultPlace = { offset: 0, sequence: -1 };
const MAX_PLACES = 64;

type Page = readonly StepResult[];

/**
 * Counting off rows from the start for every page would make reading a long run quadratic. So the place where the last
 * page of a run ended is remembered; the log only grows at its end, hence a place never goes stale.
 */
export function createResultsReader(db: Db, which = 'TRUE'): RunLog['results'] {
  const sql = resultsOf(`l.first_seq > ? AND ${which}`, 'LIMIT ? OFFSET ?');
  const places = new Map<RunId, ResultPlace>();

  function remember(runId: RunId, place: ResultPlace): void {
    places.delete(runId);
    places.set(runId, place);
    const [oldest] = places.keys();
    if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest);
  }

  return async (owner, runId, offset, limit) => {
    const key = [runId, owner.tenant, owner.workspace];
    const known = places.get(runId) ?? START;
    const from = known.offset <= offset ? known : START;
    const skip = offset - from.offset;
    const [page] = await db.all(sql, [...key, from.sequence, limit, skip]);
    if (!page || page.results === null) return [];
    const read = toSteps(page);
    remember(runId, { offset: offset + read.length, sequence: numberAt(page, 'last_seq') });
    return read;
  };
}

const toSteps = (page: Row): Page =>
  inLogOrder(
    jsonAt<readonly StepColumns[]>(page, 'results').map(([ordinal, result, firstSequence, eventCount]) => ({
      ordinal,
      result,
      firstSequence,
      lastSequence: firstSequence + eventCount - 1,
    })),
  );

/** Engines hand sorted rows to an aggregate as they come. None promises it, so it is looked at. */
export const inLogOrder = (steps: Page): Page =>
  steps.every(({ firstSequence }, at) => at === 0 || (steps[at - 1]?.firstSequence ?? 0) < firstSequence)
    ? steps
    : [...steps].sort((a, b) => a.firstSequence - b.firstSequence);

/** Ordinals are filled up to a multiple of this, so that there are few texts of statements. */
const ORDINALS = 100;

/** The log is looked through from its start, without parsing what is passed over, until all are found. */
export function createStepsReader(db: Db): RunLog['resultsAt'] {
  return async ({ tenant, workspace }, runId, ordinals) => {
    const [first] = ordinals;
    if (first === undefined) return [];
    const room = Math.ceil(ordinals.length / ORDINALS) * ORDINALS;
    const filled = Array.from({ length: room }, (_, at) => ordinals[at] ?? first);
    const sql = resultsOf(`l.ordinal IN (${filled.map(() => '?').join(', ')})`, 'LIMIT ?');
    const [page] = await db.all(sql, [runId, tenant, workspace, ...filled, ordinals.length]);
    return !page || page.results === null ? [] : toSteps(page);
  };
}
