import {
  asId,
  jsonEqual,
  judgesDiffer,
  type MATRIX_KEPT,
  type MATRIX_ORDERS,
  type Matrix,
  type MatrixCell,
  type MatrixRun,
  type Owner,
  type RunId,
  sideOf,
  type TaskId,
  timestampOf,
  validationError,
} from '@touchstone/protocol';
import type { RunOutcomes, Store } from '../../../ports/index.js';
import { outcomeAt } from '../../../scorecard/index.js';
import { comparisonIssues } from '../../runs/baseline.js';
import { blessedRuns } from '../history.js';
import { ownRun } from '../run-measurement.js';
import type { EvalRun } from '../tasks/task-table.js';
import { completedRuns } from './completed-runs.js';
import type { OutcomesReader } from './run-outcomes.js';
import type { OrdinalsReader, TaskOrdinals } from './task-ordinals.js';

export type MatrixRequest = {
  /** These runs, or the last ones of a suite. */
  readonly runs?: readonly string[] | undefined;
  readonly suiteId?: string | undefined;
  readonly version?: string | undefined;
  readonly agentId?: string | undefined;
  readonly last: number;
  readonly only: (typeof MATRIX_KEPT)[number];
  readonly order: (typeof MATRIX_ORDERS)[number];
  readonly offset: number;
  readonly limit: number;
};

type MatrixSource = {
  readonly store: Store;
  readonly outcomes: OutcomesReader;
  readonly ordinals: OrdinalsReader;
};

/** So many outcomes are read for one answer. */
const MOST_CELLS = 2_000_000;

/** Tasks by runs: how each came out. Reads what is kept beside the runs, and no body. */
export async function readMatrix(
  source: MatrixSource,
  owner: Owner,
  request: MatrixRequest,
): Promise<Matrix> {
  const all = await runsOf(source, owner, request);
  const runs = withinBounds(all);
  const columns = await Promise.all(runs.map((run) => readColumn(source, run)));
  const rows = sorted(rowsOf(columns).filter(KEPT[request.only]), request.order);
  const reason = whyNotAlike(runs);
  const blessed = await blessedRuns(source.store, owner);
  return {
    runs: columns.map(({ run, kept }) => runWire(run, kept, blessed)),
    comparable: reason === undefined,
    ...(reason !== undefined && { reason }),
    matched: rows.length,
    cut: runs.length < all.length,
    items: rows.slice(request.offset, request.offset + request.limit).map(({ taskId, flips }) => ({
      taskId,
      cells: columns.map((column) => cellOf(column, taskId)),
      flips,
    })),
  };
}

async function runsOf(
  { store }: MatrixSource,
  owner: Owner,
  { runs, suiteId = '', version, agentId, last }: MatrixRequest,
): Promise<readonly EvalRun[]> {
  if (runs) return Promise.all(runs.map((runId, at) => completedRun(store, owner, runId, at)));
  const query = { suiteId, version, ...(agentId !== undefined && { agentId }), limit: last };
  return (await completedRuns(store, owner, query)).toReversed();
}

async function completedRun(store: Store, owner: Owner, runId: string, at: number): Promise<EvalRun> {
  const run = await ownRun(store, owner, asId<RunId>(runId));
  if (run.plan.kind === 'eval' && run.status === 'completed') return run as EvalRun;
  const came = run.plan.kind === 'eval' ? `one that is ${run.status}` : 'none';
  const message = `Expected a completed evaluation as run ${at + 1}, got ${came}.`;
  throw validationError([{ pointer: '/runs', message }], { field: 'runs' });
}

/** The newest stay. */
function withinBounds(runs: readonly EvalRun[]): readonly EvalRun[] {
  let [left, from] = [MOST_CELLS, runs.length];
  for (const run of runs.toReversed()) {
    left -= run.plan.totalTasks;
    if (left < 0 && from < runs.length) break;
    from -= 1;
  }
  return runs.slice(from);
}

type Column = { readonly run: EvalRun; readonly kept: RunOutcomes; readonly ordinals: TaskOrdinals };

const readColumn = async ({ outcomes, ordinals }: MatrixSource, run: EvalRun): Promise<Column> => ({
  run,
  kept: await outcomes.of(run),
  ordinals: await ordinals.of(run.owner, run.plan.suite.digest),
});

const cellOf = ({ kept, ordinals }: Column, taskId: TaskId): MatrixCell =>
  outcomeAt(kept.outcomes, ordinals.get(taskId));

/** What a row is kept and sorted by. Its cells are made when it is shown: there may be millions. */
type Row = {
  readonly taskId: TaskId;
  readonly flips: number;
  readonly differs: boolean;
  /** From the first run that scored it to the last one; negative is worse. */
  readonly change: number;
  /** The place of the newest run in which it failed; -1 when it never did. */
  readonly newestFailure: number;
};

/** In the order of the newest suite; tasks that only older ones have come after. */
function rowsOf(columns: readonly Column[]): readonly Row[] {
  const ids = new Set(columns.toReversed().flatMap(({ ordinals }) => [...ordinals.keys()]));
  const rows: Row[] = [];
  for (const taskId of ids) {
    const row = rowOf(
      taskId,
      columns.map((column) => cellOf(column, taskId)),
    );
    if (row) rows.push(row);
  }
  return rows;
}

/** Undefined for a task that none of the runs selected. */
function rowOf(taskId: TaskId, cells: readonly MatrixCell[]): Row | undefined {
  if (cells.every(([, letter]) => letter === '-')) return undefined;
  const scored = cells.filter(([, letter]) => letter === 'p' || letter === 'f');
  const flips = scored.filter(([, letter], at) => at > 0 && letter !== scored[at - 1]?.[1]).length;
  return {
    taskId,
    flips,
    differs: cells.some((cell) => cell[0] !== cells[0]?.[0] || cell[1] !== cells[0]?.[1]),
    change: (scored.at(-1)?.[0] ?? 0) - (scored[0]?.[0] ?? 0),
    newestFailure: cells.findLastIndex(([, letter]) => letter === 'f'),
  };
}

const KEPT: { readonly [only in MatrixRequest['only']]: (row: Row) => boolean } = {
  flips: ({ flips }) => flips > 0,
  differ: ({ differs }) => differs,
  all: () => true,
};

const ORDERS: { readonly [order in MatrixRequest['order']]: (a: Row, b: Row) => number } = {
  change: (a, b) => a.change - b.change || b.flips - a.flips,
  flaky: (a, b) => b.flips - a.flips || b.newestFailure - a.newestFailure,
  newest: (a, b) => b.newestFailure - a.newestFailure || b.flips - a.flips,
};
const sorted = (rows: readonly Row[], order: MatrixRequest['order']): readonly Row[] =>
  rows.toSorted(ORDERS[order]);

/** What keeps some run from being held against the first one. */
function whyNotAlike([first, ...others]: readonly EvalRun[]): string | undefined {
  for (const { plan } of others) {
    if (!first) return undefined;
    const [issue] = comparisonIssues(first.plan, plan, jsonEqual(ordinalsOf(first), plan.ordinals ?? null));
    if (issue !== undefined) return issue;
    if (judgesDiffer(first.plan, plan))
      return 'The runs were scored by different judges, so a difference could be the judges’.';
  }
  return undefined;
}

const ordinalsOf = ({ plan }: EvalRun) => plan.ordinals ?? null;

function runWire(run: EvalRun, { figures }: RunOutcomes, blessed: ReadonlySet<RunId>): MatrixRun {
  const { suite, agent } = run.plan;
  const totals = run.headline ?? { aggregateScore: 0, passed: false, unscored: 0 };
  return {
    runId: run.runId,
    agent: { agentId: agent.agentId, version: agent.version },
    suite: { ref: `${suite.suiteId}@${suite.version}`, digest: suite.digest },
    score: totals.aggregateScore,
    interval: figures.interval,
    verdict: sideOf(totals, figures.regression?.verdict === 'fail'),
    endedAt: timestampOf(run.completedAt ?? run.createdAt),
    ...(blessed.has(run.runId) && { blessed: true }),
  };
}
