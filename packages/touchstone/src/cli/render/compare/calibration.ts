import type { Agreement } from '@touchstone/protocol';
import {
  costTexts,
  judgeName,
  kappaWords,
  percent,
  plural,
  quote,
  usd,
  whole,
  whyNot,
} from '@touchstone/sdk/view';
import type { Calibration, CheckProgress, Judgement } from '../../../app/index.js';
import { judgeDocument } from '../../../exporters/index.js';
import type { ExitCode } from '../../io.js';
import { blocks, type Look, padEnd, padStart, printable, truncate, wrap } from '../text.js';
import { sizeOf } from './comparison.js';

const LABEL = 12;
const INDENT = '      ';

/** `12/40 · 10 agree · 2 differ · $0.0132` */
export const checkProgressText = ({ done, total, same, different, costUsd }: CheckProgress): string =>
  [
    `${whole(done)}/${whole(total)}`,
    `${whole(same)} agree`,
    `${whole(different)} differ`,
    ...(costUsd ? [usd(costUsd)] : []),
  ].join(' · ');

/** Two digits; what is not 1 is never shown as 1. */
const kappaText = (kappa: number): string => (Math.floor(kappa * 100 + 1e-9) / 100).toFixed(2);

/** What came of a check, held against the kappa that was demanded. */
type CalibrationResult = Calibration & { readonly exitCode: ExitCode; readonly minKappa?: number };

/** How far a judge and people agree, as a person reads it. */
export function renderCalibration(calibration: CalibrationResult, bodies: boolean, look: Look): string {
  const parts = [
    headLines(calibration, look),
    tableLines(calibration, look),
    differenceLines(calibration.disagreements, bodies, look),
    undecidedLines(calibration, bodies, look),
  ];
  return `\n${blocks(parts)}\n`;
}

function headLines(calibration: CalibrationResult, look: Look): string[] {
  const { judge, judged, checks, labels } = calibration;
  const line = (label: string, text: string): string => `  ${look.ink.dim(padEnd(label, LABEL))}${text}`;
  const compared = sizeOf(judged.confusion);
  const cost = costTexts(calibration);
  return [
    ...(judge ? [line('judge', printable(judgeName(judge)))] : []),
    line('labels', `${whole(labels)}${asked(calibration)}`),
    ...(compared > 0 ? [line('agreement', shareText(judged)), ...kappaLines(calibration, look, line)] : []),
    ...(sizeOf(checks.confusion) > 0
      ? [line('checks', `${shareText(checks)}, decided without a judge`)]
      : []),
    ...(cost.length > 0 ? [line('cost', cost.join(' '))] : []),
    ...(judge?.mock
      ? [line('', look.ink.yellow('The judge is a scripted one: this says nothing of a real judge.'))]
      : []),
  ];
}

const asked = ({ questions }: Calibration): string =>
  questions === 0 ? '' : `, ${plural(questions, 'question')} to the judge`;

const shareText = ({ confusion, agreement = 0 }: Agreement): string => {
  const same = confusion.tp + confusion.tn;
  return `${percent(agreement)} (${whole(same)} of ${whole(sizeOf(confusion))})`;
};

function kappaLines(
  { judged: { kappa }, minKappa }: CalibrationResult,
  { ink }: Look,
  line: (label: string, text: string) => string,
): string[] {
  const words = kappa === undefined ? kappaWords(kappa) : `${kappaText(kappa)}, ${kappaWords(kappa)}`;
  if (minKappa === undefined) return [line('kappa', words)];
  const met = kappa !== undefined && kappa >= minKappa;
  const wanted = met ? ink.green(`✓ at least ${minKappa}`) : ink.red(`✗ at least ${minKappa} was demanded`);
  return [line('kappa', `${words}  ${wanted}`)];
}

/** Rows are what people said, columns what the judge said. */
function tableLines({ judged: { confusion } }: Calibration, { ink }: Look): string[] {
  if (sizeOf(confusion) === 0) return [];
  const { tp, fp, fn, tn } = confusion;
  const column = (count: number, right: boolean): string =>
    (right || count === 0 ? (text: string) => text : ink.red)(padStart(whole(count), 12));
  return [
    `  ${ink.dim(`${padEnd('', 14)}${padStart('judge: met', 12)}${padStart('unmet', 12)}`)}`,
    `  ${ink.dim(padEnd('people: met', 14))}${column(tp, true)}${column(fn, false)}`,
    `  ${ink.dim(padEnd('people: unmet', 14))}${column(fp, false)}${column(tn, true)}`,
  ];
}

const placeOf = ({ label }: Judgement): string =>
  label.id === undefined ? `line ${label.line}` : `line ${label.line}, ${printable(label.id)}`;
const word = (met: boolean | undefined): string => (met ? 'met' : 'unmet');

function differenceLines(differences: readonly Judgement[], bodies: boolean, look: Look): string[] {
  return differences.flatMap((one) => {
    const votes = one.agreement === undefined ? '' : ` (${percent(one.agreement)} of votes)`;
    const facts = `label ${word(one.label.met)}, ${one.by} ${word(one.met)}${votes}`;
    const head = `  ${look.ink.red('✗')} ${look.ink.bold(placeOf(one))}  ${look.ink.dim(facts)}`;
    return bodies ? [head, ...contentLines(one, look)] : [head];
  });
}

function contentLines({ label, reason }: Judgement, { ink, width }: Look): string[] {
  const room = Math.max(20, width - INDENT.length - LABEL);
  const line = (name: string, text: string): string => `${INDENT}${ink.dim(padEnd(name, LABEL))}${text}`;
  return [
    line('criterion', truncate(printable(label.criterion), room)),
    line('output', truncate(quote(label.output), room)),
    ...(reason ? wrap(printable(reason), room).map((text, at) => line(at === 0 ? 'reason' : '', text)) : []),
  ];
}

function undecidedLines(
  { undecided, unreadable, unreachable }: Calibration,
  bodies: boolean,
  { ink, width }: Look,
): string[] {
  if (undecided.length === 0) return [];
  const counts = [
    ...(unreadable > 0 ? [`${whole(unreadable)} unreadable`] : []),
    ...(unreachable > 0 ? [`${whole(unreachable)} without an answer`] : []),
  ];
  const head = `  ${ink.yellow(`? ${plural(undecided.length, 'label')} not decided: ${counts.join(', ')}`)}`;
  const lines = undecided.flatMap((one) => {
    const why = bodies && one.reason ? printable(one.reason) : reasonOf(one);
    return wrap(`${placeOf(one)}: ${why}`, Math.max(20, width - INDENT.length));
  });
  return [head, ...lines.map((line) => `${INDENT}${ink.dim(line)}`)];
}

const reasonOf = ({ unscored }: Judgement): string => whyNot({ ...(unscored && { unscored }) }) ?? '';

/** The `--json` form: lines and ids, and what stands there only when it was asked for. */
export function calibrationDocument(calibration: CalibrationResult, bodies: boolean): object {
  const { judge, judged, checks, disagreements, undecided, ...facts } = calibration;
  return {
    ...facts,
    ...(judge && { judge: { ...judgeDocument(judge), promptDigest: judge.promptDigest } }),
    judged: { ...judged, ...(judged.agreement !== undefined && { reading: kappaWords(judged.kappa) }) },
    checks,
    disagreements: disagreements.map((one) => ({
      ...placeDocument(one),
      by: one.by,
      label: one.label.met,
      verdict: one.met,
      ...(one.agreement !== undefined && { agreement: one.agreement }),
      ...(bodies && { criterion: one.label.criterion, output: one.label.output }),
      ...(bodies && one.reason !== undefined && { reason: one.reason }),
    })),
    undecided: undecided.map((one) => ({
      ...placeDocument(one),
      unscored: one.unscored,
      ...(bodies && one.reason !== undefined && { reason: one.reason }),
    })),
  };
}

const placeDocument = ({ label: { line, id } }: Judgement): object => ({
  line,
  ...(id !== undefined && { id }),
});
