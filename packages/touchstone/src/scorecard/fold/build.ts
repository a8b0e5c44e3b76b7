import {
  type EvalSummary,
  type ModelClass,
  type RunId,
  type SuiteId,
  type SummaryTotals,
  type TaskResult,
  type Thresholds,
  taskScore,
  type Version,
} from '@touchstone/protocol';
import { addKnown, createMean, nearestRank } from './aggregate.js';
import { createColumn, type Fold, foldAll } from './fold.js';

/** Aggregate score a run must reach when its suite declares no `passScore`. */
export const DEFAULT_PASS_SCORE = 0.8;

export type ScorecardFacts = {
  readonly suiteId: SuiteId;
  readonly suiteVersion: Version;
  readonly modelClass?: ModelClass;
  readonly thresholds?: Thresholds;
  readonly regression?: {
    readonly baselineRunId: RunId;
    readonly baselineScore: number;
    readonly diffRef?: string;
  };
};

/** Builds the terminal scorecard from the results in the log, in suite order. Keeps no counters of its own. */
export const buildSummary = (facts: ScorecardFacts, results: readonly TaskResult[]): EvalSummary => ({
  ...foldAll(createSummary(facts), results),
  tasks: results.map(taskScore),
});

/** The same without its list of tasks, of results that come one after the other. */
export function createSummary(facts: ScorecardFacts): Fold<TaskResult, SummaryTotals> {
  const folded = createTotals(facts.thresholds);
  return {
    add: folded.add,
    result() {
      const totals = folded.result();
      return {
        suiteId: facts.suiteId,
        suiteVersion: facts.suiteVersion,
        ...(facts.modelClass && { evaluatedModelClass: facts.modelClass }),
        ...totals,
        ...(facts.regression && { regression: regressionOf(facts.regression, totals.aggregateScore) }),
      };
    },
  };
}

type Totals = Pick<EvalSummary, 'aggregateScore' | 'passed' | 'taskCount' | 'passedCount' | 'totalCostUsd'>;

export const foldResults = (thresholds: Thresholds | undefined, results: Iterable<TaskResult>): Totals =>
  foldAll(createTotals(thresholds), results);

/** `passed` is the thresholds' formula and nothing more: whether a run got worse than another is not part of it. */
export function createTotals(thresholds: Thresholds = {}): Fold<TaskResult, Totals> {
  const scores = createMean();
  const limits = createLimits(thresholds);
  let passedCount = 0;
  return {
    add(result) {
      scores.add(result.score);
      limits.add(result);
      if (result.passed) passedCount += 1;
    },
    result() {
      const aggregateScore = scores.result();
      const { totalCostUsd, kept } = limits.result();
      return {
        aggregateScore,
        passed: kept && aggregateScore >= (thresholds.passScore ?? DEFAULT_PASS_SCORE),
        taskCount: scores.count,
        passedCount,
        ...(totalCostUsd !== undefined && { totalCostUsd }),
      };
    },
  };
}

function regressionOf(
  { baselineRunId, baselineScore, diffRef }: NonNullable<ScorecardFacts['regression']>,
  aggregateScore: number,
): NonNullable<EvalSummary['regression']> {
  return {
    baselineRunId,
    scoreDelta: aggregateScore - baselineScore,
    ...(diffRef !== undefined && { diffRef }),
  };
}

type Limits = { readonly totalCostUsd: number | undefined; readonly kept: boolean };

/** Cost and latency against what the suite allows. Nothing is kept for a limit that it does not have. */
function createLimits({ maxCostUsd, maxP95LatencyMs }: Thresholds): Fold<TaskResult, Limits> {
  const latencies = createColumn();
  let unpriced = false;
  let totalCostUsd: number | undefined;
  // A call of unknown price cannot be shown to keep the cost threshold.
  const isCheap = (): boolean => maxCostUsd === undefined || (!unpriced && (totalCostUsd ?? 0) <= maxCostUsd);
  const isFast = (): boolean =>
    maxP95LatencyMs === undefined || nearestRank(latencies.values(), 95) <= maxP95LatencyMs;
  return {
    add(result) {
      if (result.unpriced) unpriced = true;
      totalCostUsd = addKnown(totalCostUsd, result.costUsd);
      if (maxP95LatencyMs !== undefined) latencies.add(result.latencyMs ?? 0);
    },
    result: () => ({ totalCostUsd, kept: isCheap() && isFast() }),
  };
}
