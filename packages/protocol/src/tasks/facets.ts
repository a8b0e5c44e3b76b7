import type { Histogram, TaskFacets } from '../wire/vendor/tasks.js';
import { changeOf, differenceOf, keepsOf, outcomeOf, reviewStates, type TaskFilter } from './task-filter.js';
import { sliceOf, type TaskRow } from './task-row.js';

const MOST = 50;

/** How tasks fall apart. Each part is counted without the filter by that part, so that its other choices can be seen. */
export function facetsOf(rows: readonly TaskRow[], filter: TaskFilter): TaskFacets {
  const keptWithout = (...members: readonly (keyof TaskFilter)[]): readonly TaskRow[] => {
    const others = Object.fromEntries(members.map((member) => [member, undefined]));
    return rows.filter(keepsOf({ ...filter, ...others }));
  };
  return {
    outcomes: countOutcomes(keptWithout('outcome')),
    changes: countChanges(keptWithout('change')),
    slices: countSlices(keptWithout('slice')),
    findings: countFindings(keptWithout('finding', 'severity')),
    criteria: countCriteria(keptWithout('criterion')),
    reviewed: countReviews(keptWithout('reviewed')),
    histograms: {
      score: spread(
        keptWithout('minScore', 'maxScore'),
        ({ result }) => (result.unscored ? undefined : result.score),
        SCORE_EDGES,
      ),
      timeMs: spread(keptWithout('minMs', 'maxMs'), ({ result }) => result.latencyMs),
      costUsd: spread(rows.filter(keepsOf(filter)), ({ result }) => result.costUsd),
      change: spread(keptWithout('change'), differenceOf, CHANGE_EDGES),
    },
  };
}

function countOutcomes(rows: readonly TaskRow[]): TaskFacets['outcomes'] {
  const counts = { passed: 0, failed: 0, unscored: 0 };
  for (const { result } of rows) counts[outcomeOf(result)] += 1;
  return counts;
}

function countChanges(rows: readonly TaskRow[]): TaskFacets['changes'] {
  const counts = { toFail: 0, toPass: 0, lower: 0, higher: 0, same: 0, unpaired: 0 };
  for (const row of rows) counts[changeOf(row) ?? 'unpaired'] += 1;
  return counts;
}

function countReviews(rows: readonly TaskRow[]): TaskFacets['reviewed'] {
  const counts = { open: 0, done: 0, overridden: 0, flagged: 0 };
  for (const row of rows) for (const state of reviewStates(row)) counts[state] += 1;
  return counts;
}

type Counts<T> = Map<string, T & { tasks: number }>;

/** The entry of a key, with one task more. */
function counted<T>(counts: Counts<T>, key: string, first: T): T & { tasks: number } {
  const entry = counts.get(key) ?? { ...first, tasks: 0 };
  entry.tasks += 1;
  counts.set(key, entry);
  return entry;
}

/** The most frequent first, and those before others whose key comes first. */
const mostFrequent = <T>(counts: Counts<T>): readonly (T & { tasks: number })[] =>
  [...counts]
    .sort(([one, a], [other, b]) => b.tasks - a.tasks || (one < other ? -1 : 1))
    .slice(0, MOST)
    .map(([, entry]) => entry);

/** Of one task is no slice, and an id that begins with the hyphen belongs to none. */
function countSlices(rows: readonly TaskRow[]): TaskFacets['slices'] {
  const counts: Counts<{ name: ReturnType<typeof sliceOf>; failed: number }> = new Map();
  for (const { result } of rows) {
    const name = sliceOf(result.taskId);
    const slice = counted(counts, name, { name, failed: 0 });
    if (outcomeOf(result) === 'failed') slice.failed += 1;
  }
  counts.delete('');
  return mostFrequent(counts).filter(({ tasks }) => tasks > 1);
}

function countFindings(rows: readonly TaskRow[]): TaskFacets['findings'] {
  const counts: Counts<NonNullable<TaskRow['result']['findings']>[number]> = new Map();
  for (const { result } of rows)
    for (const { kind, severity } of result.findings ?? [])
      counted(counts, `${kind} ${severity}`, { kind, severity });
  return mostFrequent(counts);
}

function countCriteria(rows: readonly TaskRow[]): TaskFacets['criteria'] {
  const counts: Counts<{ id: TaskFacets['criteria'][number]['id']; met: number }> = new Map();
  for (const { result } of rows)
    for (const { id, met } of result.criteria ?? []) {
      const criterion = counted(counts, id, { id, met: 0 });
      if (met === 1) criterion.met += 1;
    }
  return mostFrequent(counts).map(({ id, met, tasks }) => ({ id, applicable: tasks, met }));
}

const steps = (from: number, to: number, count: number): readonly number[] =>
  Array.from({ length: count + 1 }, (_, at) => Number((from + ((to - from) * at) / count).toFixed(2)));
const SCORE_EDGES = steps(0, 1, 10);
const CHANGE_EDGES = steps(-1, 1, 20);

/** Values by parts. Without edges they follow the series 1, 2, 5, 10: times and costs have long tails. */
function spread(
  rows: readonly TaskRow[],
  measure: (row: TaskRow) => number | undefined,
  given?: readonly number[],
): Histogram {
  const values = rows.flatMap((row) => measure(row) ?? []);
  if (values.length === 0) return { edges: [], counts: [] };
  const edges = given ?? seriesOver(values);
  const counts = new Array<number>(edges.length - 1).fill(0);
  for (const value of values) {
    const after = edges.findIndex((edge) => edge > value);
    const part = after < 0 ? counts.length - 1 : after - 1;
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return { edges: [...edges], counts };
}

const SERIES = [1, 2, 5];

/** From zero over the members of the series that the values lie between, to the first one that no value exceeds. */
function seriesOver(values: readonly number[]): readonly number[] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (value > 0) least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (most === 0) return [0, 1];
  const edges = [0];
  for (let exponent = Math.floor(Math.log10(least)); (edges.at(-1) ?? 0) < most; exponent += 1)
    for (const factor of SERIES) {
      const edge = Number(`${factor}e${exponent}`);
      if (edge > least && (edges.at(-1) ?? 0) < most) edges.push(edge);
    }
  return edges;
}
