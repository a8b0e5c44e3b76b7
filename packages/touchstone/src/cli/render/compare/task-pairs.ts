import type { ComparedScore, RunComparison, TaskPair, Turn } from '@touchstone/protocol';
import { duration, flipOf, plural, score, signed, usd, whole } from '@touchstone/sdk/view';
import { displayWidth, type Ink, type Look, padEnd, padStart, printable, truncate } from '../text.js';

const ROWS_SHOWN = 50;
const NUMBER = 9;
const FLIP = '  now passes'.length;

type Shown = Look & { readonly all: boolean; readonly task: boolean };

const MARKS: { readonly [T in Turn]: string } = {
  worse: '↓',
  unclear: '?',
  better: '↑',
  same: '=',
  gone: '-',
  new: '+',
};

const paintOf = (turn: Turn, ink: Ink): ((text: string) => string) =>
  turn === 'worse' ? ink.red : turn === 'better' ? ink.green : turn === 'unclear' ? ink.yellow : ink.dim;

/** A row for each task that moved, drops on top; with `all` for every task. */
export function pairLines({ before, after, tasks }: RunComparison, look: Shown): string[] {
  const { ink, width, all, task } = look;
  const sameSuite = before.suite.digest === after.suite.digest;
  const wanted = all || task ? tasks : tasks.filter((pair) => isShown(pair.turn, sameSuite));
  const shown = all ? wanted : wanted.slice(0, ROWS_SHOWN);
  if (shown.length === 0) return [];
  const names = shown.map(({ taskId }) => displayWidth(printable(taskId)));
  const column = Math.min(width - 4 - 3 * NUMBER - FLIP, Math.max('task'.length, ...names));
  const numbers = ['before', 'after', 'change'].map((head) => padStart(head, NUMBER)).join('');
  const more = wanted.length - shown.length;
  return [
    `    ${ink.dim(padEnd('task', column) + numbers)}`,
    ...shown.map((pair) => pairLine(pair, column, ink)),
    ...(more > 0 ? [`    ${ink.dim(`… and ${whole(more)} more: add --all`)}`] : []),
  ];
}

/** Within one suite a task that only one run has was not selected in the other, and that is no news. */
const isShown = (turn: Turn, sameSuite: boolean): boolean =>
  turn !== 'same' && !(sameSuite && (turn === 'gone' || turn === 'new'));

function pairLine(pair: TaskPair, column: number, ink: Ink): string {
  const { turn } = pair;
  const paint = paintOf(turn, ink);
  const flip = flipOf(pair);
  const name = padEnd(truncate(printable(pair.taskId), column), column);
  const scores = `${padStart(seenText(pair.before), NUMBER)}${padStart(seenText(pair.after), NUMBER)}`;
  const words = flip === undefined ? '' : `  now ${flip}`;
  return `  ${paint(MARKS[turn])} ${name}${scores}${paint(padStart(changeText(pair), NUMBER) + words)}`;
}

const seenText = (seen: ComparedScore | undefined): string =>
  !seen ? '–' : seen.unscored ? 'unscored' : score(seen.score);

const changeText = ({ change, turn }: TaskPair): string =>
  change === undefined ? (turn === 'unclear' || turn === 'same' ? '–' : turn) : signed(change);

/** How many tasks went which way, and what the rest of the scorecards says. */
export function totalLines({ tasks, regression }: RunComparison, { ink, task }: Shown): string[] {
  const count = (turn: Turn): number => tasks.filter((pair) => pair.turn === turn).length;
  const flips = tasks.map(flipOf);
  const parts = [
    [count('same'), 'as before'],
    [count('worse'), 'lower'],
    [count('better'), 'higher'],
    [count('unclear'), 'scored by one of the two only'],
    [count('gone'), 'only before'],
    [count('new'), 'only after'],
  ] as const;
  const counts = parts
    .filter(([many], at) => many > 0 || at < 3)
    .map(([many, word]) => `${whole(many)} ${word}`);
  const sides = [
    ...flipWords(flips.filter((flip) => flip === 'fails').length, ['fails', 'fail'], ink.red),
    ...flipWords(flips.filter((flip) => flip === 'passes').length, ['passes', 'pass'], ink.green),
  ];
  const facts = factsOf(regression);
  return [
    ...(task ? [] : [`  ${plural(tasks.length, 'task')}: ${counts.join(', ')}`]),
    ...(task || sides.length === 0 ? [] : [`  ${sides.join(' · ')}`]),
    ...(facts.length > 0 ? [`  ${ink.dim(facts.join(' · '))}`] : []),
  ];
}

const flipWords = (
  many: number,
  [one, several]: readonly [string, string],
  paint: (text: string) => string,
): string[] => (many === 0 ? [] : [paint(`${whole(many)} now ${many === 1 ? one : several}`)]);

const factsOf = (regression: RunComparison['regression']): string[] => [
  ...(regression?.cost ? [`cost ${usd(regression.cost.beforeUsd)} → ${usd(regression.cost.afterUsd)}`] : []),
  ...(regression?.latency
    ? [
        `p50 ${duration(regression.latency.before.p50Ms)} → ${duration(regression.latency.after.p50Ms)}`,
        `p95 ${duration(regression.latency.before.p95Ms)} → ${duration(regression.latency.after.p95Ms)}`,
      ]
    : []),
];
