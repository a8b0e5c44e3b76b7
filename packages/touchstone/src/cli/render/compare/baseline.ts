import {
  type BaselineEntry,
  type BlessedRun,
  defined,
  type EvalReport,
  type NewBaseline,
} from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import {
  ago,
  intervalWords,
  judgeName,
  KEPT,
  keptWords,
  percent,
  refOf,
  score,
  whole,
} from '@touchstone/sdk/view';
import { modelRows, noteLines, type Row, readable, rowLines } from '../layout.js';
import { renderTable } from '../table.js';
import { type Look, padEnd, printable, truncateMiddle } from '../text.js';
import { short } from './side-by-side.js';

const WIDE = 120;
const LABEL = 11;

const agoOf = ({ at }: BlessedRun, now: number): string => ago(now - Date.parse(at));

/** What was blessed, what it is the baseline of, and what it replaced. */
export function renderBlessed(
  { blessed, replaced, already, notes }: NewBaseline,
  { touchstone: { judge, headline } }: EvalRunSnapshot,
  now: number,
  wide: Look,
): string {
  const look = readable(wide);
  const { ink } = look;
  const { contractVerdict } = headline ?? {};
  const rows: readonly Row[] = [
    ['suite', blessed.suite.ref],
    ['agent', blessed.agent.agentId],
    ['judge', judge && judgeName(judge)],
    ['score', score(blessed.score)],
    ['contract', contractVerdict && keptWords(contractVerdict, headline?.passed === true)],
  ];
  const instead =
    replaced && `It replaces run ${replaced.runId} (${score(replaced.score)}, ${agoOf(replaced, now)}).`;
  const lines = [
    `  ${ink.green('✓')} ${ink.bold(`Run ${printable(blessed.runId)} is ${already ? 'already ' : ''}the baseline`)}`,
    ...rowLines(rows, look, { indent: 4, label: contractVerdict ? 10 : 8 }),
    ...noteLines([instead], look, String, 4),
    ...noteLines(notes, look, ink.yellow, 4),
  ];
  return `${lines.join('\n')}\n`;
}

/** On a narrow screen names are shortened to what tells them apart. */
export function baselinesTable(items: readonly BaselineEntry[], now: number, { ink, width }: Look): string {
  const wide = width >= WIDE;
  const hasContracts = items.some(({ contractVerdict }) => contractVerdict);
  const name = (text: string): string => truncateMiddle(text, wide ? 30 : hasContracts ? 16 : 24);
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

export function renderBaseline({ blessing, report, history }: Baseline, now: number, wide: Look): string {
  const look = readable(wide);
  const { ink, width } = look;
  const mark = blessing.current ? ink.green('●') : ink.dim('·');
  const state = blessing.current ? '' : ink.yellow('  no longer counts');
  const earlier = history.map((one, at) => {
    const facts = `${one.runId}  ${score(one.score)}  ${one.agent.version}, ${agoOf(one, now)} by ${one.principal}`;
    return `    ${ink.dim(padEnd(at === 0 ? 'history' : '', LABEL))}${one.current ? facts : ink.dim(facts)}`;
  });
  const lines = [
    `  ${mark} ${ink.bold(truncateMiddle(blessing.suite.ref, width - 24))}${state}`,
    ...rowLines(rowsOf(blessing, report, now), look, { indent: 4, label: LABEL }),
    ...(history.length > 1 ? earlier : []),
  ];
  return `\n${lines.join('\n')}\n`;
}

function rowsOf(blessing: BaselineEntry, report: EvalReport, now: number): readonly Row[] {
  const { aggregate, tasks, judge, model } = report;
  const subset = tasks.selected < tasks.total ? ` (the suite has ${whole(tasks.total)})` : '';
  const passed = `${whole(tasks.passed)} of ${whole(tasks.selected)} tasks${subset}`;
  return [
    ['run', blessing.runId],
    ['score', `${score(aggregate.score)} (${intervalWords(report)})`],
    ['passed', `${passed}, ${percent(aggregate.passRate)}`],
    ['contract', blessing.contractVerdict && KEPT[blessing.contractVerdict]],
    ['agent', `${refOf(blessing.agent)}, ${short(blessing.agent.digest)}`],
    ...modelRows(defined({ model, judge })),
    ['blessed', `${agoOf(blessing, now)} by ${blessing.principal}`],
  ];
}

export const baselineDocument = ({ blessing, report, history }: Baseline): object => {
  const { aggregate, tasks, model, judge } = report;
  return { ...blessing, aggregate, tasks, ...defined({ model, judge }), history };
};
