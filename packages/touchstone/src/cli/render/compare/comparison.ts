import type { ComparedScore, Confusion, JudgeComparison } from '@touchstone/protocol';
import { defined } from '@touchstone/protocol';
import { judgeName, kappaWords, percent, plural, score, verdictOf, whole } from '@touchstone/sdk/view';
import { judgeDocument } from '../../../exporters/index.js';
import type { Sentences } from '../../comparing/answers.js';
import type { RunView } from '../../verbs/run/result.js';
import { blocks, displayWidth, type Ink, type Look, padEnd, padStart, printable, truncate } from '../text.js';

const TASKS_SHOWN = 20;
const CRITERIA_SHOWN = 10;

/** Two runs of the same answers, the second judged anew. */
export type Rejudged = {
  readonly before: RunView;
  readonly after: RunView;
  readonly comparison: JudgeComparison;
  /** Of disputed criteria, where content may be shown. */
  readonly sentences: Sentences;
};

/** Both verdicts side by side: the judges, the tasks that came out differently, and how far the judges agree. */
export function renderComparison(rejudged: Rejudged, look: Look): string {
  const parts = [
    sideLines(rejudged, look),
    taskLines(rejudged.comparison, look),
    agreementLines(rejudged.comparison, look),
    disputedLines(rejudged, look),
  ];
  return `${blocks(parts)}\n`;
}

function sideLines({ before, after }: Rejudged, { ink, width }: Look): string[] {
  return [
    ['before', before],
    ['now', after],
  ].map(([when, side]) => {
    const result = side as RunView;
    const { word, paint } = verdictOf(result);
    const judge = result.judge ? printable(judgeName(result.judge)) : 'no judge';
    const value = result.summary ? score(result.summary.aggregateScore) : '–';
    const facts = `${ink.dim(padEnd(String(when), 8))}${ink[paint](padEnd(word, 12))}${padEnd(value, 6)}`;
    return `  ${facts}${ink.dim(truncate(`judge ${judge}`, Math.max(20, width - 28)))}`;
  });
}

const arrow = (change: number, ink: Ink): string => (change > 0 ? ink.green('↑') : ink.red('↓'));
const seenText = ({ score: value, unscored }: ComparedScore): string =>
  unscored ? 'unscored' : score(value);

function taskLines({ changed, tasks }: JudgeComparison, { ink, width }: Look): string[] {
  const shown = changed.slice(0, TASKS_SHOWN);
  const column = Math.min(width - 30, Math.max(0, ...shown.map(({ taskId }) => displayWidth(taskId))));
  const lines = shown.map(({ taskId, before, after }) => {
    const mark = after.unscored || before.unscored ? ink.yellow('?') : arrow(after.score - before.score, ink);
    const scores = `${padStart(seenText(before), 9)} → ${seenText(after)}`;
    const flips = before.passed === after.passed ? '' : after.passed ? '  now passes' : '  now fails';
    return `  ${mark} ${padEnd(truncate(taskId, column), column)}${scores}${ink.dim(flips)}`;
  });
  const more = changed.length - shown.length;
  const { same, better, worse, unscored } = tasks;
  const counts = [`${whole(same)} as before`, `${whole(better)} higher`, `${whole(worse)} lower`];
  const all = [...counts, ...(unscored > 0 ? [`${whole(unscored)} not judged by one of the two`] : [])];
  return [
    ...lines,
    ...(more > 0 ? [`  ${ink.dim(`… and ${whole(more)} more`)}`] : []),
    `  ${plural(same + changed.length, 'task')}: ${all.join(', ')}`,
  ];
}

function agreementLines({ verdicts }: JudgeComparison, { ink }: Look): string[] {
  const { confusion, agreement = 0, kappa } = verdicts;
  const compared = sizeOf(confusion);
  if (compared === 0) return [];
  const number = kappa === undefined ? '' : `${(Math.floor(kappa * 100 + 1e-9) / 100).toFixed(2)}, `;
  const same = confusion.tp + confusion.tn;
  return [
    `  ${ink.dim(padEnd('agreement', 12))}${percent(agreement)} (${whole(same)} of ${whole(compared)} criteria)`,
    `  ${ink.dim(padEnd('kappa', 12))}${number}${kappaWords(kappa)}`,
  ];
}

/** How many verdicts were compared. */
export const sizeOf = ({ tp, fp, fn, tn }: Confusion): number => tp + fp + fn + tn;

function disputedLines({ comparison: { disputed }, sentences }: Rejudged, { ink, width }: Look): string[] {
  const lines = disputed.slice(0, CRITERIA_SHOWN).map(({ id, compared, same }) => {
    const counts = `${whole(compared - same)} of ${whole(compared)} differ`;
    const sentence = sentences.get(id);
    const room = Math.max(20, width - counts.length - 8);
    const name = sentence === undefined ? id : truncate(printable(sentence), room);
    return `  ${ink.yellow('≠')} ${name}  ${ink.dim(counts)}`;
  });
  const more = disputed.length - lines.length;
  return more > 0 ? [...lines, `  ${ink.dim(`… and ${whole(more)} more criteria`)}`] : lines;
}

/** The `--json` form: ids and numbers; sentences only when they were asked for. */
export function comparisonDocument({ before, after, comparison, sentences }: Rejudged): object {
  const { tasks, changed, verdicts, disputed } = comparison;
  const { confusion, agreement, kappa } = verdicts;
  return {
    before: sideDocument(before),
    after: sideDocument(after),
    tasks,
    changed,
    criteria: {
      compared: sizeOf(confusion),
      ...defined({ agreement, kappa }),
      ...(agreement !== undefined && { reading: kappaWords(kappa) }),
      confusion,
    },
    disputed: disputed.map(({ example: _, ...facts }) => {
      const sentence = sentences.get(facts.id);
      return { ...facts, ...(sentence !== undefined && { sentence }) };
    }),
  };
}

const sideDocument = ({ runId, summary, judge }: RunView): object => ({
  runId,
  ...(judge && { judge: judgeDocument(judge) }),
  ...(summary && { score: summary.aggregateScore, passed: summary.passed }),
});
