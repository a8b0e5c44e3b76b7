import { defined } from '@touchstone/protocol';
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
import type {
  Calibration,
  CheckProgress,
  JudgeDrift,
  Judgement,
  KeptCalibration,
} from '../../../app/index.js';
import { judgeDocument } from '../../../exporters/index.js';
import type { ExitCode } from '../../io.js';
import { blocks, noteLines, rowLines } from '../layout.js';
import { type Look, padEnd, padStart, printable } from '../text.js';
import { kappaText, shareText, sizeOf } from './comparison.js';

const LABEL = 12;

/** `12/40 · 10 agree · 2 differ · $0.0132` */
export const checkProgressText = ({ done, total, same, different, costUsd }: CheckProgress): string =>
  [
    `${whole(done)}/${whole(total)}`,
    `${whole(same)} agree`,
    `${whole(different)} differ`,
    ...(costUsd ? [usd(costUsd)] : []),
  ].join(' · ');

/** What was found, what it says beside an earlier check, and where it is kept. */
export type JudgeCheck = Calibration & {
  readonly drift?: JudgeDrift & { readonly otherJudge?: true };
  readonly record?: KeptCalibration;
  /** Of a portable judge that names labels: whether these are they, and the kappa it should reach on them. */
  readonly namedSet?: { readonly isSame: boolean; readonly minKappa?: number };
  /** It was to be kept, and the judge did not decide every label: the others alone might look better. */
  readonly notKept?: true;
};

/** What came of a check, held against the kappa that was demanded. */
type CalibrationResult = JudgeCheck & { readonly exitCode: ExitCode; readonly minKappa?: number };

/** How far a judge and people agree, as a person reads it. */
export function renderCalibration(calibration: CalibrationResult, bodies: boolean, look: Look): string {
  const parts = [
    headLines(calibration, look),
    tableLines(calibration, look),
    differenceLines(calibration.disagreements, bodies, look),
    undecidedLines(calibration, bodies, look),
    driftLines(calibration.drift, look),
    recordLines(calibration, look),
  ];
  return `\n${blocks(parts)}\n`;
}

function headLines(calibration: CalibrationResult, look: Look): string[] {
  const { judge, judged, checks, labels, questions, namedSet } = calibration;
  const row = (label: string, text: string | undefined): string[] =>
    rowLines([[label, text]], { ...look, width: Number.POSITIVE_INFINITY }, { label: LABEL });
  const isJudged = sizeOf(judged.confusion) > 0;
  const isChecked = sizeOf(checks.confusion) > 0;
  const asked = questions === 0 ? '' : `, ${plural(questions, 'question')} to the judge`;
  const mock = judge?.mock ? ['The judge is a scripted one: this says nothing of a real judge.'] : [];
  return [
    ...row('judge', judge && judgeName(judge)),
    ...row('labels', `${whole(labels)}${asked}`),
    ...row(
      'set',
      namedSet && (namedSet.isSame ? 'the one that the judge names' : 'another than the judge names'),
    ),
    ...row('agreement', isJudged ? shareText(judged) : undefined),
    ...row(
      'kappa',
      isJudged ? `${kappaText(judged.kappa)}${spreadText(judged.kappaInterval)}` : undefined,
    ).map((line) => `${line}${demandText(calibration, look)}`),
    ...row('checks', isChecked ? `${shareText(checks)}, decided without a judge` : undefined),
    ...row('cost', costTexts(calibration).join(' ') || undefined),
    ...mock.map((words) => `  ${padEnd('', LABEL)}${look.ink.yellow(words)}`),
  ];
}

const spreadText = (interval: readonly [number, number] | undefined): string =>
  interval ? ` (95 %: ${interval.map((end) => end.toFixed(2)).join(' to ')})` : '';

/** The same labels, asked twice. */
function driftLines(drift: JudgeCheck['drift'], { ink }: Look): string[] {
  if (!drift) return [];
  const { pairs, before = 0, now = 0, lost, gained, p, worse } = drift;
  if (pairs === 0)
    return [`  ${ink.yellow('? The earlier check has none of these labels: nothing to compare.')}`];
  const moved = `${percent(before)} → ${percent(now)} of ${plural(pairs, 'label')}`;
  const facts = `${whole(lost)} lost, ${whole(gained)} gained, p ${p.toPrecision(2)}`;
  const verdict = worse
    ? ink.red('✗ The judge agrees less than it did.')
    : ink.green('✓ No sign that the judge agrees less than it did.');
  const other = drift.otherJudge
    ? [
        `  ${ink.yellow('? The earlier check was of another judge: this compares the two, and shows no change of either.')}`,
      ]
    : [];
  return [`  ${padEnd('before', LABEL)}${moved}  ${ink.dim(facts)}`, `  ${verdict}`, ...other];
}

function recordLines({ record, notKept }: CalibrationResult, { ink }: Look): string[] {
  if (notKept) return [`  ${ink.yellow('? Not kept: the judge did not decide every label.')}`];
  if (!record) return [];
  const other =
    record.otherCriteria > 0 ? `; ${whole(record.otherCriteria)} about criteria that it does not have` : '';
  return [
    `  ${ink.green('✓')} Kept for gates: ${plural(record.kept, 'label')} for ${record.suite}${other}`,
    `    record  ${record.recordId}`,
  ];
}

function demandText({ judged: { kappa }, minKappa }: CalibrationResult, { ink }: Look): string {
  if (minKappa === undefined) return '';
  const met = kappa !== undefined && kappa >= minKappa;
  return `  ${met ? ink.green(`✓ at least ${minKappa}`) : ink.red(`✗ at least ${minKappa} was demanded`)}`;
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

function contentLines({ label, reason }: Judgement, look: Look): string[] {
  const options = { indent: 6, label: LABEL };
  const facts = [
    ['criterion', label.criterion],
    ['output', quote(label.output)],
  ] as const;
  return [
    ...rowLines(facts, look, options),
    ...rowLines([['reason', reason || undefined]], look, { ...options, wraps: true }),
  ];
}

function undecidedLines(
  { undecided, unreadable, unreachable }: Calibration,
  bodies: boolean,
  look: Look,
): string[] {
  const { ink } = look;
  if (undecided.length === 0) return [];
  const counts = [
    ...(unreadable > 0 ? [`${whole(unreadable)} unreadable`] : []),
    ...(unreachable > 0 ? [`${whole(unreachable)} without an answer`] : []),
  ];
  const head = `  ${ink.yellow(`? ${plural(undecided.length, 'label')} not decided: ${counts.join(', ')}`)}`;
  const reasons = undecided.map((one) => {
    const why = bodies && one.reason ? one.reason : (whyNot(defined({ unscored: one.unscored })) ?? '');
    return `${placeOf(one)}: ${why}`;
  });
  return [head, ...noteLines(reasons, look, ink.dim, 6)];
}

/** The `--json` form: lines and ids, and what stands there only when it was asked for. */
export function calibrationDocument(calibration: CalibrationResult, bodies: boolean): object {
  const { judge, judged, checks, disagreements, undecided, ...facts } = calibration;
  return {
    ...facts,
    ...(judge && { judge: { ...judgeDocument(judge), promptDigest: judge.promptDigest } }),
    judged: { ...judged, ...(judged.agreement !== undefined && { reading: kappaWords(judged.kappa) }) },
    checks,
    disagreements: disagreements.map(({ label: { line, id, met, criterion, output }, ...one }) => ({
      ...defined({ line, id, by: one.by, label: met, verdict: one.met, agreement: one.agreement }),
      ...(bodies && defined({ criterion, output, reason: one.reason })),
    })),
    undecided: undecided.map(({ label: { line, id }, unscored, reason }) => ({
      ...defined({ line, id, unscored }),
      ...(bodies && defined({ reason })),
    })),
  };
}
