import {
  caveatsOf,
  defined,
  type EvalPlan,
  type EvalReport,
  type HeadlineFigures,
  isNondeterministic,
  type RunId,
  type TaskResult,
  type Thresholds,
} from '@touchstone/protocol';
import { createCorrection, type LabelDifferences } from '../calibration/corrected-score.js';
import type { SharedTasks } from '../comparison/common-tasks.js';
import { type PairedFold, pairUp } from '../comparison/paired-fold.js';
import {
  type BaselineFacts,
  createRegression,
  detectionOf,
  type RegressionFold,
  type RegressionOptions,
} from '../comparison/regression.js';
import { createAdjusted, type GivenOverride, type KindOf } from '../fold/adjusted.js';
import { createLatencies, nearestRank } from '../fold/aggregate.js';
import { DEFAULT_PASS_SCORE } from '../fold/build.js';
import { decideVerdict } from '../statistics/decide-verdict.js';
import { createCriteria, createFindings, createRepeats } from './report-parts.js';
import {
  createAggregate,
  createCacheHits,
  createCosts,
  createJudge,
  createLatency,
  createTasks,
} from './report-totals.js';
import { createSlices } from './slices.js';

export type ReportFacts = {
  readonly runId: RunId;
  readonly plan: EvalPlan;
  readonly thresholds?: Thresholds;
};

/** The run that another one is held against. */
export type Baseline = BaselineFacts & {
  readonly otherJudge?: boolean;
  /** Only these tasks are compared; the suites may differ. */
  readonly shared?: SharedTasks;
};
type WithResults = { readonly results: readonly TaskResult[] };

/** What is known beside the run itself: the run it is held against, and what people said of its scores. */
export type ReportExtras<B = Baseline> = {
  readonly baseline?: B;
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
  extras: ReportExtras<Baseline & WithResults> = {},
): EvalReport {
  const fold = createReport(facts, extras);
  pairUp(fold, extras.baseline?.results ?? [], results);
  return fold.result();
}

/** The same, of results that come one after the other, with those of the baseline if there is one. */
export function createReport(facts: ReportFacts, extras: ReportExtras): PairedFold<EvalReport> {
  const folds = reportFolds(facts, extras);
  const { slices, regression } = folds;
  const single = Object.values(folds.single);
  const isCompared = comparedIn(extras.baseline);
  return {
    before: (result) => regression?.before(result),
    after(result) {
      for (const fold of single) fold.add(result);
      slices.add(result);
      regression?.after(result);
    },
    pair(before, after) {
      regression?.pair(before, after);
      if (before && isCompared(before)) slices.pair(before, after);
    },
    result: () => describeReport(facts, folds),
  };
}

type ReportFolds = ReturnType<typeof reportFolds>;

function reportFolds(facts: ReportFacts, { baseline, overrides = [], kindOf, labels }: ReportExtras) {
  const { plan, thresholds } = facts;
  const bar = thresholds?.passScore ?? DEFAULT_PASS_SCORE;
  return {
    single: {
      tasks: createTasks(plan),
      aggregate: createAggregate(plan, thresholds),
      adjusted: createAdjusted(thresholds, overrides, kindOf),
      criteria: createCriteria(),
      repeats: createRepeats(plan.repeats, thresholds),
      findings: createFindings(),
      cost: createCosts(),
      latency: createLatency(),
      judge: createJudge(plan),
      cacheHits: createCacheHits(),
      ...(labels && { corrected: createCorrection(labels, { bar, seed: plan.suite.digest }) }),
    },
    slices: createSlices(),
    regression: baseline && createRegression(baseline, regressionOptions(facts, baseline)),
  };
}

/** A task that asks something else now is no measure of a difference. */
const comparedIn = (baseline: Baseline | undefined): ((result: TaskResult) => boolean) =>
  baseline?.shared ? ({ taskId }) => baseline.shared?.common.has(taskId) === true : () => true;

function describeReport(facts: ReportFacts, { single, slices, regression }: ReportFolds): EvalReport {
  const { runId, plan } = facts;
  const { suiteId, version, digest } = plan.suite;
  const aggregate = single.aggregate.result();
  const cacheHits = single.cacheHits.result();
  return {
    runId,
    suite: { ref: `${suiteId}@${version}`, digest },
    agent: { agentId: plan.agent.agentId, version: plan.agent.version, digest: plan.agent.digest },
    ...(plan.model && { model: plan.model }),
    modes: plan.modes,
    tasks: single.tasks.result(),
    aggregate,
    verdict: decideVerdict(aggregate.interval, aggregate.bar),
    ...single.adjusted.result(),
    ...defined({ corrected: single.corrected?.result() }),
    ...(regression && reportRegression(regression, plan)),
    ...single.criteria.result(),
    ...single.repeats.result(),
    ...single.findings.result(),
    cost: single.cost.result(),
    latency: single.latency.result(),
    ...single.judge.result(),
    ...(plan.safetyJudge && { safetyJudge: plan.safetyJudge }),
    ...defined({ simulatedUser: plan.simulatedUser, scorers: plan.scorers }),
    ...caveatsOf(plan),
    ...(plan.rejudgeOf && { rejudgeOf: plan.rejudgeOf }),
    ...(cacheHits && { cacheHits }),
    ...(isNondeterministic(plan) && { nondeterministic: true }),
    ...defined({ timed: plan.timed }),
    ...slices.result(),
  };
}

/** The few figures of a report that are kept beside a run. */
export function buildFigures(
  facts: ReportFacts,
  results: readonly TaskResult[],
  baseline?: Baseline & WithResults,
): HeadlineFigures {
  const fold = createHeadlineFigures(facts, baseline);
  pairUp(fold, baseline?.results ?? [], results);
  return fold.result();
}

export function createHeadlineFigures(facts: ReportFacts, baseline?: Baseline): PairedFold<HeadlineFigures> {
  const aggregate = createAggregate(facts.plan, facts.thresholds);
  const latencies = createLatencies();
  const regression = baseline && createRegression(baseline, regressionOptions(facts, baseline));
  return {
    before: (result) => regression?.before(result),
    after(result) {
      aggregate.add(result);
      latencies.add(result);
      regression?.after(result);
    },
    pair: (before, after) => regression?.pair(before, after),
    result() {
      const { interval } = aggregate.result();
      const known = latencies.result();
      const found = regression?.result();
      return {
        interval,
        ...(known.length > 0 && { p95Ms: nearestRank(known, 95) }),
        ...(found && { regression: { scoreDelta: found.scoreDelta, verdict: found.verdict } }),
      };
    },
  };
}

function reportRegression(
  fold: RegressionFold,
  { tolerance = 0 }: EvalPlan,
): Pick<EvalReport, 'regression' | 'power' | 'halfDrop'> {
  const regression = fold.result();
  const { smallestDetectableDrop: smallest } = regression;
  return { regression, ...detectionOf(fold.differences(), tolerance, smallest) };
}

/** The digest of the suite seeds the chance in the comparison. */
const regressionOptions = (
  { plan: { tolerance = 0, suite }, thresholds }: ReportFacts,
  { otherJudge = false, shared }: Baseline,
): RegressionOptions => ({ tolerance, seed: suite.digest, otherJudge, shared, thresholds });
