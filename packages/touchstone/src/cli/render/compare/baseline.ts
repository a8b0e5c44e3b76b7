import type { BaselineEntry, BlessedRun, EvalReport, NewBaseline } from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import {
  ago,
  intervalWords,
  judgeName,
  KEPT,
  keptWords,
  modelName,
  percent,
  refOf,
  score,
  whole,
} from '@touchstone/sdk/view';
import { renderTable } from '../table.js';
import { type Ink, type Look, padEnd, printable, truncate, wrap } from '../text.js';
import { keepEnd, short } from './side-by-side.js';

const WIDE = 120;
const LABEL = 11;
const MAX_WIDTH = 100;

const agoOf = ({ at }: BlessedRun, now: number): string => ago(now - Date.parse(at));

/** What was blessed, what it is the baseline of, and what it replaced. */
export function renderBlessed(
  { blessed, replaced, already, notes }: NewBaseline,
  { touchstone: { judge, headline } }: EvalRunSnapshot,
  now: number,
  { ink, width }: Look,
): string {
  const room = Math.min(width, MAX_WIDTH) - 2;
  const title = `Run ${blessed.runId} is ${already ? 'already ' : ''}the baseline`;
  const of = [
    ['suite', blessed.suite.ref],
    ['agent', blessed.agent.agentId],
    ...(judge ? [['judge', printable(judgeName(judge))]] : []),
    ['score', score(blessed.score)],
    ...(headline?.contractVerdict
      ? [['contract', keptWords(headline.contractVerdict, headline.passed)]]
      : []),
  ] as const;
  const labels = Math.max(8, ...of.map(([label = '']) => label.length + 2));
  const instead = replaced
    ? [`It replaces run ${replaced.runId} (${score(replaced.score)}, ${agoOf(replaced, now)}).`]
    : [];
  return `${[
    `  ${ink.green('✓')} ${ink.bold(title)}`,
    ...of.map(
      ([label = '', text = '']) =>
        `    ${ink.dim(padEnd(label, labels))}${truncate(text, room - labels - 4)}`,
    ),
    ...instead.flatMap((text) => wrap(text, room - 2).map((line) => `    ${line}`)),
    ...notes.flatMap((note) => wrap(note, room - 2).map((line) => `    ${ink.yellow(line)}`)),
  ].join('\n')}\n`;
}

/** On a narrow screen names are shortened to what tells them apart. */
export function baselinesTable(
  items: readonly BaselineEntry[],
  now: number,
  ink: Ink,
  columns: number,
): string {
  const wide = columns >= WIDE;
  const hasContracts = items.some(({ contractVerdict }) => contractVerdict);
  const name = (text: string): string => keepEnd(text, wide ? 30 : hasContracts ? 16 : 24);
  const rows = items.map((one) => [
    one.current ? ink.green('●') : ink.dim('·'),
    one.current ? one.runId : ink.dim(one.runId),
    ink.dim(agoOf(one, now)),
    name(one.suite.ref),
    ...(wide ? [name(refOf(one.agent)), one.principal] : []),
    score(one.score),
    ...(hasContracts ? [one.contractVerdict ? KEPT[one.contractVerdict] : '–'] : []),
  ]);
  const last = ['score', ...(hasContracts ? ['contract'] : [])];
  const heads = ['', 'run', 'blessed', 'suite', ...(wide ? ['agent', 'by'] : []), ...last];
  return `${renderTable(heads, rows, ink)}\n\n  ${ink.dim('● counts · earlier ones are kept as history')}`;
}

/** A blessed run with what is known of it. */
export type Baseline = {
  readonly blessing: BaselineEntry;
  readonly report: EvalReport;
  /** Newest first, this one included. */
  readonly history: readonly BaselineEntry[];
};

export function renderBaseline({ blessing, report, history }: Baseline, now: number, look: Look): string {
  const { ink } = look;
  const width = Math.min(look.width, MAX_WIDTH);
  const mark = blessing.current ? ink.green('●') : ink.dim('·');
  const state = blessing.current ? '' : ink.yellow('  no longer counts');
  const lines = rowsOf(blessing, report, now).map(
    ([label, text]) => `    ${ink.dim(padEnd(label, LABEL))}${truncate(printable(text), width - 4 - LABEL)}`,
  );
  const earlier = history.map((one, at) => {
    const facts = `${one.runId}  ${score(one.score)}  ${one.agent.version}, ${agoOf(one, now)} by ${one.principal}`;
    return `    ${ink.dim(padEnd(at === 0 ? 'history' : '', LABEL))}${one.current ? facts : ink.dim(facts)}`;
  });
  return `\n${[`  ${mark} ${ink.bold(truncate(blessing.suite.ref, width - 24))}${state}`, ...lines, ...(history.length > 1 ? earlier : [])].join('\n')}\n`;
}

function rowsOf(
  blessing: BaselineEntry,
  report: EvalReport,
  now: number,
): readonly (readonly [string, string])[] {
  const { aggregate, tasks, judge, model } = report;
  const subset = tasks.selected < tasks.total ? ` (the suite has ${whole(tasks.total)})` : '';
  return [
    ['run', blessing.runId],
    ['score', `${score(aggregate.score)} (${intervalWords(report)})`],
    [
      'passed',
      `${whole(tasks.passed)} of ${whole(tasks.selected)} tasks${subset}, ${percent(aggregate.passRate)}`,
    ],
    ...(blessing.contractVerdict ? [['contract', KEPT[blessing.contractVerdict]] as const] : []),
    ['agent', `${refOf(blessing.agent)}, ${short(blessing.agent.digest)}`],
    ...(model ? [['model', modelName(model)] as const] : []),
    ...(judge ? [['judge', judgeName(judge)] as const] : []),
    ['blessed', `${agoOf(blessing, now)} by ${blessing.principal}`],
  ];
}

export const baselineDocument = ({ blessing, report, history }: Baseline): object => ({
  ...blessing,
  aggregate: report.aggregate,
  tasks: report.tasks,
  ...(report.model && { model: report.model }),
  ...(report.judge && { judge: report.judge }),
  history,
});
