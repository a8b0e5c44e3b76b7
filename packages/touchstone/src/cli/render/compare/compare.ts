import {
  type ChangedCriterion,
  defined,
  type Json,
  judgesDiffer,
  type MeasuredRun,
  type NoVerdict,
  type RunComparison,
} from '@touchstone/protocol';
import {
  changeCertainty,
  commonWords,
  forkWords,
  percent,
  plural,
  refOf,
  regressionWords,
} from '@touchstone/sdk/view';
import { judgeDocument } from '../../../exporters/index.js';
import type { AnswerPair, Bodies, TaskAnswer } from '../../comparing/answers.js';
import type { ExitCode } from '../../io.js';
import { blocks, noteLines, readable, restLines, trendMark, wrapped } from '../layout.js';
import { verdictPaint } from '../run/sections.js';
import { type Look, printable, truncate, truncateMiddle } from '../text.js';
import { renderTextDiff } from '../text-diff.js';
import { pairLines, renderSides, totalLines } from './side-by-side.js';

/** The verdict in the words of a scorecard, and how sure it is; or why there is none. */
function verdictLines({ regression, noVerdict }: RunComparison, look: Look): string[] {
  const { ink } = look;
  if (!regression)
    return noteLines([`no verdict: ${noVerdict?.message ?? ''}`, hintOf(noVerdict)], look, ink.yellow);
  return [
    ...noteLines([regressionWords(regression)], look, verdictPaint(regression, ink)),
    ...noteLines(changeCertainty(regression), look, ink.dim),
  ];
}

const hintOf = (noVerdict: NoVerdict | undefined): string | undefined =>
  noVerdict?.commonTasks === undefined ? undefined : commonWords(noVerdict.commonTasks);

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
export function renderCompare(comparison: RunComparison, bodies: Bodies, wide: CompareLook): string {
  const look = readable(wide, 60, 120);
  const { before, after } = comparison;
  const parts = [
    renderSides(before, after, look.now, look),
    verdictLines(comparison, look),
    pairLines(comparison, look),
    criterionLines(comparison.criteria, bodies.sentences, look),
    ...answerParts(bodies, look),
    totalLines(comparison, look),
    noteLines(notesOf(comparison), look, look.ink.yellow),
  ];
  return `\n${blocks(parts)}\n`;
}

/** By sentence where content may be shown, otherwise by name. */
function criterionLines(
  criteria: readonly ChangedCriterion[],
  sentences: Bodies['sentences'],
  look: CompareLook,
): string[] {
  const shown = criteria.slice(0, look.all ? criteria.length : CRITERIA_SHOWN);
  const lines = shown.map(({ id, before, after, tasks }) => {
    const counts = `met ${percent(before)} → ${percent(after)} in ${plural(tasks, 'task')}`;
    return criterionLine(trendMark(after - before, look.ink), sentences.get(id) ?? id, counts, look);
  });
  return [...lines, ...restLines(criteria.length - shown.length, look, ' criteria: add --all')];
}

/** `↓ It apologises.  met 90 % → 50 % in 10 tasks` */
export function criterionLine(mark: string, sentence: string, counts: string, look: Look): string {
  const name = truncate(printable(sentence), Math.max(20, look.width - counts.length - 6));
  return `  ${mark} ${name}  ${look.ink.dim(counts)}`;
}

function answerParts({ answers, moreAnswers, removed }: Bodies, look: CompareLook): string[][] {
  if (removed.length > 0)
    return [
      [
        `    ${look.ink.yellow(`The answers of ${removed.join(' and ')} were removed: only scores are compared.`)}`,
      ],
    ];
  const rows = look.task ? Number.POSITIVE_INFINITY : ROWS_SHOWN;
  const parts = answers.map((pair) => [
    `    ${look.ink.bold(truncateMiddle(printable(pair.taskId), look.width - 4))}`,
    ...answerLines(pair, { ...look, rows }),
  ]);
  const words = ` changed answer${moreAnswers === 1 ? '' : 's'}: add --task <taskId>`;
  return [...parts, restLines(moreAnswers, look, words, 4)];
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
function notesOf({ before, after, regression }: RunComparison): readonly (string | undefined)[] {
  const sides = Object.entries({ before, after });
  const files = sides.filter(([, { imported }]) => imported).map(([when]) => when);
  return [
    ...sides.map(([when, { fork }]) => fork && `The run ${when} is ${forkWords(fork)}`),
    // With a verdict it has been said already.
    !regression && judgesDiffer(before, after) ? 'The two runs were scored by different judges.' : undefined,
    files.length > 0
      ? `Only the scorecard of the run ${files.join(' and of the run ')} is here: there are no answers to show.`
      : undefined,
  ];
}

/** The `--json` form: ids and numbers; answers and sentences only when they were asked for. */
export function compareDocument(comparison: RunComparison, bodies: Bodies, exitCode: ExitCode): object {
  const { before, after, noVerdict, regression, tasks, criteria } = comparison;
  return {
    exitCode,
    before: sideDocument(before),
    after: sideDocument(after),
    comparable: regression !== undefined,
    ...defined({ reason: noVerdict?.message, commonTasks: noVerdict?.commonTasks, regression }),
    tasks: tasks.map(({ rubric: _, ...pair }) => pair),
    ...(criteria.length > 0 && {
      criteria: criteria.map(({ example: _, ...facts }) =>
        defined({ ...facts, sentence: bodies.sentences.get(facts.id) }),
      ),
    }),
    ...(bodies.answers.length > 0 && { answers: bodies.answers }),
  };
}

const sideDocument = (side: MeasuredRun): object => ({
  runId: side.runId,
  suite: { ref: refOf(side.suite), digest: side.suite.digest },
  agent: { agentId: side.agent.agentId, version: side.agent.version, digest: side.agent.digest },
  ...defined({
    model: side.model,
    judge: side.judge && judgeDocument(side.judge),
    safetyJudge: side.safetyJudge && judgeDocument(side.safetyJudge),
    simulatedUser: side.simulatedUser,
    contract: side.contract && { digest: side.contract, verdict: side.contractVerdict },
  }),
  repeats: side.repeats,
  score: side.score,
  tasks: side.tasks,
  endedAt: side.endedAt,
  ...defined({ fork: side.fork, imported: side.imported }),
});
