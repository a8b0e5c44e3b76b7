import type { ReportedRegression } from '@touchstone/protocol';
import {
  baselineWords,
  changesInOrder,
  deltaWords,
  detectableWords,
  type RunView,
  regressionWords,
  remarksOf,
  type SidedChange,
  score,
  whole,
} from '@touchstone/sdk/view';
import { displayWidth, type Ink, type Look, padEnd, truncate, wrap } from '../text.js';

const TASKS_SHOWN = 10;

/** The regression block of a scorecard; nothing without a baseline. */
export function regressionLines(result: RunView, look: Look): string[] {
  const regression = result.report?.regression;
  if (!regression) return [];
  const baseline = `baseline ${score(regression.baseline.score)}: ${baselineWords(result).join(', ')}`;
  const notes = [
    ...remarksOf(regression),
    ...(regression.verdict === 'fail' ? [] : [detectableWords(regression)]),
    ...deltaWords(regression),
  ];
  return [
    verdictLine(regression, look.ink),
    ...wrap(baseline, look.width - 2).map((line) => `  ${look.ink.dim(line)}`),
    ...changeLines(regression, look),
    ...notes.flatMap((note) => wrap(note, look.width - 2).map((line) => `  ${look.ink.dim(line)}`)),
  ];
}

function verdictLine(regression: ReportedRegression, ink: Ink): string {
  const paint = { fail: ink.red, inconclusive: ink.yellow, pass: ink.green }[regression.verdict];
  return `  ${paint(ink.bold(regressionWords(regression)))}`;
}

function changeLines(regression: ReportedRegression, { ink, width }: Look): string[] {
  const all = changesInOrder(regression);
  const shown = all.slice(0, TASKS_SHOWN);
  const column = Math.min(width - 32, Math.max(0, ...shown.map(({ taskId }) => displayWidth(taskId))));
  const lines = shown.map(({ taskId, before, after, side }) => {
    const mark = after < before ? ink.red('↓') : ink.green('↑');
    const name = padEnd(truncate(taskId, column), column);
    return `  ${mark} ${name}  ${score(before)} → ${score(after)}${side ? ink.dim(`  ${side}`) : ''}`;
  });
  const more = all.length + (regression.moreChanges ?? 0) - shown.length;
  return more > 0 ? [...lines, `  ${ink.dim(restWords(more, all.slice(TASKS_SHOWN)))}`] : lines;
}

function restWords(more: number, rest: readonly SidedChange[]): string {
  const count = (side: SidedChange['side']): number => rest.filter((change) => change.side === side).length;
  const sides = [
    ...(count('now fails') > 0 ? [`${whole(count('now fails'))} now fail`] : []),
    ...(count('now passes') > 0 ? [`${whole(count('now passes'))} now pass`] : []),
  ];
  return `… and ${whole(more)} more${sides.length > 0 ? `: ${sides.join(', ')}` : ''}`;
}
