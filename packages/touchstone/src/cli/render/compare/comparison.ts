import { type Agreement, type Confusion, defined, type JudgeComparison } from '@touchstone/protocol';
import {
  judgeName,
  kappaFigure,
  kappaWords,
  percent,
  plural,
  score,
  verdictOf,
  whole,
} from '@touchstone/sdk/view';
import { judgeDocument } from '../../../exporters/index.js';
import type { Sentences } from '../../comparing/answers.js';
import type { RunView } from '../../verbs/run/result.js';
import { blocks, restLines, rowLines, trendMark } from '../layout.js';
import { displayWidth, type Look, padEnd, padStart, printable, truncate, truncateMiddle } from '../text.js';
import { criterionLine } from './compare.js';
import { seenText } from './side-by-side.js';

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
  return Object.entries({ before, now: after }).map(([when, result]) => {
    const { word, paint } = verdictOf(result);
    const judge = result.judge ? printable(judgeName(result.judge)) : 'no judge';
    const isScored = result.summary && result.counts.unscored === 0;
    const value = isScored ? score(result.summary.aggregateScore) : '–';
    const facts = `${ink.dim(padEnd(when, 8))}${ink[paint](padEnd(word, 12))}${padEnd(value, 6)}`;
    return `  ${facts}${ink.dim(truncate(`judge ${judge}`, Math.max(20, width - 28)))}`;
  });
}

function taskLines({ changed, tasks }: JudgeComparison, look: Look): string[] {
  const { ink, width } = look;
  const shown = changed.slice(0, TASKS_SHOWN);
  const column = Math.min(width - 30, Math.max(0, ...shown.map(({ taskId }) => displayWidth(taskId))));
  const lines = shown.map(({ taskId, before, after }) => {
    const isOpen = after.unscored || before.unscored;
    const mark = isOpen ? ink.yellow('?') : trendMark(after.score - before.score, ink);
    const scores = `${padStart(seenText(before), 9)} → ${seenText(after)}`;
    const flips = before.passed === after.passed ? '' : after.passed ? '  now passes' : '  now fails';
    return `  ${mark} ${padEnd(truncateMiddle(taskId, column), column)}${scores}${ink.dim(flips)}`;
  });
  const { same, better, worse, unscored } = tasks;
  const counts = [`${whole(same)} as before`, `${whole(better)} higher`, `${whole(worse)} lower`];
  const all = [...counts, ...(unscored > 0 ? [`${whole(unscored)} not judged by one of the two`] : [])];
  return [
    ...lines,
    ...restLines(changed.length - shown.length, look),
    `  ${plural(same + changed.length, 'task')}: ${all.join(', ')}`,
  ];
}

function agreementLines({ verdicts }: JudgeComparison, look: Look): string[] {
  if (sizeOf(verdicts.confusion) === 0) return [];
  return rowLines(
    [
      ['agreement', shareText(verdicts, ' criteria')],
      ['kappa', kappaText(verdicts.kappa)],
    ],
    look,
    { label: 12 },
  );
}

/** `90 % (9 of 10)` */
export function shareText({ confusion, agreement = 0 }: Agreement, what = ''): string {
  const same = confusion.tp + confusion.tn;
  return `${percent(agreement)} (${whole(same)} of ${whole(sizeOf(confusion))}${what})`;
}

/** Two digits and what they mean. */
export const kappaText = (kappa: number | undefined): string =>
  kappa === undefined ? kappaWords(kappa) : `${kappaFigure(kappa)}, ${kappaWords(kappa)}`;

/** How many verdicts were compared. */
export const sizeOf = ({ tp, fp, fn, tn }: Confusion): number => tp + fp + fn + tn;

function disputedLines({ comparison: { disputed }, sentences }: Rejudged, look: Look): string[] {
  const lines = disputed.slice(0, CRITERIA_SHOWN).map(({ id, compared, same }) => {
    const counts = `${whole(compared - same)} of ${whole(compared)} differ`;
    return criterionLine(look.ink.yellow('≠'), sentences.get(id) ?? id, counts, look);
  });
  return [...lines, ...restLines(disputed.length - lines.length, look, ' criteria')];
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
    disputed: disputed.map(({ example: _, ...facts }) =>
      defined({ ...facts, sentence: sentences.get(facts.id) }),
    ),
  };
}

const sideDocument = ({ runId, summary, judge }: RunView): object => ({
  runId,
  ...(judge && { judge: judgeDocument(judge) }),
  ...(summary && { score: summary.aggregateScore, passed: summary.passed }),
});
