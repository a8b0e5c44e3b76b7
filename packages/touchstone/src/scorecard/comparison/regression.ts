import type {
  AgentPin,
  EvalReport,
  Interval,
  ModelPin,
  ReportedRegression,
  ReportVerdict,
  RunId,
  TaskId,
  TaskResult,
  Thresholds,
  Timestamp,
} from '@touchstone/protocol';
import { knownLatencies, mean, nearestRanks, sumKnown } from '../fold/aggregate.js';
import {
  ALPHA,
  FEWEST_DIFFERING,
  pairsToDetect,
  powerCurve,
  ROUNDING,
  smallestDetectableDrop,
} from '../statistics/detectable.js';
import { mcnemarP } from '../statistics/mcnemar.js';
import { meanInterval } from '../statistics/mean-interval.js';
import { signFlipP, stepsOf } from '../statistics/sign-flip.js';
import { commonResults, type SharedTasks, sharedFacts } from './common-tasks.js';
import { type Pair, pairResults } from './pair-results.js';

/** What is known of the run that another one is held against. */
export type BaselineFacts = {
  readonly runId: RunId;
  readonly agent: Pick<AgentPin, 'agentId' | 'version' | 'digest'>;
  readonly model?: ModelPin;
  readonly endedAt: Timestamp;
  readonly imported?: boolean;
  readonly results: readonly TaskResult[];
};

export type RegressionOptions = {
  readonly tolerance: number;
  /** Equal seeds give equal numbers: the digest of the suite. */
  readonly seed: string;
  readonly otherJudge?: boolean;
  /** Compare only what the two suites share, by the thresholds of the later one. */
  readonly shared?: SharedTasks | undefined;
  readonly thresholds?: Thresholds | undefined;
};

type ComparedResults = { readonly results: readonly TaskResult[] };

/** Holds a run against an earlier one, task by task. */
export function compareResults(
  before: BaselineFacts,
  after: ComparedResults,
  options: RegressionOptions,
): ReportedRegression {
  const { shared, thresholds } = options;
  if (!shared) return comparePaired(before, after, options);
  const both = commonResults({ before: before.results, after: after.results }, shared, thresholds);
  const compared = comparePaired({ ...before, results: both.before }, { results: both.after }, options);
  return { ...compared, tasks: { ...compared.tasks, ...sharedFacts(shared, both.after.length) } };
}

function comparePaired(
  before: BaselineFacts,
  after: ComparedResults,
  options: RegressionOptions,
): ReportedRegression {
  const { pairs, unpaired } = pairResults(before.results, after.results);
  const differences = pairs.map(({ difference }) => difference);
  const { differing, pValue, verdict } = decideRegression(differences, options);
  const detectable = smallestDetectableDrop(pairs.length, varianceOf(differences), options.tolerance);
  const sides = sidesChanged(pairs);
  return {
    baselineRunId: before.runId,
    baseline: describeBaseline(before),
    scoreDelta: meanScore(after.results) - meanScore(before.results),
    interval: differenceInterval(differences, options.seed),
    pValue,
    mcnemarP: mcnemarP(sides.toFail.length, sides.toPass.length),
    verdict,
    tolerance: options.tolerance,
    tasks: { paired: pairs.length, differing, unpaired },
    ...(detectable !== undefined && { smallestDetectableDrop: detectable }),
    ...sides,
    ...changesOf(pairs),
    ...costsOf(before.results, after.results),
    ...latenciesOf(before.results, after.results),
    ...(options.otherJudge && { otherJudge: true }),
  };
}

/** How likely the comparison finds a drop, and what it would take to find half of the smallest one that it finds. */
export function detectionOf(
  before: BaselineFacts,
  after: ComparedResults,
  { shared, thresholds, tolerance }: RegressionOptions,
  smallest: number | undefined,
): Pick<EvalReport, 'power' | 'halfDrop'> {
  if (smallest === undefined) return {};
  const both = shared
    ? commonResults({ before: before.results, after: after.results }, shared, thresholds)
    : { before: before.results, after: after.results };
  const differences = pairResults(both.before, both.after).pairs.map(({ difference }) => difference);
  const noise = varianceOf(differences);
  const drop = smallest / 2;
  // A drop within the tolerance is never called real, however many tasks there are.
  const tasks = drop > tolerance ? pairsToDetect(drop, noise, tolerance) : undefined;
  return {
    power: powerCurve(differences.length, noise, Math.min(1, 2 * smallest), tolerance),
    ...(tasks !== undefined && { halfDrop: { drop, tasks } }),
  };
}

type Decision = {
  readonly differing: number;
  readonly pValue: number;
  readonly verdict: ReportVerdict;
};

/**
 * A regression is real when chance alone would rarely make such a drop and the drop exceeds what is tolerated. Interval,
 * McNemar's test and the smallest detectable drop are shown beside it and decide nothing: one rule, one false-alarm rate.
 */
export function decideRegression(
  differences: readonly number[],
  { tolerance, seed }: Pick<RegressionOptions, 'tolerance' | 'seed'>,
): Decision {
  const differing = differences.reduce((count, one) => count + (stepsOf(one) === 0 ? 0 : 1), 0);
  const pValue = signFlipP(differences, seed);
  const isReal = pValue < ALPHA && -mean(differences) > tolerance + ROUNDING;
  return { differing, pValue, verdict: verdictOf(differences.length, differing, isReal) };
}

function verdictOf(paired: number, differing: number, isReal: boolean): ReportVerdict {
  // Without a single pair nothing stayed the same either: there was nothing to look at.
  if (paired === 0) return 'inconclusive';
  if (differing === 0) return 'pass';
  if (differing < FEWEST_DIFFERING) return 'inconclusive';
  return isReal ? 'fail' : 'pass';
}

const meanScore = (results: readonly TaskResult[]): number => mean(results.map(({ score }) => score));

function varianceOf(values: readonly number[]): number {
  const centre = mean(values);
  return mean(values.map((value) => (value - centre) ** 2));
}

/**
 * Differences lie between −1 and 1. Shrunk to the scale of a score they can be drawn like scores, and the ends stretched
 * back: a mean follows every shift and stretch of what it is the mean of, and so do its quantiles. What `meanInterval`
 * adds at the ends of its scale becomes half a task that got all better and half a task that got all worse.
 */
function differenceInterval(differences: readonly number[], seed: string): Interval {
  const [low, high] = meanInterval(
    differences.map((difference) => (difference + 1) / 2),
    seed,
  );
  const centre = mean(differences);
  return [Math.min(2 * low - 1, centre), Math.max(2 * high - 1, centre)];
}

function describeBaseline({
  agent,
  model,
  endedAt,
  imported,
  results,
}: BaselineFacts): ReportedRegression['baseline'] {
  return {
    agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
    ...(model && { model }),
    score: meanScore(results),
    endedAt,
    ...(imported && { imported: true }),
  };
}

function sidesChanged(pairs: readonly Pair[]): Pick<ReportedRegression, 'toFail' | 'toPass'> {
  const toFail: TaskId[] = [];
  const toPass: TaskId[] = [];
  for (const { before, after } of pairs)
    if (before.passed !== after.passed) (after.passed ? toPass : toFail).push(after.taskId);
  return { toFail, toPass };
}

const MOST_CHANGES = 1_000;

/** Compared in steps, so that drops of one size stay in suite order whatever the last digit of each says. */
function changesOf(pairs: readonly Pair[]): Pick<ReportedRegression, 'changes' | 'moreChanges'> {
  const moved = pairs
    .filter(({ difference }) => stepsOf(difference) !== 0)
    .sort((a, b) => stepsOf(a.difference) - stepsOf(b.difference));
  const more = moved.length - MOST_CHANGES;
  const changes = moved.slice(0, MOST_CHANGES).map(({ before, after }) => ({
    taskId: after.taskId,
    before: before.score,
    after: after.score,
  }));
  return { changes, ...(more > 0 && { moreChanges: more }) };
}

function costsOf(
  before: readonly TaskResult[],
  after: readonly TaskResult[],
): Pick<ReportedRegression, 'cost'> {
  const [beforeUsd, afterUsd] = [totalUsd(before), totalUsd(after)];
  return beforeUsd === undefined || afterUsd === undefined ? {} : { cost: { beforeUsd, afterUsd } };
}

/** A run with a call of unknown price does not know what it cost, and half a cost would look like a saving. */
function totalUsd(results: readonly TaskResult[]): number | undefined {
  if (results.some(({ unpriced }) => unpriced)) return undefined;
  return sumKnown(results.map(({ costUsd }) => costUsd));
}

function latenciesOf(
  before: readonly TaskResult[],
  after: readonly TaskResult[],
): Pick<ReportedRegression, 'latency'> {
  const [was, is] = [percentilesOf(before), percentilesOf(after)];
  return was && is ? { latency: { before: was, after: is } } : {};
}

function percentilesOf(results: readonly TaskResult[]) {
  const known = knownLatencies(results);
  const [p50Ms = 0, p95Ms = 0] = nearestRanks(known, [50, 95]);
  return known.length > 0 ? { p50Ms, p95Ms } : undefined;
}
