import {
  barsOf,
  costTexts,
  denialHint,
  deniedWords,
  duration,
  intervalOf,
  notesOf,
  plural,
  refOf,
  verdictOf,
  whole,
} from '@touchstone/sdk/view';
import type { RunView } from '../../verbs/run/result.js';
import {
  blocks,
  commandLines,
  modelRows,
  type NextCommand,
  noteLines,
  type Row,
  readable,
  restLines,
  rowLines,
} from '../layout.js';
import { shell } from '../shell.js';
import { displayWidth, type Look, padEnd, padStart, printable, truncate, truncateMiddle } from '../text.js';
import { groupFailures, renderGroup } from './failure-groups.js';
import { certaintyLines, contractLines, regressionLines, sliceLines } from './sections.js';

const BAR_WIDTH = 24;
/** Wider bars tell no more. */
const MOST_BAR = 48;
/** Columns of a usual terminal. */
const USUAL = 80;
/** More columns than this would only pull apart what belongs together. */
const MOST_WIDTH = 140;
const LEAST_WIDTH = 40;
/** What stands beside a bar: its name, the numbers and the interval. */
const BESIDE_BAR = 47;
const FAILURES_SHOWN = 20;
/** So many failures are read for a screen: those that are alike are shown as one. */
export const FAILURES_READ = 100;

type ScorecardOptions = Look & {
  /** Shows every failure rather than the first ones. */
  readonly allFailures?: boolean;
  /** What shows every failure. */
  readonly showAll?: string;
  /** What to type next, most useful first. */
  readonly next?: readonly NextCommand[];
  /** Lines about the previous run of a watch. */
  readonly delta?: readonly string[];
  /** The file of the prompt that the agent was given in place of its own. */
  readonly prompt?: string;
  /** Shows the parts of the suite also when they are not compared with anything. */
  readonly parts?: boolean;
};

/** The scorecard as a person reads it: verdict, what went wrong, the bars, the totals, what to do next. */
export function renderScorecard(result: RunView, options: ScorecardOptions): string {
  const look = readable({ ink: options.ink, width: options.width }, LEAST_WIDTH, MOST_WIDTH);
  // Names use all of the line; sentences are easier to read on a shorter one.
  const text = readable(look);
  const parts = [
    titleLines(result, look, options.prompt),
    causeLines(result, text),
    failureLines(result, look, options),
    findingLines(result, look),
    [...barLines(result, look), ...certaintyLines(result, text)],
    contractLines(result, look),
    regressionLines(result, look),
    options.parts || result.report?.regression ? sliceLines(result, look) : [],
    totalLines(result, look),
    noteLines(notesOf(result), text, look.ink.yellow),
    (options.delta ?? []).map((line) => `  ${line}`),
    commandLines(options.next ?? [], look),
  ];
  return `\n${blocks(parts)}\n`;
}

function titleLines(result: RunView, { ink, width }: Look, prompt?: string): string[] {
  const { word, paint } = verdictOf(result);
  const badge = ink.inverse(ink[paint](ink.bold(` ${word} `)));
  const indent = word.length + 6;
  const rows: readonly Row[] = [['agent', refOf(result.agent)], ['prompt', prompt], ...modelRows(result)];
  return [
    `  ${badge}  ${ink.bold(truncateMiddle(refOf(result.suite), width - indent))}`,
    ...rowLines(rows, { ink, width }, { indent, label: prompt === undefined ? 6 : 7 }),
  ];
}

/** What kept the run from a verdict, and what to do about it: it comes first, because nothing else counts then. */
function causeLines(result: RunView, look: Look): string[] {
  const { error } = result;
  const { ink } = look;
  // What a program says about its own error has lines of its own.
  const text = error ? `${error.code}: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}` : deniedWords(result);
  const [first, ...rest] = noteLines([text, denialHint(result)], look);
  if (first === undefined) return [];
  return [error ? first.replace(error.code, ink.red) : first, ...rest];
}

function failureLines(result: RunView, look: Look, { allFailures, showAll }: ScorecardOptions): string[] {
  const groups = groupFailures(result.failures);
  const shown = allFailures ? groups : groups.slice(0, FAILURES_SHOWN);
  const lines = shown.map((group) => renderGroup(group, look).join('\n'));
  const spaced = shown.some(([first]) => first.bodies) ? lines.join('\n\n') : lines.join('\n');
  const more = result.counts.failed + result.counts.unscored - shown.flat().length;
  const rest = restLines(more, look, `: ${showAll ?? shell`touchstone show ${result.runId} --failed`}`);
  return shown.length === 0 ? [] : more > 0 ? [spaced, '', ...rest] : [spaced];
}

/** Everything unsafe that was found, in passed tasks too. */
function findingLines({ findings = [] }: RunView, { ink, width }: Look): string[] {
  const names = findings.map(({ kind, severity }) => `${printable(kind)} (${severity})`);
  const column = Math.max(0, ...names.map(displayWidth));
  return findings.map(({ severity, taskIds }, at) => {
    const paint = severity === 'low' ? ink.dim : severity === 'medium' ? ink.yellow : ink.red;
    const tasks = `${plural(taskIds.length, 'task')}: ${taskIds.join(', ')}`;
    const room = Math.max(20, width - column - 6);
    return `  ${paint('!')} ${padEnd(names[at] ?? '', column)}  ${ink.dim(truncate(tasks, room))}`;
  });
}

function barLines(result: RunView, { ink, width }: Look): string[] {
  const bars = barsOf(result);
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(displayWidth));
  const values = widest(bars.map((bar) => bar.value));
  const limits = widest(bars.map((bar) => bar.limit));
  const wide = Math.min(MOST_BAR, BAR_WIDTH + Math.max(0, width - USUAL));
  const room = Math.max(0, Math.min(wide, width - BESIDE_BAR));
  return bars.map((bar) => {
    const paint = bar.idle ? ink.dim : bar.met ? ink.green : ink.red;
    const fill = barText(bar.fill, room).replace(/█+/, paint).replace(/░+/, ink.dim);
    const numbers = `${padStart(bar.value, values)} ${ink.dim(`${bar.sign} ${padEnd(bar.limit, limits)}`)}`;
    const interval = bar.name === 'score' ? intervalOf(result) : undefined;
    const sure = interval === undefined ? '' : `  ${ink.dim(interval)}`;
    return `  ${padEnd(bar.name, 8)}${fill}  ${numbers}  ${paint(bar.idle ? '–' : bar.met ? '✓' : '✗')}${sure}`;
  });
}

function totalLines(result: RunView, { ink }: Look): string[] {
  const { counts, latency } = result;
  const count = (value: number, word: string, paint: (text: string) => string): string =>
    value > 0 ? paint(`${whole(value)} ${word}`) : ink.dim(`0 ${word}`);
  const done = counts.passed + counts.failed + counts.unscored;
  const of =
    done < counts.selected ? `${whole(done)} of ${plural(counts.selected, 'task')}` : plural(done, 'task');
  const whose = counts.selected < counts.total ? `${of} (the suite has ${whole(counts.total)})` : of;
  const facts = [
    ...(latency ? [`p50 ${duration(latency.p50Ms)}`, `p95 ${duration(latency.p95Ms)}`] : []),
    ...costTexts(result),
    ...(result.repeats > 1 ? [`${result.repeats} repeats`] : []),
    `took ${duration(result.wallMs)}`,
  ];
  return [
    `  ${count(counts.passed, 'passed', ink.green)} · ${count(counts.failed, 'failed', ink.red)} · ${count(counts.unscored, 'unscored', ink.yellow)} · ${whose}`,
    `  ${ink.dim(facts.join(' · '))}`,
    `  ${ink.dim(`run ${printable(result.runId)}`)}`,
  ];
}

/** `████████░░`; a part that is not empty shows, and only a whole one is full. */
function barText(fill: number, width: number): string {
  const exact = Math.round(fill * width);
  const full = fill >= 1 ? width : Math.min(width - 1, fill > 0 ? Math.max(1, exact) : 0);
  return '█'.repeat(full) + '░'.repeat(width - full);
}
