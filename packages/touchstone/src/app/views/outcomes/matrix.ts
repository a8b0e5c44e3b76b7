import {
  asId,
  jsonEqual,
  judgesDiffer,
  type Matrix,
  type MatrixRun,
  type Owner,
  type RunId,
  sideOf,
  timestampOf,
  validationError,
} from '@touchstone/protocol';
import { type MatrixColumn, type MatrixPart, matrixRows } from '@touchstone/protocol/tasks';
import type { RunOutcomes, Store } from '../../../ports/index.js';
import { outcomeAt } from '../../../scorecard/index.js';
import { comparisonIssues } from '../../runs/baseline.js';
import { blessedRuns } from '../history.js';
import { ownRun } from '../run-measurement.js';
import type { EvalRun } from '../tasks/task-table.js';
import { completedRuns } from './completed-runs.js';
import type { OutcomesReader } from './run-outcomes.js';
import type { OrdinalsReader } from './task-ordinals.js';

export type MatrixRequest = MatrixPart & {
  /** These runs, or the last ones of a suite. */
  readonly runs?: readonly string[] | undefined;
  readonly suiteId?: string | undefined;
  readonly version?: string | undefined;
  readonly agentId?: string | undefined;
  readonly last: number;
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
  const reason = whyNotAlike(runs);
  const blessed = await blessedRuns(source.store, owner);
  return {
    runs: columns.map(({ run, kept }) => runWire(run, kept, blessed)),
    comparable: reason === undefined,
    ...(reason !== undefined && { reason }),
    cut: runs.length < all.length,
    ...matrixRows(columns, request),
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

type Column = MatrixColumn & { readonly run: EvalRun; readonly kept: RunOutcomes };

async function readColumn({ outcomes, ordinals }: MatrixSource, run: EvalRun): Promise<Column> {
  const kept = await outcomes.of(run);
  const byId = await ordinals.of(run.owner, run.plan.suite.digest);
  return {
    run,
    kept,
    taskIds: () => byId.keys(),
    cellOf: (taskId) => outcomeAt(kept.outcomes, byId.get(taskId)),
  };
}

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
