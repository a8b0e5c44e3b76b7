import type { GateStatus, ReportedGate } from '@touchstone/protocol';
import {
  barsOf,
  type CriterionBody,
  criteriaWords,
  criterionReport,
  type Failure,
  type FindingCount,
  forkWords,
  INCONCLUSIVE,
  inconclusiveWords,
  judgeName,
  metWords,
  modelName,
  plural,
  quote,
  refOf,
  regressionWords,
  requiredWords,
  score,
  slaWords,
  verdictOf,
  whyNot,
} from '@touchstone/sdk/view';
import type { ExportedRun, RefusedSuite } from './document.js';

/** What XML 1.0 cannot write, not even as a character reference, is among these; three of them it can. */
const UNWRITABLE = /\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;
const REFERENCES: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

export const escapeXml = (text: string): string =>
  text
    .replace(UNWRITABLE, (char) =>
      REFERENCES[char] ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replace(/[&<>"'\t\n\r]/g, (char) => REFERENCES[char] ?? char);

/** A JUnit report: one test suite per run. A failed task is a failure, a task or run that could not be judged an error. */
export function renderJunit(results: readonly ExportedRun[], refused: readonly RefusedSuite[] = []): string {
  const suites = [...results.map(suiteElement), ...refused.map(refusedElement)].join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="touchstone">\n${suites}\n</testsuites>\n`;
}

/** A test case; only `pass` and `warn` leave a report green. */
type Case = { readonly status: GateStatus; readonly element: string };

const CHILDREN = { fail: 'failure', error: 'error', warn: 'skipped' } as const;

/** A case that did not pass says why: in a sentence, and for a failure or an error with its type. */
function caseOf(
  { suite }: Pick<ExportedRun, 'suite'>,
  name: string,
  status: GateStatus,
  message = '',
  type?: string,
): Case {
  const why = type === undefined || status === 'warn' ? { message } : { message, type };
  const child = status === 'pass' ? '' : `<${CHILDREN[status]} ${attributeText(why)}/>`;
  return { status, element: caseElement({ classname: refOf(suite), name }, child) };
}

const caseElement = (attributes: Attributes, child: string): string =>
  child === ''
    ? `    <testcase ${attributeText(attributes)}/>`
    : `    <testcase ${attributeText(attributes)}>\n      ${child}\n    </testcase>`;

function suiteElement(result: ExportedRun): string {
  const failures = new Map(result.failures.map((failure) => [failure.taskId, failure]));
  const tasks = (result.summary?.tasks ?? result.failures).map((task) =>
    taskCase(result, task, failures.get(task.taskId)),
  );
  const allPassed = tasks.every(({ status }) => status === 'pass');
  const cases = [
    ...tasks,
    ...gateCases(result),
    ...promotionCases(result),
    ...(allPassed ? barCases(result) : []),
    ...regressionCases(result),
    ...(result.summary ? inconclusiveCases(result) : [runErrorCase(result)]),
  ];
  const count = (status: GateStatus): number => cases.filter((one) => one.status === status).length;
  const attributes = attributeText({
    name: refOf(result.suite),
    tests: cases.length,
    failures: count('fail'),
    errors: count('error'),
    ...(count('warn') > 0 && { skipped: count('warn') }),
    time: (result.wallMs / 1000).toFixed(3),
  });
  const body = [...propertyLines(result), ...cases.map(({ element }) => element)].join('\n');
  return `  <testsuite ${attributes}>\n${body}\n  </testsuite>`;
}

/** A suite that was not run must not look like one that does not exist. */
function refusedElement({ suite, error }: RefusedSuite): string {
  const attributes = attributeText({ name: suite.ref, tests: 1, failures: 0, errors: 1, time: '0.000' });
  const reason = `<error ${attributeText({ type: error.code, message: error.message })}/>`;
  return `  <testsuite ${attributes}>\n${caseElement({ name: '(run)', classname: suite.ref }, reason)}\n  </testsuite>`;
}

function propertyLines(result: ExportedRun): string[] {
  const { summary, model, judge, safetyJudge, judgeUsd, fork, report, uncompared } = result;
  const properties: { readonly [name: string]: string | number | undefined } = {
    runId: result.runId,
    agent: refOf(result.agent),
    verdict: verdictOf(result).word,
    score: summary?.aggregateScore,
    model: model && modelName(model),
    judge: judge && judgeName(judge),
    safetyJudge: safetyJudge && judgeName(safetyJudge),
    judgeUsd,
    rejudgeOf: result.rejudgeOf,
    fork: fork && forkWords(fork),
    findings: result.findings?.map(findingWords).join('; '),
    cacheHits: result.cacheHits || undefined,
    nondeterministic: result.nondeterministic && 'true',
    interval: report?.aggregate.interval.join(' '),
    baseline: report?.regression?.baselineRunId,
    regression: report?.regression && regressionWords(report.regression),
    contract: result.contract?.verdict,
    comparison: uncompared && `not made: ${uncompared}`,
  };
  const lines = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [`      <property ${attributeText({ name, value })}/>`],
  );
  return ['    <properties>', ...lines, '    </properties>'];
}

const findingWords = ({ kind, severity, taskIds }: FindingCount): string =>
  `${kind} (${severity}): ${plural(taskIds.length, 'task')}`;

type TaskFacts = { readonly taskId: string; readonly latencyMs?: number };
type Trouble = { readonly status: GateStatus; readonly inner: string };

function taskCase(result: ExportedRun, task: TaskFacts, failure: Failure | undefined): Case {
  const { status, inner }: Trouble = failure ? troubleOf(result, failure) : { status: 'pass', inner: '' };
  const attributes = {
    classname: refOf(result.suite),
    name: task.taskId,
    ...(task.latencyMs !== undefined && { time: (task.latencyMs / 1000).toFixed(3) }),
  };
  return { status, element: caseElement(attributes, inner) };
}

/** A contract may let some tasks miss a criterion. Such a task has not done well, and nothing has failed by it. */
function troubleOf({ contract }: ExportedRun, failure: Failure): Trouble {
  const missed = missedGates(contract, failure);
  const isMissed = missed.length === 0 || missed.some(({ status }) => status === 'fail');
  if (failure.unscored) return { status: 'error', inner: troubleElement(failure) };
  if (isMissed) return { status: 'fail', inner: troubleElement(failure) };
  const open = missed.filter(({ id, status }) => status === 'error' && isOpen(failure, id));
  if (open.length > 0) {
    const message = `not judged: ${open.map(({ id }) => id).join(', ')}`;
    return { status: 'error', inner: `<error ${attributeText({ message, type: 'gate' })}/>` };
  }
  const words = `score ${score(failure.score)}: ${allowedWords(failure, missed)}`;
  return { status: 'pass', inner: `<system-out>${escapeXml(words)}</system-out>` };
}

/** The strict gates that a task misses. Another host does not say which those are of a task: then it may be any. */
function missedGates(contract: ExportedRun['contract'], { criteria }: Failure): readonly ReportedGate[] {
  const strict = contract?.criteria.filter((gate) => gate.strict) ?? [];
  if (!criteria) return strict;
  const missed = new Set(criteria.filter(({ met }) => met < 1).map(({ id }) => id));
  return strict.filter(({ id }) => missed.has(id));
}

const isOpen = ({ criteria = [] }: Failure, gate: string): boolean =>
  criteria.some(({ id, unjudged }) => id === gate && unjudged);

/** `misses accuracy (met: 3 of 4, required: 75 %), which the contract allows` */
function allowedWords({ criteria }: Failure, missed: readonly ReportedGate[]): string {
  if (!criteria) return 'the contract allows it';
  const gates = missed.map((gate) => `${gate.id} (met: ${metWords(gate)}, required: ${requiredWords(gate)})`);
  return `misses ${gates.join(', ')}, which the contract allows`;
}

function troubleElement(failure: Failure): string {
  if (failure.unscored) return `<error ${attributeText({ message: 'unscored', type: failure.unscored })}/>`;
  const found = (failure.findings ?? []).map(({ kind, severity }) => `${kind} (${severity})`);
  const why = [whyNot(failure), criteriaWords(failure), ...found].filter((words) => words !== undefined);
  const message = [`score ${score(failure.score)}`, why.join(', ')].filter((part) => part !== '').join(': ');
  const attributes = attributeText({ message, type: failure.outcome === 'refused' ? 'refused' : 'failed' });
  const text = failure.bodies ? quoteBodies(failure) : criterionReport(failure).join('\n');
  return text === '' ? `<failure ${attributes}/>` : `<failure ${attributes}>${escapeXml(text)}</failure>`;
}

function quoteBodies({ bodies }: Failure): string {
  if (!bodies) return '';
  const expected =
    bodies.expected.kind === 'golden'
      ? `expected (${bodies.expected.strategy}): ${quote(bodies.expected.value)}`
      : bodies.expected.criteria.map(criterionWords).join('\n');
  const got = bodies.got ? `got: ${quote(bodies.got.value)}` : `no answer: ${bodies.outcome}`;
  return [expected, got, ...(bodies.reason ? [bodies.reason] : [])].join('\n');
}

function criterionWords({ text, met, weight, agreement, reason }: CriterionBody): string {
  const verdict = met === undefined ? 'not decided' : met ? 'met' : 'not met';
  const votes = agreement === undefined ? '' : `, agreement ${Number(agreement.toPrecision(3))}`;
  return `${verdict} (weight ${weight}${votes}): ${text}${reason ? ` — ${reason}` : ''}`;
}

/** One case for each gate that can stop something; one that none of the tasks had to pass was not tried. */
function gateCases(result: ExportedRun): readonly Case[] {
  const { criteria = [], sla } = result.contract ?? {};
  const gates = criteria
    .filter(({ strict }) => strict)
    .map((gate) => {
      const message = `met: ${metWords(gate)}, required: ${requiredWords(gate)}`;
      return caseOf(result, `(gate ${gate.id})`, gate.status, message, 'gate');
    });
  const latency = sla?.policy === 'gate' ? [caseOf(result, '(SLA)', sla.status, slaWords(sla), 'gate')] : [];
  return [...gates, ...latency];
}

/** A promotion that was denied fails the report; one that waits is neither a yes nor a no. */
const PROMOTION_STATUS = { moved: 'pass', denied: 'fail', waiting: 'warn', impossible: 'error' } as const;

function promotionCases(result: ExportedRun): readonly Case[] {
  if (!result.promotion) return [];
  const { status, words, code = 'promotion' } = result.promotion;
  return [caseOf(result, '(promotion)', PROMOTION_STATUS[status], words, code)];
}

/**
 * A run can miss a bar with every task passed; who reads only this file must not take it for a pass. A latency that a
 * contract demands is one of its gates.
 */
const barCases = (result: ExportedRun): readonly Case[] =>
  barsOf(result)
    .filter((bar) => !bar.met && !bar.idle && !(bar.name === 'p95' && result.contract?.sla))
    .map(({ name, value, wanted, limit }) =>
      caseOf(result, `(${name})`, 'fail', `${value}, wanted ${wanted} ${limit}`, 'bar'),
    );

/** The same for a run that meets every bar and is worse than its baseline. */
function regressionCases(result: ExportedRun): readonly Case[] {
  const regression = result.report?.regression;
  if (regression?.verdict !== 'fail') return [];
  return [caseOf(result, '(regression)', 'fail', regressionWords(regression), 'regression')];
}

/** With `--conclusive`, a result that chance alone could explain is no result. */
const inconclusiveCases = (result: ExportedRun): readonly Case[] =>
  verdictOf(result).word === INCONCLUSIVE
    ? [caseOf(result, '(inconclusive)', 'error', doubtWords(result).join(' '), 'inconclusive')]
    : [];

/** Everything that keeps the result from being certain. */
function doubtWords({ report, uncompared }: ExportedRun): readonly string[] {
  const open = report && inconclusiveWords(report);
  const regression = report?.regression;
  return [
    ...(report ? [] : ['This host tells nothing of chance.']),
    ...(open === undefined ? [] : [open]),
    ...(regression?.verdict === 'inconclusive' ? [`Regression: ${regressionWords(regression)}.`] : []),
    ...(uncompared === undefined ? [] : [`Not compared with a baseline. ${uncompared}`]),
  ];
}

function runErrorCase(result: ExportedRun): Case {
  const { message, code } = result.error ?? { message: result.status, code: result.status };
  return caseOf(result, '(run)', 'error', message, code);
}

type Attributes = { readonly [name: string]: string | number };

const attributeText = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(' ');
