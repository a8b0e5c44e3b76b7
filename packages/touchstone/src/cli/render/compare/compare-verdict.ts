import type { ReportedRegression, RunComparison } from '@touchstone/protocol';
import { changeCertainty, regressionWords } from '@touchstone/sdk/view';
import { type Look, wrap } from '../text.js';

/** The verdict in the words of a scorecard, and how sure it is; or why there is none. */
export function verdictLines({ regression, noVerdict }: RunComparison, { ink, width }: Look): string[] {
  const lay = (text: string): string[] => wrap(text, width - 2);
  const lines = regression
    ? [
        ...lay(regressionWords(regression)).map((line) => ink[paintOf(regression)](ink.bold(line))),
        ...changeCertainty(regression).flatMap((text) => lay(text).map(ink.dim)),
      ]
    : lay(`no verdict: ${noVerdict?.message ?? ''}`).map(ink.yellow);
  return lines.map((line) => `  ${line}`);
}

const paintOf = ({ verdict }: ReportedRegression): 'red' | 'green' | 'yellow' =>
  (({ fail: 'red', pass: 'green', inconclusive: 'yellow' }) as const)[verdict];
