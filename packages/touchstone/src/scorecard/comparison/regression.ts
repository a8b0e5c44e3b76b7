import type {
  AgentPin,
  EvalReport,
  Interval,
  ModelPin,
  ReportedRegression,
  ReportVerdict,
  RunId,
  TaskResult,
  Thresholds,
  Timestamp,
} from '@touchstone/protocol';
import { mean } from '../fold/aggregate.js';
import { createColumn } from '../fold/fold.js';
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
import { onCommonTasks, type SharedTasks } from './common-tasks.js';
import { createMoves, type Moves } from './moves.js';
import { type PairedFold, pairUp } from './paired-fold.js';
import { createRunSide, type RunSide } from './run-side.js';

/** What is known of the run that another one is held against. */
export type BaselineFacts = {
  readonly runId: RunId;
  readonly agent: Pick<AgentPin, 'agentId' | 'version' | 'digest'>;
  readonly model?: ModelPin;
  readonly endedAt: Timestamp;
  readonly imported?: boolean;
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
  before: BaselineFacts & ComparedResults,
  after: ComparedResults,
  options: RegressionOptions,
): ReportedRegression {
  const fold = createRegression(before, options);
  pairUp(fold, before.results, after.results);
  return fold.result();
}

/** The same, of results that come one after the other. */
export type RegressionFold = PairedFold<ReportedRegression> & {
  /** After minus before, of each task that both runs could score. */
  differences(): Float64Array;
};

export function createRegression(before: BaselineFacts, options: RegressionOptions): RegressionFold {
  const { shared, thresholds } = options;
  const fold = createPaired(before, options);
  return shared ? onCommonTasks(fold, shared, thresholds) : fold;
}

function createPaired(before: BaselineFacts, options: RegressionOptions): RegressionFold {
  const [earlier, later, moves] = [createRunSide(), createRunSide(), createMoves()];
  const differences = createColumn();
  let shared = 0;
  return {
    before: earlier.add,
    after: later.add,
    // Where either run could not score a task nothing is known of a difference: the 0 on the wire is not a score.
    pair(then, now) {
      if (then && now) shared += 1;
      if (!then || !now || then.unscored || now.unscored) return;
      differences.add(now.score - then.score);
      moves.add(then, now);
    },
    differences: differences.values,
    result: () => {
      const [was, is] = [earlier.result(), later.result()];
      return describeRegression(before, options, {
        was,
        is,
        differences: differences.values(),
        shared,
        moves: moves.result(),
      });
    },
  };
}

type PairFigures = {
  readonly was: RunSide;
  readonly is: RunSide;
  readonly differences: Float64Array;
  /** Tasks that both runs ran. */
  readonly shared: number;
  readonly moves: Moves;
};

function describeRegression(
  before: BaselineFacts,
  { tolerance, seed, otherJudge }: RegressionOptions,
  { was, is, differences, shared, moves }: PairFigures,
): ReportedRegression {
  const paired = differences.length;
  const { differing, pValue, verdict } = decideRegression(differences, { tolerance, seed });
  const detectable = smallestDetectableDrop(paired, varianceOf(differences), tolerance);
  return {
    baselineRunId: before.runId,
    baseline: describeBaseline(before, was.score),
    scoreDelta: is.score - was.score,
    interval: differenceInterval(differences, seed),
    pValue,
    mcnemarP: mcnemarP(moves.toFail.length, moves.toPass.length),
    verdict,
    tolerance,
    tasks: { paired, differing, unpaired: was.tasks + is.tasks - shared - paired },
    ...(detectable !== undefined && { smallestDetectableDrop: detectable }),
    ...moves,
    ...costsOf(was, is),
    ...(was.latency && is.latency && { latency: { before: was.latency, after: is.latency } }),
    ...(otherJudge && { otherJudge: true }),
  };
}

const costsOf = (was: RunSide, is: RunSide): Pick<ReportedRegression, 'cost'> =>
  was.costUsd === undefined || is.costUsd === undefined
    ? {}
    : { cost: { beforeUsd: was.costUsd, afterUsd: is.costUsd } };

/** How likely the comparison finds a drop, and what it would take to find half of the smallest one that it finds. */
export function detectionOf(
  differences: Float64Array,
  tolerance: number,
  smallest: number | undefined,
): Pick<EvalReport, 'power' | 'halfDrop'> {
  if (smallest === undefined) return {};
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
  differences: ArrayLike<number> & Iterable<number>,
  { tolerance, seed }: Pick<RegressionOptions, 'tolerance' | 'seed'>,
): Decision {
  let differing = 0;
  for (const one of differences) if (stepsOf(one) !== 0) differing += 1;
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

function varianceOf(values: Float64Array): number {
  const centre = mean(values);
  return mean(values.map((value) => (value - centre) ** 2));
}

/**
 * Differences lie between −1 and 1. Shrunk to the scale of a score they can be drawn like scores, and the ends stretched
 * back: a mean follows every shift and stretch of what it is the mean of, and so do its quantiles. What `meanInterval`
 * adds at the ends of its scale becomes half a task that got all better and half a task that got all worse.
 */
function differenceInterval(differences: Float64Array, seed: string): Interval {
  const [low, high] = meanInterval(
    differences.map((difference) => (difference + 1) / 2),
    seed,
  );
  const centre = mean(differences);
  return [Math.min(2 * low - 1, centre), Math.max(2 * high - 1, centre)];
}

function describeBaseline(
  { agent, model, endedAt, imported }: BaselineFacts,
  score: number,
): ReportedRegression['baseline'] {
  return {
    agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
    ...(model && { model }),
    score,
    endedAt,
    ...(imported && { imported: true }),
  };
}
