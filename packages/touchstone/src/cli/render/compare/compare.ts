import {
  type ChangedCriterion,
  type Json,
  judgesDiffer,
  type MeasuredRun,
  type ReportedRegression,
  type RunComparison,
} from '@touchstone/protocol';
import {
  changeCertainty,
  forkWords,
  percent,
  plural,
  refOf,
  regressionWords,
  whole,
} from '@touchstone/sdk/view';
import { judgeDocument } from '../../../exporters/index.js';
import type { AnswerPair, Bodies, TaskAnswer } from '../../comparing/answers.js';
import type { ExitCode } from '../../io.js';
import { blocks, type Look, printable, truncate, wrap, wrapped } from '../text.js';
import { renderTextDiff } from '../text-diff.js';
import { pairLines, renderSides, totalLines } from './side-by-side.js';

/** The verdict in the words of a scorecard, and how sure it is; or why there is none. */
function verdictLines({ regression, noVerdict }: RunComparison, { ink, width }: Look): string[] {
  const lay = (text: string): string[] => wrap(text, width - 2);
  const lines = regression
    ? [
        ...lay(regressionWords(regression)).map((line) => ink[paintOf(regression)](ink.bold(line))),
        ...changeCertainty(regression).flatMap((text) => lay(text).map(ink.dim)),
      ]
    : lay(`no verdict: ${noVerdict?.message ?? ''}`).map(ink.yellow);
  return lines.map((line) => `  ${line}`);
}

const paintOf = ({ verdict }: ReportedRegression): 'red' | 'green' | 'yellow' =>
  (({ fail: 'red', pass: 'green', inconclusive: 'yellow' }) as const)[verdict];

const MIN_WIDTH = 60;
const MAX_WIDTH = 120;
const CRITERIA_SHOWN = 10;
/** Of one answer among several; a single one may fill the screen. */
const ROWS_SHOWN = 20;

type CompareLook = Look & {
  /** Every task, unchanged ones included. */
  readonly all: boolean;
  /** A single task was asked for. */
  readonly task: boolean;
  readonly now: number;
};

/** Two runs as a person reads them: what they are, the verdict, what moved, how the answers changed, the totals. */
export function renderCompare(comparison: RunComparison, bodies: Bodies, asked: CompareLook): string {
  const look = { ...asked, width: Math.max(MIN_WIDTH, Math.min(asked.width, MAX_WIDTH)) };
  const { before, after } = comparison;
  const parts = [
    renderSides(before, after, look.now, look),
    verdictLines(comparison, look),
    pairLines(comparison, look),
    criterionLines(comparison.criteria, bodies.sentences, look),
    ...answerParts(bodies, look),
    totalLines(comparison, look),
    noteLines(comparison, look),
  ];
  return `\n${blocks(parts)}\n`;
}

/** By sentence where content may be shown, otherwise by name. */
function criterionLines(
  criteria: readonly ChangedCriterion[],
  sentences: Bodies['sentences'],
  { ink, width, all }: CompareLook,
): string[] {
  const shown = criteria.slice(0, all ? criteria.length : CRITERIA_SHOWN);
  const lines = shown.map(({ id, before, after, tasks }) => {
    const lost = after < before;
    const counts = `met ${percent(before)} → ${percent(after)} in ${plural(tasks, 'task')}`;
    const sentence = printable(sentences.get(id) ?? id);
    const name = truncate(sentence, Math.max(20, width - counts.length - 6));
    const mark = after === before ? ink.yellow('≠') : lost ? ink.red('↓') : ink.green('↑');
    return `  ${mark} ${name}  ${ink.dim(counts)}`;
  });
  const more = criteria.length - shown.length;
  return more > 0 ? [...lines, `  ${ink.dim(`… and ${whole(more)} more criteria: add --all`)}`] : lines;
}

function answerParts({ answers, moreAnswers }: Bodies, look: CompareLook): string[][] {
  const rows = look.task ? Number.POSITIVE_INFINITY : ROWS_SHOWN;
  const parts = answers.map((pair) => [
    `    ${look.ink.bold(truncate(printable(pair.taskId), look.width - 4))}`,
    ...answerLines(pair, { ...look, rows }),
  ]);
  const more = `    ${look.ink.dim(`… and ${plural(moreAnswers, 'more changed answer')}: add --task <taskId>`)}`;
  return moreAnswers > 0 ? [...parts, [more]] : parts;
}

function answerLines({ before, after }: AnswerPair, look: Look & { readonly rows: number }): string[] {
  if (before.output !== undefined && after.output !== undefined)
    return renderTextDiff(textOf(before.output), textOf(after.output), look);
  return [...oneAnswer('before', before, look), ...oneAnswer('after', after, look)];
}

const textOf = (output: Json): string =>
  typeof output === 'string' ? output : JSON.stringify(output, null, 2);

function oneAnswer(label: string, { output, outcome, reason }: TaskAnswer, look: Look): string[] {
  const words = outcome === 'refused' ? 'the agent refused' : 'no answer';
  const why = reason === undefined ? words : `${words}: ${reason}`;
  const text = output === undefined ? why : textOf(output);
  return wrapped(label, printable(text.slice(0, 1_000)), look);
}

/** What a reader has to know before taking the difference for more than it is. */
function noteLines({ before, after, regression }: RunComparison, { ink, width }: Look): string[] {
  const sides = [
    ['before', before],
    ['after', after],
  ] as const;
  const files = [...(before.imported ? ['before'] : []), ...(after.imported ? ['after'] : [])];
  const notes = [
    ...sides.flatMap(([when, { fork }]) => (fork ? [`The run ${when} is ${forkWords(fork)}`] : [])),
    // With a verdict it has been said already.
    ...(!regression && judgesDiffer(before, after) ? ['The two runs were scored by different judges.'] : []),
    ...(files.length > 0
      ? [
          `Only the scorecard of the run ${files.join(' and of the run ')} is here: there are no answers to show.`,
        ]
      : []),
  ];
  return notes.flatMap((note) => wrap(note, width - 2).map((line) => `  ${ink.yellow(line)}`));
}

/** The `--json` form: ids and numbers; answers and sentences only when they were asked for. */
export function compareDocument(comparison: RunComparison, bodies: Bodies, exitCode: ExitCode): object {
  const { before, after, noVerdict, regression, tasks, criteria } = comparison;
  return {
    exitCode,
    before: sideDocument(before),
    after: sideDocument(after),
    comparable: regression !== undefined,
    ...(noVerdict && { reason: noVerdict.message }),
    ...(regression && { regression }),
    tasks: tasks.map(({ rubric: _, ...pair }) => pair),
    ...(criteria.length > 0 && {
      criteria: criteria.map(({ example: _, ...facts }) => ({
        ...facts,
        ...(bodies.sentences.has(facts.id) && { sentence: bodies.sentences.get(facts.id) }),
      })),
    }),
    ...(bodies.answers.length > 0 && { answers: bodies.answers }),
  };
}

const sideDocument = (side: MeasuredRun): object => ({
  runId: side.runId,
  suite: { ref: refOf(side.suite), digest: side.suite.digest },
  agent: { agentId: side.agent.agentId, version: side.agent.version, digest: side.agent.digest },
  ...(side.model && { model: side.model }),
  ...(side.judge && { judge: judgeDocument(side.judge) }),
  ...(side.safetyJudge && { safetyJudge: judgeDocument(side.safetyJudge) }),
  ...(side.contract && { contract: { digest: side.contract, verdict: side.contractVerdict } }),
  repeats: side.repeats,
  score: side.score,
  tasks: side.tasks,
  endedAt: side.endedAt,
  ...(side.fork && { fork: side.fork }),
  ...(side.imported && { imported: true }),
});
