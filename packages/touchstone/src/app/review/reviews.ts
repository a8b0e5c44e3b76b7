import {
  defined,
  type JudgeAgreements,
  type Owner,
  type Principal,
  type ReviewItem,
  type ReviewList,
  type ReviewSource,
  validationError,
} from '@touchstone/protocol';
import { eventIdOf } from '@touchstone/protocol/bodies';
import { agreementOf } from '@touchstone/protocol/tasks';
import type { TaskSources } from '../views/task-view.js';
import type { TaskTables } from '../views/tasks/task-table.js';
import { type AgreementQuery, readAgreements } from './agreements.js';
import { answersOf, taskReader } from './answers.js';
import { type LabelQuery, writeLabels } from './labels-file.js';
import { isDone, type ReviewRow, readRows, rowsOf, type Sampling } from './review-rows.js';
import { type ReviewScope, runsForReview } from './reviewed-runs.js';

export type ReviewQuery = ReviewScope &
  Sampling & {
    readonly source: ReviewSource;
    /** Only those that wait, or only those that are decided; all when absent. */
    readonly state?: 'open' | 'done' | undefined;
    /** Whose decisions count. */
    readonly by: 'me' | 'anyone';
    readonly limit: number;
    readonly cursor?: string | undefined;
  };

/** What people look at, and what their decisions show of judges. */
export type Reviews = {
  list(principal: Principal, query: ReviewQuery): Promise<ReviewList>;
  agreement(owner: Owner, query: AgreementQuery): Promise<JudgeAgreements>;
  /** A file for `judge check`. Content. */
  labels(owner: Owner, query: LabelQuery): Promise<string>;
};

type Parts = { readonly sources: TaskSources; readonly tables: TaskTables };

export const createReviews = (parts: Parts): Reviews => ({
  list: (principal, query) => listReviews(parts, principal, query),
  agreement: (owner, query) => readAgreements(parts, owner, query),
  labels: (owner, query) => writeLabels(parts, owner, query),
});

async function listReviews(parts: Parts, { id, owner }: Principal, query: ReviewQuery): Promise<ReviewList> {
  const { sources, tables } = parts;
  const { store } = sources;
  const all = await readRows({ store, tables }, await runsForReview(store, owner, query));
  const isDecided = (row: ReviewRow): boolean => isDone(row, query.by === 'me' ? id : undefined);
  const rows = rowsOf(all, query.source, query);
  const kept = rows
    .slice(startOf(rows, query.cursor))
    .filter((row) => query.state === undefined || isDecided(row) === (query.state === 'done'));
  const page = kept.slice(0, query.limit);
  const last = kept.length > page.length ? page.at(-1) : undefined;
  const open = (source: ReviewSource): number =>
    rowsOf(all, source, query).filter((row) => !isDecided(row)).length;
  const done = rows.filter(isDecided).length;
  return {
    counts: {
      open: rows.length - done,
      done,
      failures: open('failures'),
      unscored: open('unscored'),
      flagged: open('flagged'),
      'low-agreement': open('low-agreement'),
    },
    items: await readItems(sources, page, query.source),
    ...(last && { nextCursor: cursorOf(last) }),
  };
}

/** Names the last task of a page: what is decided meanwhile moves nothing. */
const cursorOf = ({ run, task }: ReviewRow): string =>
  Buffer.from(`${run.runId} ${task.ordinal}`).toString('base64url');

function startOf(rows: readonly ReviewRow[], cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const at = rows.findIndex((row) => cursorOf(row) === cursor);
  if (at >= 0) return at + 1;
  const message = 'expected the nextCursor of an earlier page of this list. Start without one.';
  throw validationError([{ pointer: '/cursor', message }], { field: 'cursor' });
}

async function readItems(
  sources: TaskSources,
  rows: readonly ReviewRow[],
  source: ReviewSource,
): Promise<readonly ReviewItem[]> {
  const readTask = taskReader(sources);
  const items: ReviewItem[] = [];
  for (const { run, task, reviews } of rows) {
    const { taskId, score, passed, unscored, judge } = task.result;
    const answers = await answersOf(sources.store.log, run, task);
    const criteria = (await readTask(run, task.ordinal))?.criteria ?? [];
    items.push({
      runId: run.runId,
      suiteId: run.plan.suite.suiteId,
      taskId,
      n: task.ordinal,
      source,
      answers: answers.map(({ eventId }) => eventId),
      score,
      passed,
      criteria: criteria.map(({ id, judged }) => ({ id, judged })),
      reviews,
      ...defined({ unscored, agreement: agreementOf(task.result), judge }),
      ...(task.lastSequence !== undefined && { scored: eventIdOf(run.runId, task.lastSequence) }),
    });
  }
  return items;
}
