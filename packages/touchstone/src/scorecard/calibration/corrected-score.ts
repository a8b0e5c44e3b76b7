import type { Interval, ReportedCorrection, TaskId, TaskResult } from '@touchstone/protocol';
import { createMean } from '../fold/aggregate.js';
import { type Fold, foldAll } from '../fold/fold.js';
import { decideVerdict } from '../statistics/decide-verdict.js';
import { drawGamma } from '../statistics/gamma.js';
import { createRandom } from '../statistics/random.js';

/** Fewer labels say nothing about a judge. */
const FEWEST_LABELLED = 10;
/** Both what the judge let pass and what it did not must have been looked at. */
const FEWEST_IN_STRATUM = 5;

const RESAMPLES = 2_000;
const TAIL = 0.025;
/** Half a task at each end of the scale, as in the interval of the score itself. */
const PRIOR = 0.5;

/** What labels of people make of a task's score: theirs minus the judge's. */
export type LabelDifferences = ReadonlyMap<TaskId, number>;

type CorrectionOptions = {
  /** What the score has to reach. */
  readonly bar: number;
  /** Equal seeds give equal numbers: the digest of the suite. */
  readonly seed: string;
};

/** Tasks on which the judge could be wrong alike, those with labels apart. Equal ones are counted, and drawn as one. */
type Stratum = {
  readonly scores: readonly Group[];
  readonly labelled: readonly LabelledGroup[];
};
type Group = { readonly score: number; size: number };
type LabelledGroup = Group & { readonly difference: number };

export const correctScore = (
  results: Iterable<TaskResult>,
  differences: LabelDifferences,
  options: CorrectionOptions,
): ReportedCorrection | undefined => foldAll(createCorrection(differences, options), results);

/**
 * The score with the judge's error taken into account: the mean of all scores plus what people, on the tasks that they
 * labelled, would have added (prediction-powered inference). Passed and failed tasks are corrected apart, because reviewers
 * look at failures more often. Undefined when there are too few labels, or a task has no score.
 */
export function createCorrection(
  differences: LabelDifferences,
  { bar, seed }: CorrectionOptions,
): Fold<TaskResult, ReportedCorrection | undefined> {
  const all = createMean();
  const known = createGroups();
  const [passed, failed] = [createStratum(differences), createStratum(differences)];
  let isOpen = false;
  return {
    add(result) {
      all.add(result.score);
      if (result.unscored) isOpen = true;
      if (result.judge === undefined) known.add(result.score);
      else (result.passed ? passed : failed).add(result);
    },
    result() {
      const strata = [passed.result(), failed.result()].filter((one) => tasksIn(one) > 0);
      const labelled = strata.reduce((sum, one) => sum + sizeOf(one.labelled), 0);
      const isEnough =
        labelled >= FEWEST_LABELLED && strata.every((one) => sizeOf(one.labelled) >= FEWEST_IN_STRATUM);
      if (!isEnough || isOpen) return undefined;
      const raw = all.result();
      const added = strata.map((one) => (tasksIn(one) / all.count) * differenceIn(one));
      const interval = drawInterval(known.result(), strata, `${seed} ${raw} ${labelled}`);
      return {
        score: clamp(raw + added.reduce((sum, one) => sum + one, 0)),
        interval,
        verdict: decideVerdict(interval, bar),
        labelled,
        judged: strata.reduce((sum, one) => sum + tasksIn(one), 0),
      };
    },
  };
}

function createStratum(differences: LabelDifferences): Fold<TaskResult, Stratum> {
  const labelled = new Map<string, LabelledGroup>();
  const others = createGroups();
  return {
    add({ taskId, score }) {
      const difference = differences.get(taskId);
      if (difference === undefined) return others.add(score);
      const key = `${score} ${difference}`;
      const group = labelled.get(key) ?? { score, difference, size: 0 };
      group.size += 1;
      labelled.set(key, group);
    },
    result: () => ({ scores: others.result(), labelled: [...labelled.values()] }),
  };
}

const sizeOf = (groups: readonly Group[]): number => groups.reduce((sum, { size }) => sum + size, 0);
const tasksIn = ({ scores, labelled }: Stratum): number => sizeOf(scores) + sizeOf(labelled);
const differenceIn = ({ labelled }: Stratum): number =>
  labelled.reduce((sum, { difference, size }) => sum + difference * size, 0) / sizeOf(labelled);
const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** Rubin's bootstrap, as for the score itself: weights are drawn for tasks, and a labelled task has one weight in both parts. */
function drawInterval(known: readonly Group[], strata: readonly Stratum[], seed: string): Interval {
  const random = createRandom(seed);
  const means = Float64Array.from({ length: RESAMPLES }, () => clamp(resample(known, strata, random))).sort();
  const skipped = RESAMPLES * TAIL;
  return [means[skipped - 1] as number, means[RESAMPLES - skipped] as number];
}

/** Equal scores are drawn as one. Bands of 1/256 bound the work where all differ. */
function createGroups(): Fold<number, readonly Group[]> {
  const groups = new Map<number, Group>();
  return {
    add(given) {
      const score = Math.round(given * 256) / 256;
      const group = groups.get(score) ?? { score, size: 0 };
      group.size += 1;
      groups.set(score, group);
    },
    result: () => [...groups.values()],
  };
}

function resample(known: readonly Group[], strata: readonly Stratum[], random: () => number): number {
  const all = drawn(known, random);
  add(all, 0, drawGamma(PRIOR, random));
  add(all, 1, drawGamma(PRIOR, random));
  for (const { scores, labelled } of strata) {
    const part = drawn(scores, random);
    const error = { sum: 0, weight: 0 };
    for (const { score, difference, size } of labelled) {
      const weight = drawGamma(size, random);
      add(part, score, weight);
      add(error, difference, weight);
    }
    // What people would have said of one more task is anything from 0 to 1.
    const centre = part.sum / part.weight;
    add(error, -centre, drawGamma(PRIOR, random));
    add(error, 1 - centre, drawGamma(PRIOR, random));
    all.sum += part.sum + part.weight * (error.sum / error.weight);
    all.weight += part.weight;
  }
  return all.sum / all.weight;
}

type Sum = { sum: number; weight: number };

function add(total: Sum, value: number, weight: number): void {
  total.sum += value * weight;
  total.weight += weight;
}

function drawn(groups: readonly Group[], random: () => number): Sum {
  const total = { sum: 0, weight: 0 };
  for (const { score, size } of groups) add(total, score, drawGamma(size, random));
  return total;
}
