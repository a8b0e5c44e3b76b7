import type { TaskPair } from '@touchstone/protocol';

/** Which way a task crossed its threshold, when it did. */
export function flipOf({
  before,
  after,
}: Pick<TaskPair, 'before' | 'after'>): 'passes' | 'fails' | undefined {
  if (!before || !after || before.unscored || after.unscored || before.passed === after.passed)
    return undefined;
  return after.passed ? 'passes' : 'fails';
}

const READINGS: readonly (readonly [number, string])[] = [
  [0, 'worse than chance'],
  [0.2, 'slight'],
  [0.4, 'fair'],
  [0.6, 'moderate'],
  [0.8, 'substantial'],
];

/** Kappa in a plain word, after the scale of Landis and Koch. */
export function kappaWords(kappa: number | undefined): string {
  if (kappa === undefined) return 'undefined: all verdicts are the same, which chance explains as well';
  if (kappa === 0) return 'no better than chance';
  return READINGS.find(([below]) => kappa < below)?.[1] ?? 'almost perfect';
}
