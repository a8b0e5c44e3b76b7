import type { GateStatus } from '@touchstone/protocol';
import {
  barsOf,
  countsFor,
  type FailCondition,
  type FindingCount,
  failsByFinding,
  forkWords,
  INCONCLUSIVE,
  inconclusiveWords,
  judgeName,
  metWords,
  modelName,
  newsOf,
  PASS,
  plural,
  refOf,
  regressionWords,
  removedWords,
  requiredWords,
  slaWords,
  verdictOf,
} from '@touchstone/sdk/view';
import type { ExportedRun, RefusedSuite } from './document.js';
import { type JunitFailures, taskCase } from './junit-tasks.js';
import { attributeText, type Case, caseElement, caseOf } from './junit-xml.js';

/**
 * A JUnit report: one test suite per run. A failed task is a failure, a task or run that could not be judged an error. It
 * agrees with the exit code: a run that passed has neither, and what failed within its bar is skipped.
 */
export function renderJunit(
  results: readonly ExportedRun[],
  refused: readonly RefusedSuite[] = [],
  which: JunitFailures = 'decisive',
): string {
  const elements = results.map((result) => suiteElement(result, which));
  const suites = [...elements, ...refused.map(refusedElement)].join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="touchstone">\n${suites}\n</testsuites>\n`;
}

function suiteElement(result: ExportedRun, which: JunitFailures): string {
  const failures = new Map(result.failures.map((failure) => [failure.taskId, failure]));
  const tasks = (result.summary?.tasks ?? result.doneTasks ?? result.failures).map((task) =>
    taskCase(result, task, failures.get(task.taskId), which),
  );
  const allPassed = tasks.every(({ status }) => status === 'pass');
  const cases = [
    ...tasks,
    ...gateCases(result),
    ...promotionCases(result),
    ...(allPassed ? barCases(result) : []),
    ...regressionCases(result),
    ...newlyFailingCases(result, which),
    ...removedCases(result),
    ...findingCases(result, which),
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
  const { summary, model, judge, safetyJudge, judgeUsd, simulatedUser, fork, report, uncompared } = result;
  const properties: { readonly [name: string]: string | number | undefined } = {
    runId: result.runId,
    agent: refOf(result.agent),
    verdict: verdictOf(result).word,
    score: result.counts.unscored === 0 ? summary?.aggregateScore : undefined,
    model: model && modelName(model),
    judge: judge && judgeName(judge),
    safetyJudge: safetyJudge && judgeName(safetyJudge),
    judgeUsd,
    simulatedUser: simulatedUser && modelName(simulatedUser),
    simulatedUserUsd: result.simulatedUserUsd,
    rejudgeOf: result.rejudgeOf,
    fork: fork && forkWords(fork),
    findings: result.findings?.map(findingWords).join('; '),
    cacheHits: result.cacheHits || undefined,
    nondeterministic: result.nondeterministic && 'true',
    caveats: result.caveats?.join(' '),
    interval: result.counts.unscored === 0 ? report?.aggregate.interval.join(' ') : undefined,
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
      caseOf(result, `(${name})`, statusFor(result, 'bar'), `${value}, wanted ${wanted} ${limit}`, 'bar'),
    );

/** The same for a run that meets every bar and is worse than its baseline. */
function regressionCases(result: ExportedRun): readonly Case[] {
  const regression = result.report?.regression;
  if (regression?.verdict !== 'fail') return [];
  const status = statusFor(result, 'regression');
  return [caseOf(result, '(regression)', status, regressionWords(regression), 'regression')];
}

/** What the caller does not count is not to make the report red. */
const statusFor = (result: ExportedRun, condition: FailCondition): GateStatus =>
  countsFor(result, condition) ? 'fail' : 'warn';

/** What happened beside a verdict it did not change is not to make the report red. */
const besideVerdict = (result: ExportedRun, which: JunitFailures): GateStatus =>
  verdictOf(result).word === PASS && which !== 'all' ? 'warn' : 'fail';

const NAMED = 10;

function newlyFailingCases(result: ExportedRun, which: JunitFailures): readonly Case[] {
  const toFail = newsOf(result);
  if (toFail.length === 0) return [];
  const more = toFail.length > NAMED ? ' …' : '';
  const how = toFail.length === 1 ? 'does not now' : 'do not now';
  const words = `${plural(toFail.length, 'task')} passed in the baseline and ${how}: ${toFail.slice(0, NAMED).join(', ')}${more}`;
  return [caseOf(result, '(newly failing)', besideVerdict(result, which), words, 'newly-failing')];
}

function removedCases(result: ExportedRun): readonly Case[] {
  const words = removedWords(result);
  if (words === undefined) return [];
  return [caseOf(result, '(removed)', statusFor(result, 'removed'), words, 'removed')];
}

/** Findings of tasks that passed all the same have decided nothing, unless the caller counts findings. */
function findingCases(result: ExportedRun, which: JunitFailures): readonly Case[] {
  const { findings = [], failures } = result;
  if (findings.length === 0) return [];
  const isDecisive = failures.some((failure) => failure.findings?.length);
  const status = failsByFinding(result) ? 'fail' : isDecisive ? besideVerdict(result, which) : 'warn';
  return [caseOf(result, '(findings)', status, findings.map(findingWords).join('; '), 'findings')];
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
