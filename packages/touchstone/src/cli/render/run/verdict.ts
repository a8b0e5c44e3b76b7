import { areBarsMet, exitOf, type RunView } from '../../verbs/run/result.js';
import type { Ink } from '../ink.js';

export type Verdict = { readonly word: string; readonly paint: keyof Pick<Ink, 'red' | 'green' | 'yellow'> };

export const INCONCLUSIVE = 'INCONCLUSIVE';

/** The one word for a run. It follows the exit code, so what a person reads and what a script sees cannot differ. */
export function verdictOf(result: RunView): Verdict {
  switch (exitOf(result)) {
    case 0:
      return { word: 'PASS', paint: 'green' };
    case 1:
      return { word: isGood(result) ? 'REGRESSION' : 'FAIL', paint: 'red' };
    case 4:
      return { word: 'OVER BUDGET', paint: 'yellow' };
    case 130:
      return { word: 'INTERRUPTED', paint: 'yellow' };
    default:
      return { word: unjudgedWord(result), paint: 'yellow' };
  }
}

/** By itself, whatever it was compared with. */
const isGood = (result: RunView): boolean => areBarsMet(result) && result.contract?.verdict !== 'fail';

function unjudgedWord(result: RunView): string {
  if (result.status === 'cancelled') return 'CANCELLED';
  if (result.status === 'failed') return 'RUN FAILED';
  if (result.status !== 'completed') return result.status.toUpperCase();
  const isJudged = result.summary && result.counts.unscored === 0 && result.contract?.verdict !== 'error';
  return result.conclusive && isJudged ? INCONCLUSIVE : 'NOT JUDGED';
}
