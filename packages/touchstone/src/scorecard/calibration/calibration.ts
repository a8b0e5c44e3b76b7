import { type CalibrationLabel, type Confusion, defined, type JudgeCalibration } from '@touchstone/protocol';
import { kappaInterval } from '../statistics/kappa-interval.js';
import { wilsonInterval } from '../statistics/wilson.js';
import { agreementOn, confusionOf, type VerdictPair } from './agreement.js';
import { groupBy } from './group-by.js';

/** Which labels count. */
export type CalibrationFilter = {
  /** Only those given before the judge was seen. */
  readonly blindOnly?: boolean;
  /** Only verdicts that the judge gave then or later. */
  readonly since?: number;
  /** Whose labels do not count. */
  readonly notBy?: string;
};

/** One criterion of one answer that people decided, and a judge. */
export type CountedLabel = Pick<CalibrationLabel, 'task' | 'answer' | 'criterion' | 'person' | 'judge'> & {
  readonly blind: boolean;
};
type Calibration = Omit<JudgeCalibration, 'judge' | 'suite' | 'digest'> & {
  /** In an order that does not depend on that of the labels. */
  readonly counted: readonly CountedLabel[];
};

/**
 * What labels show of one judge. The same answer counts once for a criterion: many labels about it are not more evidence.
 * Where people differ about it the majority counts, and where they are divided nothing does.
 */
export function foldCalibration(
  labels: readonly CalibrationLabel[],
  { blindOnly = false, since = 0, notBy }: CalibrationFilter = {},
): Calibration {
  const admitted = labels.filter(
    ({ seen, judgedAt, by }) => !(blindOnly && seen) && judgedAt >= since && by !== notBy,
  );
  const groups = groupBy(admitted, ({ answer, criterion }) => `${answer} ${criterion}`);
  const decided = [...groups].flatMap(([key, group]) => {
    const one = decide(group);
    return one ? [{ key, group, ...one }] : [];
  });
  decided.sort((a, b) => (a.key < b.key ? -1 : 1));
  const counted = decided.map(({ key: _key, group: _group, ...one }) => one);
  const used = decided.flatMap(({ group }) => group);
  return {
    n: counted.length,
    blind: counted.filter(({ blind }) => blind).length,
    reviewers: new Set(used.filter(({ by }) => !isUnnamed(by)).map(({ by }) => by)).size,
    ...figuresOf(counted),
    ...timesOf(used),
    counted,
  };
}

/** What a label of a file has in place of a name that the file does not give. */
export const unnamedLabel = (line: number): string => `line ${line}`;
const isUnnamed = (by: string): boolean => /^line \d+$/.test(by);

/** The majority of people, each by the latest label; and what the judge said last. */
function decide(group: readonly CalibrationLabel[]): CountedLabel | undefined {
  const voices = new Map<string, CalibrationLabel>();
  for (const label of group.toSorted((a, b) => a.at - b.at)) voices.set(label.by, label);
  const met = [...voices.values()].filter(({ person }) => person).length;
  if (met * 2 === voices.size) return undefined;
  const newest = group.reduce((last, one) => (one.judgedAt > last.judgedAt ? one : last));
  const { task, answer, criterion, judge } = newest;
  const blind = [...voices.values()].every(({ seen }) => !seen);
  return { task, answer, criterion, person: met * 2 > voices.size, judge, blind };
}

const pairOf = ({ person, judge }: CountedLabel): VerdictPair => ({ first: person, second: judge });

function figuresOf(counted: readonly CountedLabel[]) {
  const { confusion, ...figures } = agreementOn(counted.map(pairOf));
  if (counted.length === 0) return { confusion };
  const interval = wilsonInterval(confusion.tp + confusion.tn, counted.length);
  return { confusion, ...figures, interval, ...kappaFigures(counted, figures.kappa) };
}

/** Where kappa is undefined, so is its interval: labels of one kind alone show nothing. */
const kappaFigures = (counted: readonly CountedLabel[], kappa: number | undefined) =>
  kappa === undefined ? {} : { kappaInterval: kappaInterval(tablesOf(counted)) };

/** One table for each task. */
const tablesOf = (counted: readonly CountedLabel[]): readonly Confusion[] =>
  [...groupBy(counted, ({ task }) => task).values()].map((group) => confusionOf(group.map(pairOf)));

function timesOf(used: readonly CalibrationLabel[]): Pick<JudgeCalibration, 'oldestAt' | 'newestAt'> {
  if (used.length === 0) return {};
  const at = (ms: number): string => new Date(ms).toISOString();
  const times = used.map(({ judgedAt }) => judgedAt);
  return defined({
    oldestAt: at(times.reduce((a, b) => Math.min(a, b))),
    newestAt: at(times.reduce((a, b) => Math.max(a, b))),
  });
}
