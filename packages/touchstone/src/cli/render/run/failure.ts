import type { Finding, Json } from '@touchstone/protocol';
import { checkWords, criteriaWords, duration, percent, quote, score, whyNot } from '@touchstone/sdk/view';
import type { CriterionBody, Failure, FailureBodies } from '../../verbs/run/result.js';
import {
  alignTexts,
  isMatch,
  type JsonDifference,
  jsonDifferences,
  nearMiss,
  parsed,
} from '../difference.js';
import { INDENT, LABEL, labelled, printedLines, room } from '../layout.js';
import {
  displayWidth,
  type Look,
  padEnd,
  padStart,
  printable,
  truncate,
  truncateMiddle,
  wrap,
  wrapWhole,
} from '../text.js';

const WEIGHT = 6;

type Facts = { readonly met?: boolean; readonly weight: number; readonly agreement?: number };

const markOf = (met: boolean | undefined, { ink }: Look): string =>
  met === undefined ? '·' : met ? ink.green('✓') : ink.red('✗');

const agreed = ({ agreement }: Facts): string =>
  agreement === undefined ? '' : `${percent(agreement)} of votes`;

/** What became of each criterion, by its place: its sentence is content and is not here. */
export const criterionFacts = (criteria: readonly Facts[], look: Look): string[] =>
  criteria.map((one, at) => {
    const words = [`criterion ${at + 1}`, `weight ${one.weight}`, agreed(one)];
    const line = words.filter((word) => word !== '').join(' · ');
    return `${INDENT}${markOf(one.met, look)} ${look.ink.dim(line)}`;
  });

/** Sentence by sentence, with the judge's reason under what it did not find met. */
export const criterionLines = (criteria: readonly CriterionBody[], look: Look): string[] =>
  criteria.flatMap((one) => {
    const room = Math.max(40, look.width - INDENT.length - 2 - WEIGHT);
    const weight = look.ink.dim(padEnd(String(Number(one.weight.toPrecision(3))), WEIGHT));
    const votes = agreed(one) === '' ? '' : ` (${agreed(one)})`;
    const [sentence = '', ...more] = look.uncut
      ? wrapWhole(printable(one.text), room - votes.length)
      : [truncate(printable(one.text), room - votes.length)];
    const head = `${INDENT}${markOf(one.met, look)} ${weight}${sentence}${look.ink.dim(votes)}`;
    const lay = look.uncut ? wrapWhole : wrap;
    const why = one.met === false && one.reason ? lay(printable(one.reason), room).map(look.ink.dim) : [];
    return [head, ...[...more, ...why].map((line) => `${INDENT}${' '.repeat(2 + WEIGHT)}${line}`)];
  });

/** One failed or unscored task: a line of facts, then what was expected and what came when bodies may be shown. */
export function renderFailure(failure: Failure, look: Look): string[] {
  return [
    factsLine(failure, look),
    ...traits(failure, look),
    ...(failure.bodies ? renderBodies(failure.bodies, failure, look) : []),
  ];
}

function factsLine(failure: Failure, look: Look): string {
  const latency = failure.latencyMs === undefined ? '' : duration(failure.latencyMs);
  return failureLine(failure, truncateMiddle(failure.taskId, look.width - 4 - 21), latency, look);
}

/** The mark, the name, and at the right end the score and another fact. */
export function failureLine(failure: Failure, name: string, fact: string, { ink, width }: Look): string {
  const mark = failure.unscored ? ink.yellow('?') : ink.red('✗');
  const value = failure.unscored ? 'unscored' : score(failure.score);
  const right = padStart(value, 9) + padStart(fact, 12);
  return `  ${mark} ${ink.bold(name)}${ink.dim(padStart(right, width - 4 - displayWidth(name)).trimEnd())}`;
}

/** What can be said without any content. */
function traits(failure: Failure, { ink, width }: Look): string[] {
  const found = (failure.findings ?? []).map(
    ({ kind, severity }) => `finding: ${printable(kind)} (${severity})`,
  );
  const schema = failure.schemaValid === false ? ['the answer does not fit the agent’s return schema'] : [];
  const reason = failure.bodies
    ? []
    : [whyNot(failure), checkWords(failure), criteriaWords(failure)].filter((words) => words !== undefined);
  return [...reason, ...schema, ...found].map(
    (line) => INDENT + ink.dim(truncate(line, width - INDENT.length)),
  );
}

/** What a task came to as a whole, beside what one answer looks like. */
type Verdict = { readonly score: number; readonly findings?: readonly Finding[] };

export function renderBodies(bodies: FailureBodies, verdict: Verdict, look: Look): string[] {
  if (bodies.expected.kind === 'rubric') {
    const got = bodies.got ? labelled('got', quote(bodies.got.value), look) : renderNoAnswer(bodies, look);
    // An answer without a score has a reason: the judge's trouble.
    const { reason } = bodies;
    const why = bodies.got && reason !== undefined ? printedLines('reason', reason, look) : [];
    return [...criterionLines(bodies.expected.criteria, look), ...got, ...why];
  }
  const { strategy, value } = bodies.expected;
  // An answer that was refused or broke its schema was never compared, so a difference would explain nothing.
  if (!bodies.got || bodies.outcome === 'refused' || bodies.outcome === 'failed')
    return [...labelled('expected', `${strategy} ${quote(value)}`, look), ...renderNoAnswer(bodies, look)];
  if (verdict.findings?.length && isMatch(strategy, value, bodies.got.value))
    return [
      ...labelled('expected', `${strategy} ${quote(value)}`, look),
      ...labelled('got', quote(bodies.got.value), look),
      ...hint(`it matches; a finding set the score to ${score(verdict.score)}`, look),
    ];
  if (strategy === 'json-match') return jsonLines(value, parsed(bodies.got.value), look);
  if (strategy === 'contains') return containsLines(value, bodies.got.value, look);
  return exactLines(value, bodies.got.value, look);
}

/** Where two lines are compared by eye, a longer one does not help. */
const COMPARED = 100;

function exactLines(expected: Json, got: Json, look: Look): string[] {
  const [left, right] = [quote(expected), quote(got)];
  const sides = alignTexts(left, right, Math.min(room(look), COMPARED));
  const miss = typeof expected === 'string' && typeof got === 'string' ? nearMiss(expected, got) : undefined;
  const isCut = sides.expected !== left || sides.got !== right;
  const texts =
    look.uncut && isCut ? [...labelled('expected', left, look), ...labelled('got', right, look)] : [];
  return [
    ...texts,
    ...labelled(texts.length > 0 ? 'differ' : 'expected', sides.expected, look),
    ...labelled(texts.length > 0 ? '' : 'got', sides.got, look),
    ...(sides.marks === '' ? [] : [`${INDENT}${' '.repeat(LABEL)}${look.ink.red(sides.marks)}`]),
    ...hint(miss, look),
  ];
}

function containsLines(expected: Json, got: Json, look: Look): string[] {
  const text = typeof got === 'string' ? got : quote(got);
  const otherCase =
    typeof expected === 'string' &&
    !text.includes(expected) &&
    text.toLowerCase().includes(expected.toLowerCase());
  return [
    ...labelled('contains', quote(expected), look),
    ...labelled('got', quote(got), look),
    ...hint(otherCase ? 'it is there, in other upper and lower case' : undefined, look),
  ];
}

function jsonLines(expected: Json, got: Json, look: Look): string[] {
  const shown = look.uncut ? 20 : 4;
  const differences = jsonDifferences(expected, got, shown + 1);
  const sides = [...labelled('expected', quote(expected), look), ...labelled('got', quote(got), look)];
  const wholly = differences[0]?.pointer === '/';
  if (wholly || differences.length === 0) return sides;
  const column = Math.min(24, Math.max(...differences.map((one) => one.pointer.length)));
  const lines = differences.slice(0, shown).map((one) => differenceLine(one, column, look));
  const more = differences.length > shown ? [INDENT + look.ink.dim('… and more places')] : [];
  return [...lines, ...more, ...(look.uncut ? sides : [])];
}

function differenceLine(difference: JsonDifference, column: number, look: Look): string {
  const pointer = padEnd(truncate(printable(difference.pointer), column), column);
  const half = Math.max(12, Math.floor((look.width - INDENT.length - column - 17) / 2));
  const got = difference.got === undefined ? 'nothing' : truncate(difference.got, half);
  const words =
    difference.expected === undefined
      ? `unexpected ${truncate(difference.got ?? '', half * 2)}`
      : `expected ${look.ink.green(truncate(difference.expected, half))}, got ${look.ink.red(got)}`;
  return `${INDENT}${look.ink.dim(pointer)}  ${words}`;
}

/** The reason is what the reader came for, so it is never cut short. An error keeps its lines. */
export function renderNoAnswer({ outcome, reason }: FailureBodies, look: Look): string[] {
  const words = outcome === 'refused' ? 'the agent refused' : 'no answer';
  return printedLines('got', reason ?? words, look);
}

const hint = (words: string | undefined, { ink }: Look): string[] =>
  words ? [`${INDENT}${' '.repeat(LABEL)}${ink.dim(words)}`] : [];
