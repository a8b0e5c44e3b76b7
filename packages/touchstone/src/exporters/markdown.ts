import {
  barsOf,
  checkWords,
  costTexts,
  criteriaWords,
  denialHint,
  deniedWords,
  duration,
  type Failure,
  type FailureBodies,
  intervalOf,
  judgeName,
  type Matrix,
  modelName,
  notesOf,
  plural,
  printableLines,
  quote,
  range,
  refOf,
  score,
  verdictOf,
  whole,
  whyNot,
} from '@touchstone/sdk/view';
import type { ExportedRun, RefusedSuite } from './document.js';
import { matrixSection } from './markdown-matrix.js';
import {
  cell,
  certaintyParts,
  code,
  comparisonParts,
  compositionParts,
  contractParts,
  errorCode,
  folded,
  markerOf,
  suiteMarker,
  table,
} from './markdown-report.js';

const ROWS = 50;

/**
 * A summary for a pull request or a job page: the verdict, what got worse, the bars, the tasks that failed. Each section
 * begins with a line that a bot can find again, so that one comment is replaced rather than another one added.
 */
export function renderMarkdown(
  results: readonly ExportedRun[],
  refused: readonly RefusedSuite[] = [],
  matrices: readonly Matrix[] = [],
): string {
  const sections = [...matrices.map(matrixSection), ...results.map(section), ...refused.map(refusedSection)];
  return printableLines(sections.join('\n---\n\n'));
}

const refusedSection = ({ suite, error }: RefusedSuite): string =>
  `${markerOf(suite.ref)}\n### ⚠️ NOT RUN: ${cell(suite.ref)}\n\n**${errorCode(error.code)}**: ${cell(error.message)}\n`;

const SYMBOLS = { green: '✅', red: '❌', yellow: '⚠️' };

function section(result: ExportedRun): string {
  const { word, paint } = verdictOf(result);
  const compared = result.report?.regression !== undefined;
  const parts = [
    `${suiteMarker(result)}\n### ${SYMBOLS[paint]} ${word}: ${cell(refOf(result.suite))}, agent ${cell(refOf(result.agent))}`,
    ...(result.error ? [`**${errorCode(result.error.code)}**: ${cell(result.error.message)}`] : []),
    cell([deniedWords(result), denialHint(result)].filter((words) => words !== undefined).join(' ')),
    promotionLine(result),
    ...comparisonParts(result),
    barTable(result),
    ...contractParts(result),
    ...certaintyParts(result),
    compared ? foldedFailures(result) : failureTable(result),
    findingTable(result),
    ...compositionParts(result),
    ...notesOf(result).map(cell),
    factsLine(result),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const PROMOTED = { moved: '✅', denied: '❌ denied,', waiting: '⚠️', impossible: '⚠️ not possible,' } as const;

/** Whether the agent was promoted on this run, and why not. */
function promotionLine({ promotion }: ExportedRun): string {
  return promotion ? `**Promotion** ${PROMOTED[promotion.status]} ${cell(promotion.words)}` : '';
}

function factsLine(result: ExportedRun): string {
  const { counts, latency, report } = result;
  const rate =
    report && counts.unscored === 0
      ? `, pass rate ${score(report.aggregate.passRate)} (95 %: ${range(report.aggregate.passRateInterval)})`
      : '';
  const facts = [
    `${whole(counts.passed)} passed, ${whole(counts.failed)} failed, ${whole(counts.unscored)} unscored of ${plural(counts.selected, 'task')}${rate}`,
    ...(latency ? [`p50 ${duration(latency.p50Ms)}, p95 ${duration(latency.p95Ms)}`] : []),
    ...costTexts(result),
    ...(result.model ? [`model ${cell(modelName(result.model))}`] : []),
    ...(result.judge ? [`judge ${cell(judgeName(result.judge))}`] : []),
    ...(result.simulatedUser ? [`simulated user ${cell(modelName(result.simulatedUser))}`] : []),
    ...(result.safetyJudge ? [`safety judge ${cell(judgeName(result.safetyJudge))}`] : []),
    `run ${code(result.runId)}`,
  ];
  return facts.join(' · ');
}

function barTable(result: ExportedRun): string {
  const interval = intervalOf(result);
  const rows = barsOf(result).map((bar) => [
    bar.name,
    bar.name === 'score' && interval !== undefined ? `${bar.value} (${interval})` : bar.value,
    `${bar.wanted} ${bar.limit}`,
    bar.idle ? '–' : bar.met ? '✅' : '❌',
  ]);
  return table(['bar', 'value', 'wanted', 'met'], rows);
}

/** Which tasks failed has been said above; here is why, as far as something is known. */
function foldedFailures(result: ExportedRun): string {
  const { failures } = result;
  const explained = failures.some((failure) => note(failure, true) !== '');
  const title = failures.length === 1 ? 'The task' : `The ${whole(failures.length)} tasks`;
  return explained ? folded(`${title} that did not pass`, failureTable(result)) : '';
}

function failureTable({ failures }: ExportedRun): string {
  const bodies = failures.some((failure) => failure.bodies);
  const rows = failures
    .slice(0, ROWS)
    .map((failure) => [code(failure.taskId), shownScore(failure), note(failure, bodies)]);
  const more = failures.length > ROWS ? `\n\n… and ${whole(failures.length - ROWS)} more` : '';
  return table(['task', 'score', 'note'], rows) + more;
}

function findingTable({ findings = [] }: ExportedRun): string {
  const rows = findings.map(({ kind, severity, taskIds }) => [
    cell(kind),
    cell(severity),
    `${taskIds.length}: ${cell(listed(taskIds))}`,
  ]);
  return table(['finding', 'severity', 'tasks'], rows);
}

const IDS = 10;
const listed = (ids: readonly string[]): string =>
  ids.length > IDS ? `${ids.slice(0, IDS).join(', ')} …` : ids.join(', ');

const shownScore = (failure: Failure): string => (failure.unscored ? '–' : score(failure.score));

function note(failure: Failure, bodies: boolean): string {
  const sentences = failure.bodies ? unmetSentences(failure.bodies) : [];
  const traits = [
    ...(failure.schemaValid === false ? ['return schema not met'] : [whyNot(failure) ?? '']),
    checkWords(failure) ?? '',
    // The sentences say which ones.
    criteriaWords(sentences.length > 0 ? withoutChecks(failure) : failure) ?? '',
    ...sentences,
    ...(failure.findings ?? []).map(({ kind, severity }) => `${kind} (${severity})`),
  ];
  const sides = bodies && failure.bodies ? sidesOf(failure.bodies) : [];
  return cell([...traits, ...sides].filter((text) => text !== '').join(', '));
}

const withoutChecks = ({ criteria }: Failure): Pick<Failure, 'criteria'> =>
  criteria ? { criteria: criteria.map(({ check: _, ...criterion }) => criterion) } : {};

/** What was expected and what came. */
function sidesOf({ expected, got, reason }: FailureBodies): string[] {
  const wanted =
    expected.kind === 'golden' ? [`expected (${expected.strategy}) ${quote(expected.value)}`] : [];
  const came = got ? [`got ${quote(got.value)}`] : reason === undefined ? [] : [`got no answer: ${reason}`];
  return [...wanted, ...came];
}

const unmetSentences = ({ expected }: FailureBodies): string[] =>
  expected.kind === 'golden'
    ? []
    : expected.criteria
        .filter(({ met }) => met === false)
        .map(({ text, reason }) => `not met: ${text}${reason ? ` (${reason})` : ''}`);
