import { defined, type EvalReport, type Finding, SEVERITIES, type TaskResult } from '@touchstone/protocol';
import type { Failure, FindingCount, RunView, ShownSummary } from '../run-view.js';

export type FoldedResults = Pick<
  RunView,
  | 'failures'
  | 'unscored'
  | 'unpriced'
  | 'costUsd'
  | 'judgeUsd'
  | 'simulatedUserUsd'
  | 'findings'
  | 'rubrics'
  | 'cacheHits'
  | 'latency'
> & { readonly counts: Pick<RunView['counts'], 'passed' | 'failed' | 'unscored'>; readonly count: number };

/** Counts, failures, costs and latencies of results that come one after the other, in the order of the suite. */
export type ResultsFold = { add(result: TaskResult): void; result(): FoldedResults };

export function createResultsFold(): ResultsFold {
  const failures: Failure[] = [];
  const rubrics: NonNullable<RunView['rubrics']>[number][] = [];
  const latencies: number[] = [];
  const findings = createFindingCount();
  const costs = createCosts();
  let count = 0;
  return {
    add(result) {
      count += 1;
      costs.add(result);
      if (!result.passed) failures.push(failureOf(result));
      if (result.latencyMs !== undefined) latencies.push(result.latencyMs);
      if (result.findings) findings.add(result.taskId, result.findings);
      if (result.criteria) rubrics.push({ taskId: result.taskId, criteria: result.criteria });
    },
    result: () => ({
      count,
      ...sidesOf(count, failures),
      ...costs.result(),
      ...(findings.counts().length > 0 && { findings: findings.counts() }),
      ...(rubrics.length > 0 && { rubrics }),
      ...latencyOf(latencies),
    }),
  };
}

/** What a report and the totals of a run tell of all its results, beside those that are listed. */
export function foldReported(
  { cost, latency: { p50Ms, p95Ms }, cacheHits }: EvalReport,
  { taskCount, totalCostUsd }: Pick<ShownSummary, 'taskCount' | 'totalCostUsd'>,
  failed: readonly Failure[],
): FoldedResults {
  const { judgeUsd, simulatedUserUsd, unpriced = 0 } = cost;
  return {
    count: taskCount,
    ...sidesOf(taskCount, failed),
    unpriced,
    ...defined({ costUsd: totalCostUsd, judgeUsd, simulatedUserUsd, cacheHits }),
    latency: { p50Ms, p95Ms },
  };
}

function sidesOf(
  count: number,
  failures: readonly Failure[],
): Pick<FoldedResults, 'counts' | 'failures' | 'unscored'> {
  const unscored = failures.filter((failure) => failure.unscored).map((failure) => failure.taskId);
  const counts = {
    passed: count - failures.length,
    failed: failures.length - unscored.length,
    unscored: unscored.length,
  };
  return { counts, failures, unscored };
}

function latencyOf(latencies: readonly number[]): Pick<FoldedResults, 'latency'> {
  const sorted = Float64Array.from(latencies).sort();
  return sorted.length === 0
    ? {}
    : { latency: { p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) } };
}

/** What is known of money, and which answers cost nothing. */
function createCosts() {
  const usd: { costUsd?: number; judgeUsd?: number; simulatedUserUsd?: number } = {};
  let [unpriced, cacheHits] = [0, 0];
  return {
    add(result: TaskResult): void {
      for (const name of ['costUsd', 'judgeUsd', 'simulatedUserUsd'] as const) {
        const given = result[name];
        if (given !== undefined) usd[name] = (usd[name] ?? 0) + given;
      }
      unpriced += result.unpriced ?? 0;
      cacheHits += result.cacheHits ?? 0;
    },
    result: () => ({ unpriced, ...usd, ...(cacheHits > 0 && { cacheHits }) }),
  };
}

/** Nearest rank, as the p95 threshold of a suite is measured. */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;

/** Findings by kind and severity, in the order of their names, the gravest of a kind first. */
function createFindingCount() {
  const counted = new Map<string, Finding & { readonly taskIds: string[] }>();
  return {
    add(taskId: string, findings: readonly Finding[]): void {
      for (const { kind, severity } of findings) {
        const key = `${kind} ${9 - SEVERITIES.indexOf(severity)}`;
        const count = counted.get(key) ?? { kind, severity, taskIds: [] };
        counted.set(key, count);
        count.taskIds.push(taskId);
      }
    },
    counts: (): readonly FindingCount[] =>
      [...counted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count),
  };
}

/** What people are shown of a task that did not pass. */
export const failureOf = (result: TaskResult): Failure => ({
  taskId: result.taskId,
  score: result.score,
  ...defined({ latencyMs: result.latencyMs, schemaValid: result.schemaValid }),
  ...(result.findings && { findings: result.findings }),
  ...(result.unscored && { unscored: result.unscored }),
  ...(result.denial && { denial: result.denial }),
  ...(result.outcome && { outcome: result.outcome }),
  ...(result.criteria && { criteria: result.criteria }),
});
