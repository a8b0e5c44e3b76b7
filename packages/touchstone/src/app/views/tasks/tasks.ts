import {
  asId,
  defined,
  HostError,
  type RunId,
  type TaskFacets,
  type TaskList,
  validationError,
} from '@touchstone/protocol';
import {
  facetsOf,
  listingOf,
  pageOf,
  type TaskFilter,
  type TaskPart,
  type TaskRow,
} from '@touchstone/protocol/tasks';
import type { Annotation, Run, Store } from '../../../ports/index.js';
import type { OutcomesReader } from '../outcomes/run-outcomes.js';
import type { OrdinalsReader } from '../outcomes/task-ordinals.js';
import { readThresholds } from '../run-measurement.js';
import { lastOutcomes } from './last-outcomes.js';
import { readPart } from './task-part.js';
import { readReviews, taskFinder } from './task-reviews.js';
import { type EvalRun, isEval, type TaskTable, type TaskTables } from './task-table.js';

export type TaskQuery = TaskFilter & {
  /** The run that changes are measured against; the run's own baseline when absent. */
  readonly against?: string | undefined;
};
export type TaskPageQuery = TaskQuery &
  TaskPart & {
    /** How many runs `last` tells of. */
    readonly last: number;
  };

/** The tasks of eval runs as lists: filtered, sorted, counted. Reads no body. */
export type Tasks = {
  page(run: EvalRun, query: TaskPageQuery): Promise<TaskList>;
  facets(run: EvalRun, query: TaskQuery): Promise<TaskFacets>;
  /** Those of the annotations that are on a task, or on one of its events. */
  about(run: Run, taskId: string, annotations: readonly Annotation[]): Promise<readonly Annotation[]>;
};

type Parts = {
  readonly store: Store;
  readonly tables: TaskTables;
  readonly outcomes: OutcomesReader;
  readonly ordinals: OrdinalsReader;
};

export function createTasks(parts: Parts): Tasks {
  return {
    async page(run, query) {
      const { revision, total, matched, offset, rows } =
        (await readPage(parts, run, query)) ?? (await pageOfAll(parts, run, query));
      const lastOf = await lastOutcomes(parts, run, query.last);
      const items = rows.map((row) => listingOf(run.runId, row, lastOf(row)));
      return { runId: run.runId, revision, total, matched, offset, items };
    },
    facets: async (run, query) => facetsOf((await readRows(parts, run, query)).rows, query),
    async about(run, taskId, annotations) {
      if (!isEval(run)) return [];
      const find = taskFinder(run.runId, await parts.tables.of(run));
      return annotations.filter((annotation) => find(annotation)?.result.taskId === taskId);
    },
  };
}

type Page = Omit<TaskList, 'runId' | 'items'> & { readonly rows: readonly TaskRow[] };

async function readPage(parts: Parts, run: EvalRun, query: TaskPageQuery): Promise<Page | undefined> {
  const part = await readPart(parts, run, query);
  if (!part) return undefined;
  const { table, earlier, total, matched, offset } = part;
  const rows = await rowsOf(parts, run, table, earlier);
  return { revision: table.revision, total, matched, offset, rows };
}

async function pageOfAll(parts: Parts, run: EvalRun, query: TaskPageQuery): Promise<Page> {
  const { table, rows } = await readRows(parts, run, query);
  return { revision: table.revision, total: table.tasks.length, ...pageOf(rows, query) };
}

async function readRows(
  parts: Parts,
  run: EvalRun,
  query: TaskQuery,
): Promise<{ readonly table: TaskTable; readonly rows: readonly TaskRow[] }> {
  const table = await parts.tables.of(run);
  return { table, rows: await rowsOf(parts, run, table, await comparedTable(parts, run, query)) };
}

/** The tasks of a table with what is known of them outside of the run. */
async function rowsOf(
  { store }: Parts,
  run: EvalRun,
  table: TaskTable,
  compared: TaskTable | undefined,
): Promise<readonly TaskRow[]> {
  const earlier = compared?.byId();
  const thresholds = await readThresholds(store, run);
  const reviews = await readReviews(store, run.owner, run.runId, table, thresholds);
  if (!earlier && reviews.size === 0) return table.tasks;
  return table.tasks.map((task) => {
    const { taskId } = task.result;
    return { ...task, ...defined({ before: earlier?.get(taskId)?.result, review: reviews.get(taskId) }) };
  });
}

/** A baseline that came in a file, or that has been removed since, has no tasks here. */
async function comparedTable(
  { store, tables }: Parts,
  { owner, plan }: EvalRun,
  { against, change }: TaskQuery,
): Promise<TaskTable | undefined> {
  const runId = against ?? plan.baselineRunId;
  const run = runId === undefined ? undefined : await store.runs.get(owner, asId<RunId>(runId));
  if (run && isEval(run)) return tables.of(run);
  if (against !== undefined) throw new HostError('not_found', 'There is no such eval run to compare with.');
  if (change === undefined) return undefined;
  const message = 'expected a run to compare with in "against": this one has no baseline here';
  throw validationError([{ pointer: '/change', message }], { field: 'change' });
}
