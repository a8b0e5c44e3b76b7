import { type Failure, type FailureBodies, type RefusedSuite, type RunResult, refOf } from '../result.js';
import { barsOf } from './bars.js';
import { criteriaWords } from './criteria.js';
import { whyNot } from './failure.js';
import { costTexts, judgeName, modelName, notesOf } from './notes.js';
import { quote } from './text.js';
import { duration, plural, score, whole } from './units.js';
import { verdictOf } from './verdict.js';

const ROWS = 50;

/** A summary for a pull request or a job page: the verdict, the bars, the tasks that failed. */
export function renderMarkdown(results: readonly RunResult[], refused: readonly RefusedSuite[] = []): string {
  return [...results.map(section), ...refused.map(refusedSection)].join('\n---\n\n');
}

const refusedSection = ({ suite, error }: RefusedSuite): string =>
  `### ⚠️ NOT RUN: ${cell(suite.ref)}\n\n**${error.code}**: ${cell(error.message)}\n`;

function section(result: RunResult): string {
  const { word } = verdictOf(result);
  const { counts } = result;
  const facts = [
    `${whole(counts.passed)} passed, ${whole(counts.failed)} failed, ${whole(counts.unscored)} unscored of ${plural(counts.selected, 'task')}`,
    ...(result.latency
      ? [`p50 ${duration(result.latency.p50Ms)}, p95 ${duration(result.latency.p95Ms)}`]
      : []),
    ...costTexts(result),
    ...(result.model ? [`model ${cell(modelName(result.model))}`] : []),
    ...(result.judge ? [`judge ${cell(judgeName(result.judge))}`] : []),
    ...(result.safetyJudge ? [`safety judge ${cell(judgeName(result.safetyJudge))}`] : []),
    `run \`${result.runId}\``,
  ];
  const parts = [
    `### ${word === 'PASS' ? '✅' : word === 'FAIL' ? '❌' : '⚠️'} ${word}: ${cell(refOf(result.suite))}, agent ${cell(refOf(result.agent))}`,
    ...(result.error ? [`**${result.error.code}**: ${cell(result.error.message)}`] : []),
    barTable(result),
    failureTable(result),
    findingTable(result),
    ...notesOf(result),
    facts.join(' · '),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function barTable(result: RunResult): string {
  const rows = barsOf(result).map(
    (bar) => `| ${bar.name} | ${bar.value} | ${bar.wanted} ${bar.limit} | ${bar.met ? '✅' : '❌'} |`,
  );
  return rows.length === 0 ? '' : ['| bar | value | wanted | met |', '|---|---|---|---|', ...rows].join('\n');
}

function failureTable({ failures }: RunResult): string {
  if (failures.length === 0) return '';
  const bodies = failures.some((failure) => failure.bodies);
  const head = ['| task | score | note |', '|---|---|---|'];
  const rows = failures
    .slice(0, ROWS)
    .map((failure) => `| \`${failure.taskId}\` | ${shownScore(failure)} | ${note(failure, bodies)} |`);
  const more = failures.length > ROWS ? [`\n… and ${whole(failures.length - ROWS)} more`] : [];
  return [...head, ...rows, ...more].join('\n');
}

function findingTable({ findings = [] }: RunResult): string {
  if (findings.length === 0) return '';
  const rows = findings.map(
    ({ kind, severity, taskIds }) =>
      `| ${cell(kind)} | ${severity} | ${taskIds.length}: ${cell(listed(taskIds))} |`,
  );
  return ['| finding | severity | tasks |', '|---|---|---|', ...rows].join('\n');
}

const IDS = 10;
const listed = (ids: readonly string[]): string =>
  ids.length > IDS ? `${ids.slice(0, IDS).join(', ')} …` : ids.join(', ');

const shownScore = (failure: Failure): string => (failure.unscored ? '–' : score(failure.score));

function note(failure: Failure, bodies: boolean): string {
  const traits = [
    ...(failure.schemaValid === false ? ['return schema not met'] : [whyNot(failure) ?? '']),
    criteriaWords(failure) ?? '',
    ...(failure.bodies ? unmetSentences(failure.bodies) : []),
    ...(failure.findings ?? []).map(({ kind, severity }) => `${kind} (${severity})`),
  ];
  const got = bodies && failure.bodies?.got ? [`got ${quote(failure.bodies.got.value)}`] : [];
  return cell([...traits, ...got].filter((text) => text !== '').join(', '));
}

const unmetSentences = ({ expected }: FailureBodies): string[] =>
  expected.kind === 'golden'
    ? []
    : expected.criteria
        .filter(({ met }) => met === false)
        .map(({ text, reason }) => `not met: ${text}${reason ? ` (${reason})` : ''}`);

/** Nothing in a cell may end the cell, the row or the table. */
const cell = (text: string): string => text.replace(/[\\|`<>*_[\]]/g, '\\$&').replace(/\s+/g, ' ');
