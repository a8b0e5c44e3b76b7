import type { ReportedRegression } from '@touchstone/protocol';
import type { Comparison } from '../../comparing/compare-sides.js';
import type { Look } from '../ink.js';
import { detectableWords, regressionWords, remarksOf } from '../run/regression.js';
import { wrap } from '../text.js';
import { signed } from '../units.js';

/** The verdict in the words of a scorecard, and how sure it is; or why there is none. */
export function verdictLines({ regression, reason = '' }: Comparison, { ink, width }: Look): string[] {
  const lay = (text: string): string[] => wrap(text, width - 2);
  const lines = regression
    ? [
        ...lay(regressionWords(regression)).map((line) => ink[paintOf(regression)](ink.bold(line))),
        ...certaintyWords(regression).flatMap((text) => lay(text).map(ink.dim)),
      ]
    : lay(`no verdict: ${reason}`).map(ink.yellow);
  return lines.map((line) => `  ${line}`);
}

const paintOf = ({ verdict }: ReportedRegression): 'red' | 'green' | 'yellow' =>
  (({ fail: 'red', pass: 'green', inconclusive: 'yellow' }) as const)[verdict];

function certaintyWords(regression: ReportedRegression): readonly string[] {
  const { interval, tasks, verdict } = regression;
  const [low, high] = interval.map(signed);
  return [
    ...(tasks.paired > 0 ? [`95 % interval of the change: ${low} to ${high}`] : []),
    ...(verdict === 'fail' ? [] : [detectableWords(regression)]),
    ...remarksOf(regression),
  ];
}
