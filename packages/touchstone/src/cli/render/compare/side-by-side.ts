import type { ComparedScore, MeasuredRun, RunComparison, TaskPair, Turn } from '@touchstone/protocol';
import {
  ago,
  duration,
  flipOf,
  judgeName,
  KEPT,
  modelName,
  plural,
  refOf,
  score,
  signed,
  usd,
  whole,
} from '@touchstone/sdk/view';
import { restLines } from '../layout.js';
import { displayWidth, type Ink, type Look, padEnd, padStart, printable, truncateMiddle } from '../text.js';

const ROWS_SHOWN = 50;
const NUMBER = 9;
const FLIP = '  now passes'.length;

type Shown = Look & { readonly all: boolean; readonly task: boolean };

const MARKS = {
  worse: ['↓', 'red'],
  unclear: ['?', 'yellow'],
  better: ['↑', 'green'],
  same: ['=', 'dim'],
  gone: ['-', 'dim'],
  new: ['+', 'dim'],
} as const;

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
  return [
    `    ${ink.dim(padEnd('task', column) + numbers)}`,
    ...shown.map((pair) => pairLine(pair, column, ink)),
    ...restLines(wanted.length - shown.length, look, ': add --all', 4),
  ];
}

/** Within one suite a task that only one run has was not selected in the other, and that is no news. */
const isShown = (turn: Turn, sameSuite: boolean): boolean =>
  turn !== 'same' && !(sameSuite && (turn === 'gone' || turn === 'new'));

function pairLine(pair: TaskPair, column: number, ink: Ink): string {
  const [mark, colour] = MARKS[pair.turn];
  const paint = ink[colour];
  const flip = flipOf(pair);
  const name = padEnd(truncateMiddle(printable(pair.taskId), column), column);
  const scores = `${padStart(seenText(pair.before), NUMBER)}${padStart(seenText(pair.after), NUMBER)}`;
  const words = flip === undefined ? '' : `  now ${flip}`;
  return `  ${paint(mark)} ${name}${scores}${paint(padStart(changeText(pair), NUMBER) + words)}`;
}

export const seenText = (seen: ComparedScore | undefined): string =>
  !seen ? '–' : seen.unscored ? 'unscored' : score(seen.score);

const changeText = ({ change, turn }: TaskPair): string =>
  change === undefined ? (turn === 'unclear' || turn === 'same' ? '–' : turn) : signed(change);

/** How many tasks went which way, and what the rest of the scorecards says. */
export function totalLines(
  { tasks, sameTasks = 0, regression }: RunComparison,
  { ink, task }: Shown,
): string[] {
  const turns = new Map<Turn, number>([['same', sameTasks]]);
  const flips = { fails: 0, passes: 0 };
  for (const pair of tasks) {
    turns.set(pair.turn, (turns.get(pair.turn) ?? 0) + 1);
    const flip = flipOf(pair);
    if (flip) flips[flip] += 1;
  }
  const count = (turn: Turn): number => turns.get(turn) ?? 0;
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
  const { fails: failing, passes: passing } = flips;
  const sides = [
    ...(failing > 0 ? [ink.red(`${whole(failing)} now ${failing === 1 ? 'fails' : 'fail'}`)] : []),
    ...(passing > 0 ? [ink.green(`${whole(passing)} now ${passing === 1 ? 'passes' : 'pass'}`)] : []),
  ];
  const facts = factsOf(regression);
  return [
    ...(task ? [] : [`  ${plural(sameTasks + tasks.length, 'task')}: ${counts.join(', ')}`]),
    ...(task || sides.length === 0 ? [] : [`  ${sides.join(' · ')}`]),
    ...(facts.length > 0 ? [`  ${ink.dim(facts.join(' · '))}`] : []),
  ];
}

const factsOf = (regression: RunComparison['regression']): string[] => [
  ...(regression?.cost ? [`cost ${usd(regression.cost.beforeUsd)} → ${usd(regression.cost.afterUsd)}`] : []),
  ...(regression?.latency
    ? [
        `p50 ${duration(regression.latency.before.p50Ms)} → ${duration(regression.latency.after.p50Ms)}`,
        `p95 ${duration(regression.latency.before.p95Ms)} → ${duration(regression.latency.after.p95Ms)}`,
      ]
    : []),
];

/** The least; a longer label makes room for itself. */
const LABEL = 8;
const GAP = 2;

type Row = {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** Saying it twice would only make the reader look for a difference. */
  readonly once?: boolean;
};

/** What is compared: run, suite, agent, models and score of both, in two columns. */
export function renderSides(
  before: MeasuredRun,
  after: MeasuredRun,
  now: number,
  { ink, width }: Look,
): string[] {
  const rows = rowsOf(before, after, now);
  const labels = Math.max(LABEL, ...rows.map(({ label }) => label.length + GAP));
  const room = Math.floor((width - 2 - labels - GAP) / 2);
  const widest = Math.max(...rows.map((row) => displayWidth(row.before)));
  const column = Math.min(room, widest) + GAP;
  const heads = `${' '.repeat(2 + labels)}${ink.dim(`${padEnd('before', column)}after`)}`;
  const lines = rows.map(({ label, before: one, after: other, once }) => {
    const right = once && one === other ? ink.dim('the same') : truncateMiddle(other, room);
    return `  ${ink.dim(padEnd(label, labels))}${padEnd(truncateMiddle(one, room), column)}${right}`;
  });
  return [heads, ...lines];
}

function rowsOf(before: MeasuredRun, after: MeasuredRun, now: number): readonly Row[] {
  const row = (label: string, tell: (side: MeasuredRun) => string | undefined, once = false): Row[] => {
    const [one, other] = [tell(before), tell(after)];
    return one === undefined && other === undefined
      ? []
      : [{ label, before: printable(one ?? '–'), after: printable(other ?? '–'), once }];
  };
  const otherSuite = isHidden(before.suite, after.suite);
  const otherAgent = isHidden(before.agent, after.agent);
  return [
    ...row('run', ({ runId }) => runId),
    ...row('when', (side) =>
      [
        ago(now - Date.parse(side.endedAt)),
        ...(side.fork ? [`a ${side.fork.mode ?? 'fork'}`] : []),
        ...(side.imported ? ['from a file'] : []),
      ].join(', '),
    ),
    ...row('suite', ({ suite }) => refOf(suite), !otherSuite),
    ...(otherSuite ? row('', ({ suite }) => short(suite.digest)) : []),
    ...row('agent', ({ agent }) => refOf(agent), !otherAgent),
    ...(otherAgent ? row('', ({ agent }) => short(agent.digest)) : []),
    ...row('model', ({ model }) => model && modelName(model), true),
    ...row('judge', ({ judge }) => judge && judgeName(judge), before.judge?.digest === after.judge?.digest),
    ...row('user', ({ simulatedUser }) => simulatedUser && modelName(simulatedUser)),
    ...row('safety', ({ safetyJudge }) => safetyJudge && judgeName(safetyJudge)),
    ...row(
      'score',
      ({ score: value, tasks }) => `${score(value)}, ${whole(tasks.passed)} of ${whole(tasks.total)} passed`,
    ),
    ...row('contract', ({ contractVerdict }) => contractVerdict && KEPT[contractVerdict]),
  ];
}

type Pinned = MeasuredRun['suite'] | MeasuredRun['agent'];

/** Something was edited and kept its name: only the digests tell. */
const isHidden = (before: Pinned, after: Pinned): boolean =>
  before.digest !== after.digest && refOf(before) === refOf(after);

/** `sha256:1a2b3c4d…`. */
export const short = (digest: string): string => `${digest.slice(0, 'sha256:'.length + 8)}…`;
