import type {
  EvalSummary,
  ModelClass,
  RunId,
  SuiteId,
  TaskResult,
  TaskScore,
  Thresholds,
  Version,
} from '@touchstone/protocol';
import { mean, nearestRank, sumKnown } from './aggregate.js';

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
export function buildSummary(facts: ScorecardFacts, results: readonly TaskResult[]): EvalSummary {
  const totals = foldResults(facts.thresholds, results);
  return {
    suiteId: facts.suiteId,
    suiteVersion: facts.suiteVersion,
    ...(facts.modelClass && { evaluatedModelClass: facts.modelClass }),
    ...totals,
    tasks: results.map(taskScore),
    ...(facts.regression && { regression: regressionOf(facts.regression, totals.aggregateScore) }),
  };
}

type Totals = Pick<EvalSummary, 'aggregateScore' | 'passed' | 'taskCount' | 'passedCount' | 'totalCostUsd'>;

/** `passed` is the thresholds' formula and nothing more: whether a run got worse than another is not part of it. */
export function foldResults(thresholds: Thresholds | undefined, results: readonly TaskResult[]): Totals {
  const aggregateScore = mean(results.map((result) => result.score));
  const totalCostUsd = sumKnown(results.map((result) => result.costUsd));
  return {
    aggregateScore,
    passed: meetsThresholds(thresholds ?? {}, aggregateScore, totalCostUsd, results),
    taskCount: results.length,
    passedCount: results.reduce((count, result) => count + (result.passed ? 1 : 0), 0),
    ...(totalCostUsd !== undefined && { totalCostUsd }),
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

function meetsThresholds(
  thresholds: Thresholds,
  aggregateScore: number,
  totalCostUsd: number | undefined,
  results: readonly TaskResult[],
): boolean {
  if (aggregateScore < (thresholds.passScore ?? DEFAULT_PASS_SCORE)) return false;
  if (thresholds.maxCostUsd !== undefined) {
    // A call of unknown price cannot be shown to keep the cost threshold.
    if (results.some((result) => result.unpriced)) return false;
    if ((totalCostUsd ?? 0) > thresholds.maxCostUsd) return false;
  }
  if (thresholds.maxP95LatencyMs === undefined) return true;
  return (
    nearestRank(
      results.map((result) => result.latencyMs ?? 0),
      95,
    ) <= thresholds.maxP95LatencyMs
  );
}

const taskScore = (result: TaskResult): TaskScore => ({
  taskId: result.taskId,
  score: result.score,
  passed: result.passed,
  ...(result.costUsd !== undefined && { costUsd: result.costUsd }),
  ...(result.latencyMs !== undefined && { latencyMs: result.latencyMs }),
  ...(result.schemaValid !== undefined && { schemaValid: result.schemaValid }),
  ...(result.findings && { safetyFindings: result.findings }),
});
