import type {
  EvalSummary,
  ModelClass,
  SuiteId,
  TaskResult,
  TaskScore,
  Thresholds,
  Version,
} from '@touchstone/contract';
import { mean, nearestRank } from './aggregate.js';

/** Aggregate score a run must reach when its suite declares no bar. */
export const DEFAULT_PASS_SCORE = 0.8;

export type ScorecardFacts = {
  readonly suiteId: SuiteId;
  readonly suiteVersion: Version;
  readonly modelClass?: ModelClass;
  readonly thresholds?: Thresholds;
};

/** Builds the terminal scorecard from the results in the log, in suite order. Keeps no counters of its own. */
export function buildScorecard(facts: ScorecardFacts, results: readonly TaskResult[]): EvalSummary {
  const aggregateScore = mean(results.map((result) => result.score));
  const costs = results.map((result) => result.costUsd).filter((cost) => cost !== undefined);
  const totalCostUsd = costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : undefined;
  return {
    suiteId: facts.suiteId,
    suiteVersion: facts.suiteVersion,
    ...(facts.modelClass && { evaluatedModelClass: facts.modelClass }),
    aggregateScore,
    passed: meetsThresholds(facts.thresholds ?? {}, aggregateScore, totalCostUsd, results),
    taskCount: results.length,
    passedCount: results.reduce((count, result) => count + (result.passed ? 1 : 0), 0),
    ...(totalCostUsd !== undefined && { totalCostUsd }),
    tasks: results.map(taskScore),
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
    // A call whose price nobody knows cannot be shown to fit under the bar.
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
