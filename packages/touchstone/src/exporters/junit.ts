import type { GateStatus, ReportedGate } from '@touchstone/protocol';
import {
  type Bar,
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

function suiteElement(result: ExportedRun): string {
  const failures = new Map(result.failures.map((failure) => [failure.taskId, failure]));
  const tasks = result.summary?.tasks ?? result.failures;
  const cases = tasks.map((task) => taskCase(result, task, failures.get(task.taskId)));
  const casesThat = (status: TaskStatus): number => cases.filter((one) => one.status === status).length;
  const unjudged = result.summary ? inconclusiveCases(result) : [runErrorCase(result)];
  const missed = casesThat('fail') + casesThat('error') > 0 ? [] : missedBars(result);
  const barCases = [...missed.map((bar) => barCase(result, bar)), ...regressionCases(result)];
  const gates = [...gateCases(result), ...promotionCases(result)];
  const gatesThat = (status: GateStatus): number => gates.filter((gate) => gate.status === status).length;
  const attributes = attributeText({
    name: refOf(result.suite),
    tests: cases.length + gates.length + barCases.length + unjudged.length,
    failures: casesThat('fail') + barCases.length + gatesThat('fail'),
    errors: casesThat('error') + unjudged.length + gatesThat('error'),
    ...(gatesThat('warn') > 0 && { skipped: gatesThat('warn') }),
    time: (result.wallMs / 1000).toFixed(3),
  });
  const elements = [...cases, ...gates].map(({ element }) => element);
  const body = [...propertyLines(result), ...elements, ...barCases, ...unjudged].join('\n');
  return `  <testsuite ${attributes}>\n${body}\n  </testsuite>`;
}

/** A suite that was not run must not look like one that does not exist. */
function refusedElement({ suite, error }: RefusedSuite): string {
  const attributes = attributeText({ name: suite.ref, tests: 1, failures: 0, errors: 1, time: '0.000' });
  const testcase = `    <testcase ${attributeText({ name: '(run)', classname: suite.ref })}>`;
  const reason = `      <error ${attributeText({ type: error.code, message: error.message })}/>`;
  return `  <testsuite ${attributes}>\n${testcase}\n${reason}\n    </testcase>\n  </testsuite>`;
}

function propertyLines(result: ExportedRun): string[] {
  const properties = {
    runId: result.runId,
    agent: refOf(result.agent),
    verdict: verdictOf(result).word,
    ...(result.summary && { score: String(result.summary.aggregateScore) }),
    ...(result.model && { model: modelName(result.model) }),
    ...(result.judge && { judge: judgeName(result.judge) }),
    ...(result.safetyJudge && { safetyJudge: judgeName(result.safetyJudge) }),
    ...(result.judgeUsd !== undefined && { judgeUsd: String(result.judgeUsd) }),
    ...(result.rejudgeOf && { rejudgeOf: result.rejudgeOf }),
    ...(result.fork && { fork: forkWords(result.fork) }),
    ...(result.findings && { findings: result.findings.map(findingWords).join('; ') }),
    ...(result.cacheHits && { cacheHits: String(result.cacheHits) }),
    ...(result.nondeterministic && { nondeterministic: 'true' }),
    ...(result.report && { interval: result.report.aggregate.interval.join(' ') }),
    ...(result.report?.regression && {
      baseline: result.report.regression.baselineRunId,
      regression: regressionWords(result.report.regression),
    }),
    ...(result.contract && { contract: result.contract.verdict }),
    ...(result.uncompared !== undefined && { comparison: `not made: ${result.uncompared}` }),
  };
  const lines = Object.entries(properties).map(
    ([name, value]) => `      <property ${attributeText({ name, value })}/>`,
  );
  return ['    <properties>', ...lines, '    </properties>'];
}

const findingWords = ({ kind, severity, taskIds }: FindingCount): string =>
  `${kind} (${severity}): ${plural(taskIds.length, 'task')}`;

type TaskFacts = { readonly taskId: string; readonly latencyMs?: number };

type TaskStatus = 'pass' | 'fail' | 'error';
type TaskCase = { readonly status: TaskStatus; readonly element: string };

function taskCase(result: ExportedRun, task: TaskFacts, failure: Failure | undefined): TaskCase {
  const attributes = attributeText({
    classname: refOf(result.suite),
    name: task.taskId,
    ...(task.latencyMs !== undefined && { time: (task.latencyMs / 1000).toFixed(3) }),
  });
  if (!failure) return { status: 'pass', element: `    <testcase ${attributes}/>` };
  const { status, inner } = troubleOf(result, failure);
  return { status, element: `    <testcase ${attributes}>\n      ${inner}\n    </testcase>` };
}

/** A contract may let some tasks miss a criterion. Such a task has not done well, and nothing has failed by it. */
function troubleOf(
  { contract }: ExportedRun,
  failure: Failure,
): { readonly status: TaskStatus; readonly inner: string } {
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

/** A latency that a contract demands is one of its gates. */
const missedBars = (result: ExportedRun): readonly Bar[] =>
  barsOf(result).filter((bar) => !bar.met && !bar.idle && !(bar.name === 'p95' && result.contract?.sla));

type GateCase = { readonly status: GateStatus; readonly element: string };

/** One case for each gate that can stop something; one that none of the tasks had to pass was not tried. */
function gateCases(result: ExportedRun): readonly GateCase[] {
  const { criteria = [], sla } = result.contract ?? {};
  const gates = criteria
    .filter(({ strict }) => strict)
    .map((gate) => ({
      name: `(gate ${gate.id})`,
      status: gate.status,
      message: `met: ${metWords(gate)}, required: ${requiredWords(gate)}`,
    }));
  const latency =
    sla?.policy === 'gate' ? [{ name: '(SLA)', status: sla.status, message: slaWords(sla) }] : [];
  return [...gates, ...latency].map(({ name, status, message }) => {
    const attributes = attributeText({ classname: refOf(result.suite), name });
    if (status === 'pass') return { status, element: `    <testcase ${attributes}/>` };
    const trouble = TROUBLES[status](attributeText({ message }));
    return { status, element: `    <testcase ${attributes}>\n      ${trouble}\n    </testcase>` };
  });
}

/** A promotion that was denied fails the report; one that waits is neither a yes nor a no. */
function promotionCases({ promotion, suite }: ExportedRun): readonly GateCase[] {
  if (!promotion) return [];
  const attributes = attributeText({ classname: refOf(suite), name: '(promotion)' });
  const status = PROMOTION_STATUS[promotion.status];
  if (status === 'pass') return [{ status, element: `    <testcase ${attributes}/>` }];
  const { code = 'promotion', words: message } = promotion;
  const told = attributeText(status === 'warn' ? { message } : { message, type: code });
  return [
    {
      status,
      element: `    <testcase ${attributes}>\n      <${ELEMENTS[status]} ${told}/>\n    </testcase>`,
    },
  ];
}
const PROMOTION_STATUS = { moved: 'pass', denied: 'fail', waiting: 'warn', impossible: 'error' } as const;
const ELEMENTS = { fail: 'failure', error: 'error', warn: 'skipped' } as const;

const TROUBLES: { readonly [status in Exclude<GateStatus, 'pass'>]: (message: string) => string } = {
  fail: (message) => `<failure ${message} type="gate"/>`,
  error: (message) => `<error ${message} type="gate"/>`,
  warn: (message) => `<skipped ${message}/>`,
};

/** A run can miss a bar with every task passed; who reads only this file must not take it for a pass. */
function barCase(result: ExportedRun, bar: Bar): string {
  const attributes = attributeText({ classname: refOf(result.suite), name: `(${bar.name})` });
  const failure = attributeText({ message: `${bar.value}, wanted ${bar.wanted} ${bar.limit}`, type: 'bar' });
  return `    <testcase ${attributes}>\n      <failure ${failure}/>\n    </testcase>`;
}

/** The same for a run that meets every bar and is worse than its baseline. */
function regressionCases(result: ExportedRun): string[] {
  const regression = result.report?.regression;
  if (regression?.verdict !== 'fail') return [];
  const attributes = attributeText({ classname: refOf(result.suite), name: '(regression)' });
  const failure = attributeText({ message: regressionWords(regression), type: 'regression' });
  return [`    <testcase ${attributes}>\n      <failure ${failure}/>\n    </testcase>`];
}

/** With `--conclusive`, a result that chance alone could explain is no result. */
function inconclusiveCases(result: ExportedRun): string[] {
  if (verdictOf(result).word !== INCONCLUSIVE) return [];
  const attributes = attributeText({ classname: refOf(result.suite), name: '(inconclusive)' });
  const error = attributeText({ message: doubtWords(result).join(' '), type: 'inconclusive' });
  return [`    <testcase ${attributes}>\n      <error ${error}/>\n    </testcase>`];
}

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

function runErrorCase(result: ExportedRun): string {
  const attributes = attributeText({ classname: refOf(result.suite), name: '(run)' });
  const error = attributeText({
    message: result.error?.message ?? result.status,
    type: result.error?.code ?? result.status,
  });
  return `    <testcase ${attributes}>\n      <error ${error}/>\n    </testcase>`;
}

const attributeText = (attributes: { readonly [name: string]: string | number }): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(' ');
