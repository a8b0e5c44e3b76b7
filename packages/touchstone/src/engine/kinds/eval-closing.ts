import type { RunTotals } from '@touchstone/protocol';
import {
  type EvalPlan,
  type EvalSummary,
  evalCompleted,
  HostError,
  type ModelClass,
  type RunPlan,
  type Scorecard,
  type TaskResult,
} from '@touchstone/protocol';
import type { Run, StepResult, SuiteHead } from '../../ports/index.js';
import { readResults } from '../log/read-results.js';
import type { Parts } from '../parts.js';
import type { Closing } from './run-kind.js';

/** How an evaluation ends: its results in the log, folded into the summary. */
export async function closeEval(
  parts: Parts,
  run: Run,
  plan: EvalPlan,
  head: SuiteHead,
  modelClass: ModelClass | undefined,
  now: number,
): Promise<Closing> {
  const steps = await stepsInOrder(parts, run);
  const results = steps.map(({ result }) => result);
  const { thresholds } = head;
  const regression = await regressionFacts(parts, run, plan);
  const summary = parts.buildSummary(
    {
      suiteId: head.suiteId,
      suiteVersion: head.version,
      ...(modelClass && { modelClass }),
      ...(thresholds && { thresholds }),
      ...(regression && { regression }),
    },
    results,
  );
  const outcome = { summary, results, ...(thresholds && { thresholds }) };
  return {
    events: [{ type: 'eval.completed', at: now, payload: evalCompleted(summary) }],
    outputs: summary,
    headline: { ...headlineOf(summary, results), ...(await parts.contractOutcome(run, plan, outcome)) },
    outcomes: await parts.outcomesOf(run, plan, steps, thresholds),
  };
}

/** The log is in suite order unless the run was paused with a gap; the summary always is. */
const stepsInOrder = async ({ store }: Parts, run: Run): Promise<readonly StepResult[]> =>
  [...(await readResults(store, run))].sort((a, b) => a.ordinal - b.ordinal);

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

function headlineOf(summary: EvalSummary, results: readonly TaskResult[]): RunTotals {
  const cacheHits = results.reduce((sum, result) => sum + (result.cacheHits ?? 0), 0);
  return {
    aggregateScore: summary.aggregateScore,
    passed: summary.passed,
    taskCount: summary.taskCount,
    passedCount: summary.passedCount,
    unscored: results.filter((result) => result.unscored).length,
    ...(summary.totalCostUsd !== undefined && { totalCostUsd: summary.totalCostUsd }),
    ...(cacheHits > 0 && { cacheHits }),
  };
}
