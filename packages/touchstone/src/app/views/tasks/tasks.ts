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
import { readReviews, taskFinder } from './task-reviews.js';
import type { EvalRun, TaskTable, TaskTables } from './task-table.js';

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
      const { table, rows } = await readRows(parts, run, query);
      const page = pageOf(rows, query);
      const lastOf = await lastOutcomes(parts, run, query.last);
      return {
        runId: run.runId,
        revision: table.revision,
        total: table.tasks.length,
        matched: page.matched,
        offset: page.offset,
        items: page.rows.map((row) => listingOf(run.runId, row, lastOf(row))),
      };
    },
    facets: async (run, query) => facetsOf((await readRows(parts, run, query)).rows, query),
    async about(run, taskId, annotations) {
      if (!isEval(run)) return [];
      const find = taskFinder(run.runId, await parts.tables.of(run));
      return annotations.filter((annotation) => find(annotation)?.result.taskId === taskId);
    },
  };
}

async function readRows(
  parts: Parts,
  run: EvalRun,
  query: TaskQuery,
): Promise<{ readonly table: TaskTable; readonly rows: readonly TaskRow[] }> {
  const table = await parts.tables.of(run);
  const earlier = (await comparedTable(parts, run, query))?.byId();
  const thresholds = await readThresholds(parts.store, run);
  const reviews = await readReviews(parts.store, run.owner, run.runId, table, thresholds);
  if (!earlier && reviews.size === 0) return { table, rows: table.tasks };
  const rows = table.tasks.map((task) => {
    const { taskId } = task.result;
    return { ...task, ...defined({ before: earlier?.get(taskId)?.result, review: reviews.get(taskId) }) };
  });
  return { table, rows };
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

export const isEval = (run: Run): run is EvalRun => run.plan.kind === 'eval';
