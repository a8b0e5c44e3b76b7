import type { GateStatus, ReportedAdjustment, ReportedGate, ReportedRegression } from '@touchstone/protocol';
import {
  adjustedWords,
  baselineWords,
  changesInOrder,
  contractWords,
  correctedWords,
  deltaWords,
  detectableWords,
  doubtOf,
  EXPLORATORY,
  meanBeside,
  metWords,
  range,
  regressionWords,
  remarksOf,
  repeatWords,
  requiredWords,
  type SidedChange,
  score,
  signed,
  slaWords,
  slicesInOrder,
  whole,
} from '@touchstone/sdk/view';
import type { RunView } from '../../verbs/run/result.js';
import { noteLines, readable, restLines, trendMark } from '../layout.js';
import { renderTable } from '../table.js';
import { displayWidth, type Ink, type Look, padEnd, printable, truncate, truncateMiddle } from '../text.js';

/** What is to be said about the score beyond the score; for most runs nothing. */
export function certaintyLines(result: RunView, look: Look): string[] {
  const { report, conclusive } = result;
  const { ink } = look;
  if (!report) return [];
  return [
    ...(report.adjusted ? [adjustedLine(report.adjusted, ink)] : []),
    ...noteLines([correctedWords(report), repeatWords(report)], look),
    ...noteLines([doubtOf(result)], look, conclusive ? ink.yellow : ink.dim),
  ];
}

const adjustedLine = (adjusted: ReportedAdjustment, ink: Ink): string =>
  `  ${adjustedWords(adjusted)} ${adjusted.passed ? ink.green('PASSED') : ink.red('FAILED')}`;

const MARKS: { readonly [status in GateStatus]: readonly [mark: string, paint: keyof Ink] } = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  warn: ['!', 'yellow'],
  error: ['?', 'yellow'],
};

/** Every gate of the contract, what it demands of latency, and in one line what the scorecard alone does not tell. */
export function contractLines({ contract }: RunView, look: Look): string[] {
  if (!contract) return [];
  const { criteria, sla } = contract;
  return [
    ...(criteria.length > 0 ? [gateTable(criteria, look)] : []),
    ...(sla ? [`  ${markOf(sla.status, look.ink)} ${slaWords(sla)}`] : []),
    ...noteLines([contractWords(contract)], look, look.ink.yellow),
  ];
}

function gateTable(gates: readonly ReportedGate[], { ink, width }: Look): string {
  const means = gates.map(meanBeside);
  const hasMeans = means.some((mean) => mean !== undefined);
  const heads = ['', 'met', 'required', ...(hasMeans ? ['mean'] : [])];
  const facts = gates.map((gate, at) => [
    gate.strict ? 'strict' : 'advisory',
    metWords(gate),
    requiredWords(gate),
    ...(hasMeans ? [means[at] === undefined ? '' : score(means[at])] : []),
  ]);
  const columns = heads.map((_, at) => Math.max(...[heads, ...facts].map((row) => (row[at] ?? '').length)));
  const beside = columns.reduce((sum, column) => sum + column + GAP, INDENT + MARK);
  const rows = gates.map((gate, at) => [
    `${markOf(gate.status, ink)} ${truncateMiddle(gate.id, Math.max(MIN_ID, width - beside))}`,
    ...(facts[at] ?? []),
  ]);
  return renderTable(['  gate', ...heads], rows, ink);
}

const [INDENT, MARK, GAP, MIN_ID] = [2, 2, 2, 12];

function markOf(status: GateStatus, ink: Ink): string {
  const [mark, paint] = MARKS[status];
  return ink[paint](mark);
}

const SLICES_SHOWN = 8;
const WIDE_ENOUGH = 80;

export function sliceLines({ report }: RunView, look: Look): string[] {
  const { ink, width } = look;
  const slices = slicesInOrder(report?.slices ?? []);
  if (slices.length === 0 || width < WIDE_ENOUGH) return [];
  const compared = slices.some(({ scoreDelta }) => scoreDelta !== undefined);
  const heads = ['part', 'tasks', 'score', 'pass rate', '95 %', ...(compared ? ['change'] : [])];
  const rows = slices
    .slice(0, SLICES_SHOWN)
    .map((slice) => [
      truncate(printable(slice.name), width - 48),
      whole(slice.tasks),
      score(slice.score),
      score(slice.passRate),
      range(slice.passRateInterval),
      ...(compared ? [slice.scoreDelta === undefined ? '–' : signed(slice.scoreDelta)] : []),
    ]);
  const more = slices.length - SLICES_SHOWN;
  return [
    `  ${ink.dim(EXPLORATORY)}`,
    renderTable(heads, rows, ink),
    ...restLines(more, look, more === 1 ? ' part' : ' parts'),
  ];
}

const TASKS_SHOWN = 10;

/** The regression block of a scorecard; nothing without a baseline. */
export function regressionLines(result: RunView, look: Look): string[] {
  const regression = result.report?.regression;
  if (!regression) return [];
  const { ink } = look;
  const baseline = `baseline ${score(regression.baseline.score)}: ${baselineWords(result).join(', ')}`;
  const notes = [
    ...remarksOf(regression),
    regression.verdict === 'fail' || result.counts.unscored > 0 ? undefined : detectableWords(regression),
    ...deltaWords(regression),
  ];
  return [
    `  ${verdictPaint(regression, ink)(regressionWords(regression))}`,
    ...noteLines([baseline], readable(look), ink.dim),
    ...changeLines(regression, look),
    ...noteLines(notes, readable(look), ink.dim),
  ];
}

/** As bold as the verdict deserves. */
export function verdictPaint({ verdict }: ReportedRegression, ink: Ink): (text: string) => string {
  const paint = { fail: ink.red, inconclusive: ink.yellow, pass: ink.green }[verdict];
  return (text) => paint(ink.bold(text));
}

function changeLines(regression: ReportedRegression, look: Look): string[] {
  const { ink, width } = look;
  const all = changesInOrder(regression);
  const shown = all.slice(0, TASKS_SHOWN);
  const column = Math.min(width - 32, Math.max(0, ...shown.map(({ taskId }) => displayWidth(taskId))));
  const lines = shown.map(({ taskId, before, after, side }) => {
    const name = padEnd(truncateMiddle(taskId, column), column);
    return `  ${trendMark(after - before, ink)} ${name}  ${score(before)} → ${score(after)}${side ? ink.dim(`  ${side}`) : ''}`;
  });
  const more = all.length + (regression.moreChanges ?? 0) - shown.length;
  return [...lines, ...restLines(more, look, sideWords(all.slice(TASKS_SHOWN)))];
}

function sideWords(rest: readonly SidedChange[]): string {
  const count = (side: SidedChange['side']): number => rest.filter((change) => change.side === side).length;
  const sides = [
    ...(count('now fails') > 0 ? [`${whole(count('now fails'))} now fail`] : []),
    ...(count('now passes') > 0 ? [`${whole(count('now passes'))} now pass`] : []),
  ];
  return sides.length > 0 ? `: ${sides.join(', ')}` : '';
}
