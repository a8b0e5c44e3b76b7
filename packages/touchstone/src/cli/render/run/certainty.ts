import type { ReportedAdjustment } from '@touchstone/protocol';
import { adjustedWords, doubtOf, type RunView, repeatWords } from '@touchstone/sdk/view';
import { type Ink, type Look, wrap } from '../text.js';

/** What is to be said about the score beyond the score; for most runs nothing. */
export function certaintyLines(result: RunView, { ink, width }: Look): string[] {
  const { report, conclusive } = result;
  if (!report) return [];
  const open = doubtOf(result);
  const repeats = repeatWords(report);
  const lines = [
    ...(report.adjusted ? [adjustedLine(report.adjusted, ink)] : []),
    ...(repeats === undefined ? [] : wrap(repeats, width - 2)),
    ...(open === undefined ? [] : wrap(open, width - 2).map(conclusive ? ink.yellow : ink.dim)),
  ];
  return lines.map((line) => `  ${line}`);
}

function adjustedLine(adjusted: ReportedAdjustment, ink: Ink): string {
  const verdict = adjusted.passed ? ink.green('PASSED') : ink.red('FAILED');
  return `${adjustedWords(adjusted)} ${verdict}`;
}
