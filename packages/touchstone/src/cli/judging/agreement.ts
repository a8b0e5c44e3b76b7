/** How often one saw met what the other saw met, and the other three cases. The first rater is the one held to be right. */
export type Confusion = {
  /** Both: met. */
  readonly tp: number;
  /** Only the second: met. */
  readonly fp: number;
  /** Only the first: met. */
  readonly fn: number;
  /** Neither: met. */
  readonly tn: number;
};

/** Two verdicts on one thing. */
export type Pair = { readonly first: boolean; readonly second: boolean };

export function confusionOf(pairs: Iterable<Pair>): Confusion {
  const counts = { tp: 0, fp: 0, fn: 0, tn: 0 };
  for (const { first, second } of pairs) counts[first ? (second ? 'tp' : 'fn') : second ? 'fp' : 'tn'] += 1;
  return counts;
}

export const sizeOf = ({ tp, fp, fn, tn }: Confusion): number => tp + fp + fn + tn;

/** The share of equal verdicts; undefined when there is none to compare. */
export function agreementOf(confusion: Confusion): number | undefined {
  const size = sizeOf(confusion);
  return size === 0 ? undefined : (confusion.tp + confusion.tn) / size;
}

/**
 * Cohen's kappa: agreement beyond what two raters with these habits would reach by chance. Written without the two shares
 * it is usually derived from, so that perfect agreement is exactly 1. Undefined when both say the same thing everywhere:
 * chance alone would agree as well, so nothing is shown.
 */
export function kappaOf({ tp, fp, fn, tn }: Confusion): number | undefined {
  const chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn);
  return chance === 0 ? undefined : (2 * (tp * tn - fp * fn)) / chance;
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
