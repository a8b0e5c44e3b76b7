import { asId, type RunId, type TaskId } from '@touchstone/protocol';
import type { TaskFilter, TaskPart } from '@touchstone/protocol/tasks';
import type { Store } from '../../../ports/index.js';
import { outcomeAt } from '../../../scorecard/index.js';
import { ownerOfSuite } from '../../catalogue/suite-catalogue.js';
import type { OutcomesReader } from '../outcomes/run-outcomes.js';
import { type EvalRun, isEval, type TaskTable, tableOf } from './task-table.js';

type Parts = { readonly store: Pick<Store, 'runs' | 'log' | 'suites'>; readonly outcomes: OutcomesReader };

type Query = TaskFilter & TaskPart & { readonly against?: string | undefined; readonly last: number };

/** A page of a list, with no more of the run than the page shows. */
export type ReadPart = {
  readonly table: TaskTable;
  /** The same tasks in the run that is compared with. */
  readonly earlier?: TaskTable | undefined;
  readonly total: number;
  readonly matched: number;
  /** Of the first task of the page. */
  readonly offset: number;
};

/** The tasks of a page at most; a file of all tasks needs all of the run. */
const MOST = 500;
const LETTERS = { passed: 'p', failed: 'f', unscored: 'u' } as const;

/**
 * People open a run at its first tasks, or at those that failed, and wait for them. What is kept beside a completed run
 * says which these are, so they alone are read from the log. Undefined where the whole run is needed.
 */
export async function readPart(parts: Parts, run: EvalRun, query: Query): Promise<ReadPart | undefined> {
  if (run.status !== 'completed' || !isInSuiteOrder(query)) return undefined;
  const compared = await comparedRun(parts, run, query);
  if (compared === 'unlike') return undefined;
  const { log } = parts.store;
  const { outcomes } = await parts.outcomes.of(run);
  const ended = placesOf(outcomes, undefined);
  const kept = query.outcome === undefined ? ended : placesOf(outcomes, LETTERS[query.outcome]);
  const offset = await offsetIn(parts, run, query, kept);
  const places = kept.slice(offset, offset + query.limit);
  const steps = await log.resultsAt(run.owner, run.runId, places);
  if (steps.length < places.length) return undefined;
  const before = compared && (await log.resultsAt(compared.owner, compared.runId, places));
  const earlier = compared && before && tableOf(compared.runId, compared.eventCount, before);
  const table = tableOf(run.runId, run.eventCount, steps);
  return { table, earlier, total: ended.length, matched: kept.length, offset };
}

/** All tasks or one side of them, and no filter or order that needs more than how each came out. */
function isInSuiteOrder(query: Query): boolean {
  const { outcome, against, last, order = 'suite', offset, limit, around, ...filters } = query;
  return order === 'suite' && limit <= MOST && Object.values(filters).every((value) => value === undefined);
}

/** A run of another version of the suite has tasks at other places; one that goes on has tasks that no log has yet. */
async function comparedRun(
  { store }: Parts,
  { owner, plan }: EvalRun,
  { against }: Query,
): Promise<EvalRun | 'unlike' | undefined> {
  const runId = against ?? plan.baselineRunId;
  const run = runId === undefined ? undefined : await store.runs.get(owner, asId<RunId>(runId));
  if (!run || !isEval(run)) return against === undefined ? undefined : 'unlike';
  const isAlike = run.status === 'completed' && run.plan.suite.digest === plan.suite.digest;
  return isAlike ? run : 'unlike';
}

/** The page that has the task; one that is left out is nowhere, so the page stays where it was to be. */
async function offsetIn(
  { store }: Parts,
  { owner, plan }: EvalRun,
  { around, offset, limit }: Query,
  places: readonly number[],
): Promise<number> {
  const { digest } = plan.suite;
  const holder = around === undefined ? undefined : await ownerOfSuite(store, owner, digest);
  if (around === undefined || !holder) return offset;
  const ordinal = await store.suites.ordinalOf(holder, digest, asId<TaskId>(around));
  const at = ordinal === undefined ? -1 : places.indexOf(ordinal);
  return at < 0 ? offset : Math.floor(at / limit) * limit;
}

/** In the order of the suite; all that ended without a letter. */
function placesOf(outcomes: string, letter: string | undefined): readonly number[] {
  const places: number[] = [];
  for (let at = 0; at < outcomes.length; at += 1) {
    const [, found] = outcomeAt(outcomes, at);
    if (letter === undefined ? found !== '-' : found === letter) places.push(at);
  }
  return places;
}
