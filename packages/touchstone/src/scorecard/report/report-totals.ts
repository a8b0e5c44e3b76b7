import {
  defined,
  type EvalPlan,
  type EvalReport,
  type TaskId,
  type TaskResult,
  type Thresholds,
  type UnscoredReason,
} from '@touchstone/protocol';
import { addKnown, createLatencies, createMean, mean, nearestRanks, sumKnown } from '../fold/aggregate.js';
import { DEFAULT_PASS_SCORE } from '../fold/build.js';
import { createColumn, type Fold } from '../fold/fold.js';
import { meanInterval } from '../statistics/mean-interval.js';
import { passRateInterval } from '../statistics/wilson.js';

// The totals of a report, of results that come one after the other.

export function createTasks({ totalTasks }: EvalPlan): Fold<TaskResult, EvalReport['tasks']> {
  const unscoredTasks: { taskId: TaskId; reason: UnscoredReason }[] = [];
  let [selected, passed] = [0, 0];
  return {
    add(result) {
      selected += 1;
      if (result.passed) passed += 1;
      if (result.unscored) unscoredTasks.push({ taskId: result.taskId, reason: result.unscored });
    },
    result: () => ({
      total: totalTasks,
      selected,
      passed,
      unscored: unscoredTasks.length,
      ...(unscoredTasks.length > 0 && { unscoredTasks }),
    }),
  };
}

/**
 * Score and pass rate are those of the scorecard, where an unscored task is a 0. What it would have scored is not known,
 * so the intervals reach from all of these at 0 to all of them at 1: an unreachable judge does not count as a failure.
 */
export function createAggregate(
  { suite }: EvalPlan,
  thresholds: Thresholds | undefined,
): Fold<TaskResult, EvalReport['aggregate']> {
  const scores = createColumn();
  const open: number[] = [];
  let [count, passed] = [0, 0];
  const intervalWith = (assumed: number) =>
    meanInterval(filledIn(scores.values(), open, assumed), suite.digest);
  return {
    add(result) {
      scores.add(result.score);
      if (result.unscored) open.push(count);
      if (result.passed) passed += 1;
      count += 1;
    },
    result() {
      const score = mean(scores.values());
      const worst = intervalWith(0);
      const best = open.length > 0 ? intervalWith(1) : worst;
      return {
        score,
        interval: [Math.min(worst[0], score), Math.max(best[1], score)],
        passRate: passed / Math.max(1, count),
        passRateInterval: passRateInterval(passed, open.length, count),
        bar: thresholds?.passScore ?? DEFAULT_PASS_SCORE,
      };
    },
  };
}

/** The scores, with something in the places of those that are not known. */
function filledIn(scores: Float64Array, places: readonly number[], assumed: number): Float64Array {
  if (places.length === 0) return scores;
  const filled = scores.slice();
  for (const place of places) filled[place] = assumed;
  return filled;
}

export function createCosts(): Fold<TaskResult, EvalReport['cost']> {
  let agentUsd: number | undefined;
  let judgeUsd: number | undefined;
  let simulatedUserUsd: number | undefined;
  let unpriced: number | undefined;
  return {
    add(result) {
      agentUsd = addKnown(agentUsd, agentUsdOf(result));
      judgeUsd = addKnown(judgeUsd, result.judgeUsd);
      simulatedUserUsd = addKnown(simulatedUserUsd, result.simulatedUserUsd);
      unpriced = addKnown(unpriced, result.unpriced);
    },
    result: () => ({ ...defined({ agentUsd, judgeUsd, simulatedUserUsd }), ...(unpriced && { unpriced }) }),
  };
}

/** A result knows the whole and the parts of judge and user. Where these are the whole, the agent named no cost. */
function agentUsdOf({ costUsd, judgeUsd, simulatedUserUsd }: TaskResult): number | undefined {
  if (costUsd === undefined) return undefined;
  const others = sumKnown([judgeUsd, simulatedUserUsd]);
  if (others === undefined) return costUsd;
  return costUsd > others ? costUsd - others : undefined;
}

export function createLatency(): Fold<TaskResult, EvalReport['latency']> {
  const latencies = createLatencies();
  return {
    add: latencies.add,
    result() {
      const [p50Ms = 0, p95Ms = 0, maxMs = 0] = nearestRanks(latencies.result(), [50, 95, 100]);
      return { p50Ms, p95Ms, maxMs };
    },
  };
}

/** How far the votes agreed, over every criterion of every task that was put to the vote. */
export function createJudge({ judge }: EvalPlan): Fold<TaskResult, Pick<EvalReport, 'judge'>> {
  const agreements = createMean();
  return {
    add({ criteria = [] }) {
      for (const { agreement } of criteria) if (agreement !== undefined) agreements.add(agreement);
    },
    result: () =>
      judge ? { judge: { ...judge, ...(agreements.count > 0 && { agreement: agreements.result() }) } } : {},
  };
}

/** Answers that came from the response cache. */
export function createCacheHits(): Fold<TaskResult, number | undefined> {
  let hits: number | undefined;
  return {
    add({ cacheHits }) {
      hits = addKnown(hits, cacheHits);
    },
    result: () => hits,
  };
}
