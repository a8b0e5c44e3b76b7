import type { Agreement, Confusion } from '@touchstone/protocol';
import { defined } from '@touchstone/protocol';
import { kappaOf } from './kappa.js';

/** Two verdicts on one thing. */
export type VerdictPair = { readonly first: boolean; readonly second: boolean };

export function confusionOf(pairs: Iterable<VerdictPair>): Confusion {
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

/** The table of two raters' verdicts with what it shows. */
export function agreementOn(pairs: Iterable<VerdictPair>): Agreement {
  const confusion = confusionOf(pairs);
  const agreement = agreementOf(confusion);
  const kappa = kappaOf(confusion);
  return {
    confusion,
    ...defined({ agreement, kappa }),
  };
}
