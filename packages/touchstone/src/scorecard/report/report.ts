import {
  caveatsOf,
  defined,
  type EvalPlan,
  type EvalReport,
  type HeadlineFigures,
  isNondeterministic,
  type RunId,
  type TaskId,
  type TaskResult,
  type Thresholds,
  type UnscoredReason,
} from '@touchstone/protocol';
import { correctScore, type LabelDifferences } from '../calibration/corrected-score.js';
import type { SharedTasks } from '../comparison/common-tasks.js';
import {
  type BaselineFacts,
  compareResults,
  detectionOf,
  type RegressionOptions,
} from '../comparison/regression.js';
import { adjust, type GivenOverride, type KindOf } from '../fold/adjusted.js';
import { knownLatencies, mean, nearestRank, nearestRanks, sumKnown } from '../fold/aggregate.js';
import { DEFAULT_PASS_SCORE } from '../fold/build.js';
import { decideVerdict } from '../statistics/decide-verdict.js';
import { meanInterval } from '../statistics/mean-interval.js';
import { passRateInterval } from '../statistics/wilson.js';
import { reportCriteria, reportFindings, reportRepeats } from './report-parts.js';
import { reportSlices } from './slices.js';

export type ReportFacts = {
  readonly runId: RunId;
  readonly plan: EvalPlan;
  readonly thresholds?: Thresholds;
};

/** What is known beside the run itself: the run it is held against, and what people said of its scores. */
export type ReportExtras = {
  readonly baseline?: BaselineFacts & {
    readonly otherJudge?: boolean;
    /** Only these tasks are compared; the suites may differ. */
    readonly shared?: SharedTasks;
  };
  /** Every override ever given, oldest first. */
  readonly overrides?: readonly GivenOverride[];
  readonly kindOf?: KindOf;
  /** What labels of people make of the tasks that they are about. */
  readonly labels?: LabelDifferences;
};

/** Builds the report of a completed run from the results in the log, in suite order. Keeps no counters of its own. */
export function buildReport(
  facts: ReportFacts,
  results: readonly TaskResult[],
  extras: ReportExtras = {},
): EvalReport {
  const { runId, plan, thresholds } = facts;
  const { baseline, overrides = [], kindOf, labels } = extras;
  const { suiteId, version, digest } = plan.suite;
  const aggregate = aggregateOf(plan, thresholds, results);
  const cacheHits = sumKnown(results.map((result) => result.cacheHits));
  return {
    runId,
    suite: { ref: `${suiteId}@${version}`, digest },
    agent: { agentId: plan.agent.agentId, version: plan.agent.version, digest: plan.agent.digest },
    ...(plan.model && { model: plan.model }),
    modes: plan.modes,
    tasks: tasksOf(plan, results),
    aggregate,
    verdict: decideVerdict(aggregate.interval, aggregate.bar),
    ...adjust(results, thresholds, overrides, kindOf),
    ...defined({
      corrected: labels && correctScore(results, labels, { bar: aggregate.bar, seed: digest }),
    }),
    ...(baseline && reportRegression(facts, results, baseline)),
    ...reportCriteria(results),
    ...reportRepeats(plan.repeats, thresholds, results),
    ...reportFindings(results),
    cost: costOf(results),
    latency: latencyOf(results),
    ...judgeOf(plan, results),
    ...(plan.safetyJudge && { safetyJudge: plan.safetyJudge }),
    ...defined({ simulatedUser: plan.simulatedUser, scorers: plan.scorers }),
    ...caveatsOf(plan),
    ...(plan.rejudgeOf && { rejudgeOf: plan.rejudgeOf }),
    ...(cacheHits && { cacheHits }),
    ...(isNondeterministic(plan) && { nondeterministic: true }),
    ...defined({ timed: plan.timed }),
    ...reportSlices(results, baseline && comparableIn(baseline)),
  };
}

/** The few figures of a report that are kept beside a run. */
export function buildFigures(
  facts: ReportFacts,
  results: readonly TaskResult[],
  baseline?: Baseline,
): HeadlineFigures {
  const { interval } = aggregateOf(facts.plan, facts.thresholds, results);
  const known = knownLatencies(results);
  const regression = baseline && compareResults(baseline, { results }, regressionOptions(facts, baseline));
  return {
    interval,
    ...(known.length > 0 && { p95Ms: nearestRank(known, 95) }),
    ...(regression && { regression: { scoreDelta: regression.scoreDelta, verdict: regression.verdict } }),
  };
}

type Baseline = NonNullable<ReportExtras['baseline']>;

function reportRegression(
  facts: ReportFacts,
  results: readonly TaskResult[],
  baseline: Baseline,
): Pick<EvalReport, 'regression' | 'power' | 'halfDrop'> {
  const options = regressionOptions(facts, baseline);
  const regression = compareResults(baseline, { results }, options);
  const { smallestDetectableDrop: smallest } = regression;
  return { regression, ...detectionOf(baseline, { results }, options, smallest) };
}

/** The digest of the suite seeds the chance in the comparison. */
const regressionOptions = (
  { plan: { tolerance = 0, suite }, thresholds }: ReportFacts,
  { otherJudge = false, shared }: Baseline,
): RegressionOptions => ({ tolerance, seed: suite.digest, otherJudge, shared, thresholds });

/** A task that asks something else now is no measure of a difference. */
const comparableIn = ({ results, shared }: Baseline): readonly TaskResult[] =>
  shared ? results.filter(({ taskId }) => shared.common.has(taskId)) : results;

function tasksOf(plan: EvalPlan, results: readonly TaskResult[]): EvalReport['tasks'] {
  const unscoredTasks: { taskId: TaskId; reason: UnscoredReason }[] = [];
  for (const { taskId, unscored } of results) if (unscored) unscoredTasks.push({ taskId, reason: unscored });
  return {
    total: plan.totalTasks,
    selected: results.length,
    passed: countPassed(results),
    unscored: unscoredTasks.length,
    ...(unscoredTasks.length > 0 && { unscoredTasks }),
  };
}

/**
 * Score and pass rate are those of the scorecard, where an unscored task is a 0. What it would have scored is not known,
 * so the intervals reach from all of these at 0 to all of them at 1: an unreachable judge does not count as a failure.
 */
function aggregateOf(
  { suite }: EvalPlan,
  thresholds: Thresholds | undefined,
  results: readonly TaskResult[],
): EvalReport['aggregate'] {
  const score = mean(results.map((result) => result.score));
  const passed = countPassed(results);
  const open = results.filter((result) => result.unscored).length;
  const worst = meanInterval(scoresWith(results, 0), suite.digest);
  const best = open > 0 ? meanInterval(scoresWith(results, 1), suite.digest) : worst;
  return {
    score,
    interval: [Math.min(worst[0], score), Math.max(best[1], score)],
    passRate: passed / Math.max(1, results.length),
    passRateInterval: passRateInterval(passed, open, results.length),
    bar: thresholds?.passScore ?? DEFAULT_PASS_SCORE,
  };
}

const scoresWith = (results: readonly TaskResult[], assumed: number): readonly number[] =>
  results.map(({ score, unscored }) => (unscored ? assumed : score));

const countPassed = (results: readonly TaskResult[]): number =>
  results.reduce((count, result) => count + (result.passed ? 1 : 0), 0);

function costOf(results: readonly TaskResult[]): EvalReport['cost'] {
  const agentUsd = sumKnown(results.map(agentUsdOf));
  const judgeUsd = sumKnown(results.map((result) => result.judgeUsd));
  const simulatedUserUsd = sumKnown(results.map((result) => result.simulatedUserUsd));
  const unpriced = sumKnown(results.map((result) => result.unpriced));
  return {
    ...defined({ agentUsd, judgeUsd, simulatedUserUsd }),
    ...(unpriced && { unpriced }),
  };
}

/** A result knows the whole and the parts of judge and user. Where these are the whole, the agent named no cost. */
function agentUsdOf({ costUsd, judgeUsd, simulatedUserUsd }: TaskResult): number | undefined {
  const others = sumKnown([judgeUsd, simulatedUserUsd]);
  if (costUsd === undefined || others === undefined) return costUsd;
  return costUsd > others ? costUsd - others : undefined;
}

function latencyOf(results: readonly TaskResult[]): EvalReport['latency'] {
  const [p50Ms = 0, p95Ms = 0, maxMs = 0] = nearestRanks(knownLatencies(results), [50, 95, 100]);
  return { p50Ms, p95Ms, maxMs };
}

/** How far the votes agreed, over every criterion of every task that was put to the vote. */
function judgeOf({ judge }: EvalPlan, results: readonly TaskResult[]): Pick<EvalReport, 'judge'> {
  if (!judge) return {};
  const agreements = results.flatMap(({ criteria = [] }) =>
    criteria.flatMap(({ agreement }) => (agreement === undefined ? [] : [agreement])),
  );
  return { judge: { ...judge, ...(agreements.length > 0 && { agreement: mean(agreements) }) } };
}
