import type { Confusion } from '@touchstone/protocol';

/**
 * Cohen's kappa: agreement beyond what two raters with these habits would reach by chance. Written without the two shares
 * it is usually derived from, so that perfect agreement is exactly 1. Undefined when both say the same thing everywhere:
 * chance alone would agree as well, so nothing is shown.
 */
export function kappaOf({ tp, fp, fn, tn }: Confusion): number | undefined {
  const chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn);
  return chance === 0 ? undefined : (2 * (tp * tn - fp * fn)) / chance;
}
