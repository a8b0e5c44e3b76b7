import { defined, type Interval, type Look, type ReportVerdict, type TaskResult } from '@touchstone/protocol';
import { mean } from '../fold/aggregate.js';
import { ANYTIME_ALPHA, anytimeLower, anytimeUpper } from '../statistics/anytime.js';
import { decideVerdict } from '../statistics/decide-verdict.js';
import { stepsOf } from '../statistics/sign-flip.js';
import { pairResults } from './pair-results.js';

/** One round of an evaluation: a run of other tasks than the rounds before. */
type Round = Pick<Look, 'runId'> & { readonly results: readonly TaskResult[] };

type LookOptions = {
  /** What the score has to reach. */
  readonly bar: number;
  /** The results of the run to compare with. */
  readonly against?: readonly TaskResult[] | undefined;
  /** A drop up to this is no regression. */
  readonly tolerance: number;
};

/**
 * What is known after each round. The intervals are right at all looks at once, so looking often and stopping at the
 * first verdict does not raise the rate of wrong verdicts (`statistics/anytime.ts`).
 */
export function lookAfterEach(rounds: readonly Round[], options: LookOptions): readonly Look[] {
  const looks: Look[] = [];
  const results: TaskResult[] = [];
  for (const round of rounds) {
    results.push(...round.results);
    looks.push(lookAt(round.runId, results, options, looks.at(-1)));
  }
  return looks;
}

function lookAt(
  runId: Look['runId'],
  results: readonly TaskResult[],
  { bar, against, tolerance }: LookOptions,
  before: Look | undefined,
): Look {
  const interval = within(before?.interval, scoreInterval(results));
  return {
    runId,
    tasks: results.length,
    unscored: results.filter(({ unscored }) => unscored).length,
    score: mean(results.map(({ score }) => score)),
    interval,
    verdict: decideVerdict(interval, bar),
    ...defined({ regression: against && compareAt(results, against, tolerance, before?.regression) }),
  };
}

/** A verdict cannot be taken back: what would make the command fail is enough, otherwise every question must be answered. */
export function isDecided({ verdict, regression }: Look): boolean {
  const answers = [verdict, ...(regression ? [regression.verdict] : [])];
  return answers.includes('fail') || !answers.includes('inconclusive');
}

/** What an unscored task would have scored is not known, so each end takes the worst for it. */
function scoreInterval(results: readonly TaskResult[]): Interval {
  const scoresWith = (assumed: number) => results.map(({ score, unscored }) => (unscored ? assumed : score));
  const tail = ANYTIME_ALPHA / 2;
  return [anytimeLower(scoresWith(0), tail), anytimeUpper(scoresWith(1), tail)];
}

/** What an earlier look has excluded stays excluded. Where nothing would be left, chance has made one of them wrong. */
function within(earlier: Interval | undefined, [low, high]: Interval): Interval {
  const narrow: Interval = [Math.max(low, earlier?.[0] ?? low), Math.min(high, earlier?.[1] ?? high)];
  return narrow[0] <= narrow[1] ? narrow : [low, high];
}

function compareAt(
  results: readonly TaskResult[],
  against: readonly TaskResult[],
  tolerance: number,
  before: LookRegression | undefined,
): LookRegression {
  const differences = pairResults(against, results).pairs.map(({ difference }) => difference);
  const shares = differences.map((difference) => (difference + 1) / 2);
  const tail = ANYTIME_ALPHA / 2;
  const bounds: Interval = [2 * anytimeLower(shares, tail) - 1, 2 * anytimeUpper(shares, tail) - 1];
  const scoreDelta = mean(differences);
  return {
    paired: differences.length,
    differing: differences.filter((difference) => stepsOf(difference) !== 0).length,
    scoreDelta,
    interval: within(before?.interval, bounds),
    verdict: decideDrop(shares, scoreDelta, tolerance),
  };
}

type LookRegression = NonNullable<Look['regression']>;

/** One-sided on either side, as the test of two whole runs is. */
function decideDrop(shares: readonly number[], delta: number, tolerance: number): ReportVerdict {
  if (2 * anytimeUpper(shares) - 1 < 0 && -delta > tolerance) return 'fail';
  return tolerance > 0 && 2 * anytimeLower(shares) - 1 >= -tolerance ? 'pass' : 'inconclusive';
}
