import {
  type EvalPlan,
  evalCompleted,
  HostError,
  type ModelClass,
  type RunPlan,
  type Scorecard,
} from '@touchstone/protocol';
import type { Run, StepResult, SuiteHead } from '../../ports/index.js';
import { readResults, resultPages, walkInOrder } from '../log/read-results.js';
import type { Parts } from '../parts.js';
import type { Closing } from './run-kind.js';

/** How an evaluation ends: its results in the log, folded into the summary. Its list of tasks is told from them with every read. */
export async function closeEval(
  parts: Parts,
  run: Run,
  plan: EvalPlan,
  head: SuiteHead,
  modelClass: ModelClass | undefined,
  now: number,
): Promise<Closing> {
  const { thresholds } = head;
  const regression = await regressionFacts(parts, run, plan);
  const facts = {
    suiteId: head.suiteId,
    suiteVersion: head.version,
    ...(modelClass && { modelClass }),
    ...(thresholds && { thresholds }),
    ...(regression && { regression }),
  };
  const folds = await foldSteps(parts, run, () => openFolds(parts, run, plan, facts));
  const summary = folds.summary.result();
  const { unscored, cacheHits } = folds.counts;
  return {
    events: [{ type: 'eval.completed', at: now, payload: evalCompleted(summary) }],
    outputs: summary,
    tasks: summary.taskCount,
    headline: {
      aggregateScore: summary.aggregateScore,
      passed: summary.passed,
      taskCount: summary.taskCount,
      passedCount: summary.passedCount,
      unscored,
      ...(summary.totalCostUsd !== undefined && { totalCostUsd: summary.totalCostUsd }),
      ...(cacheHits > 0 && { cacheHits }),
      ...folds.contract.result(summary),
    },
    outcomes: await folds.outcomes.result(),
  };
}

/** Page by page: of a long run, only what the folds keep is held. */
async function foldSteps(
  { store }: Parts,
  run: Run,
  open: () => Promise<ClosingFolds>,
): Promise<ClosingFolds> {
  const folds = await open();
  if (await walkInOrder(resultPages(store.log, run), folds.add)) return folds;
  const again = await open();
  for (const step of (await readResults(store, run)).toSorted((a, b) => a.ordinal - b.ordinal))
    again.add(step);
  return again;
}

type ClosingFolds = Awaited<ReturnType<typeof openFolds>>;

async function openFolds(
  parts: Parts,
  run: Run,
  plan: EvalPlan,
  facts: Parameters<Parts['createSummary']>[0],
) {
  const summary = parts.createSummary(facts);
  const contract = await parts.openContract(run, plan, facts.thresholds);
  const outcomes = await parts.openOutcomes(run, plan, facts.thresholds);
  const counts = { unscored: 0, cacheHits: 0 };
  return {
    summary,
    contract,
    outcomes,
    counts,
    add(step: StepResult): void {
      const { result } = step;
      summary.add(result);
      contract.add(result);
      outcomes.add(step);
      if (result.unscored) counts.unscored += 1;
      counts.cacheHits += result.cacheHits ?? 0;
    },
  };
}

/**
 * Only mode `regression` puts the comparison on the wire, and only one of the very same suite: without it, a baseline is
 * for the report.
 */
async function regressionFacts({ store }: Parts, { owner, runId }: Run, plan: EvalPlan) {
  const { baselineRunId, baselineImported } = plan;
  if (baselineRunId === undefined || !plan.modes.includes('regression')) return undefined;
  const card = baselineImported ? await store.baselines.kept(owner, baselineRunId) : undefined;
  const run = card ? undefined : await store.runs.get(owner, baselineRunId);
  const baseline = card?.summary ?? run?.headline;
  if (!baseline) throw new HostError('not_found', `Baseline ${baselineRunId} is gone.`);
  if (plan.commonTasks && suiteOf(card ?? run?.plan) !== plan.suite.digest) return undefined;
  const diffRef = `/v1/runs/${runId}:diff?against=${baselineRunId}`;
  return {
    baselineRunId,
    baselineScore: baseline.aggregateScore,
    ...(!baselineImported && { diffRef }),
  };
}

const suiteOf = (measured: Scorecard | RunPlan | undefined): string | undefined =>
  measured && 'suite' in measured ? measured.suite.digest : undefined;
