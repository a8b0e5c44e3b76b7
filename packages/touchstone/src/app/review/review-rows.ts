import { createHash } from 'node:crypto';
import { parseReviewLabel, type ReviewItem, type ReviewSource, timestampOf } from '@touchstone/protocol';
import { agreementOf, type EndedTask, outcomeOf } from '@touchstone/protocol/tasks';
import type { Annotation, Store } from '../../ports/index.js';
import { taskFinder } from '../views/tasks/task-reviews.js';
import type { EvalRun, TaskTables } from '../views/tasks/task-table.js';

type ReviewFact = ReviewItem['reviews'][number];

/** A task of a run with what people said about it. */
export type ReviewRow = {
  readonly run: EvalRun;
  readonly task: EndedTask;
  readonly reviews: readonly ReviewFact[];
};

const NONE: readonly ReviewFact[] = [];

/** All tasks of some runs that have ended, in the order of the runs and of their suites. */
export async function readRows(
  { store, tables }: { readonly store: Pick<Store, 'annotations'>; readonly tables: TaskTables },
  runs: readonly EvalRun[],
): Promise<readonly ReviewRow[]> {
  const rows: ReviewRow[] = [];
  for (const run of runs) {
    const table = await tables.of(run);
    const find = taskFinder(run.runId, table);
    const reviews = new Map<EndedTask, ReviewFact[]>();
    for (const annotation of await store.annotations.list(run.owner, run.runId)) {
      const task = find(annotation);
      if (task) reviews.set(task, [...(reviews.get(task) ?? []), factOf(annotation)]);
    }
    for (const task of table.tasks) rows.push({ run, task, reviews: reviews.get(task) ?? NONE });
  }
  return rows;
}

const factOf = ({ signal, override, by, at }: Annotation): ReviewFact => ({
  by,
  at: timestampOf(at),
  kind: override
    ? 'override'
    : signal.kind === 'flag'
      ? 'flag'
      : (parseReviewLabel(signal.label ?? '')?.verdict ?? 'remark'),
});

/** A flag asks for a decision, and is none. */
const DECISIONS: readonly ReviewFact['kind'][] = ['met', 'unmet', 'pass', 'fail', 'override'];

/** Whether this person, or anyone when nobody is named, has decided. */
export const isDone = ({ reviews }: ReviewRow, by: string | undefined): boolean =>
  reviews.some((review) => DECISIONS.includes(review.kind) && (by === undefined || review.by === by));

const KEEPS: { readonly [source in ReviewSource]: (row: ReviewRow) => boolean } = {
  failures: ({ task }) => outcomeOf(task.result) === 'failed',
  unscored: ({ task }) => outcomeOf(task.result) === 'unscored',
  flagged: ({ reviews }) => reviews.some(({ kind }) => kind === 'flag'),
  'low-agreement': ({ task }) => (agreementOf(task.result) ?? 1) < 1,
  sample: () => true,
};

export type Sampling = { readonly seed: number; readonly n: number };

/** The tasks of a source in the order they are looked at. It does not change while people work. */
export function rowsOf(
  rows: readonly ReviewRow[],
  source: ReviewSource,
  { seed, n }: Sampling,
): readonly ReviewRow[] {
  const kept = rows.filter(KEEPS[source]);
  if (source === 'sample') return sortedBy(kept, (row) => drawOf(row, seed)).slice(0, n);
  if (source === 'low-agreement') return sortedBy(kept, ({ task }) => agreementOf(task.result) ?? 1);
  return kept;
}

/** Chance that people share: a task is drawn or not in every run of its suite, so that another run changes nothing. */
const drawOf = ({ run, task }: ReviewRow, seed: number): string =>
  createHash('sha256').update(`${seed} ${run.plan.suite.suiteId} ${task.result.taskId}`).digest('hex');

function sortedBy<Key extends string | number>(
  rows: readonly ReviewRow[],
  keyOf: (row: ReviewRow) => Key,
): readonly ReviewRow[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ row }) => row);
}
