import type { GateStatus, ReportedGate } from '@touchstone/protocol';
import {
  type CriterionBody,
  checkWords,
  criteriaWords,
  criterionReport,
  type Failure,
  metWords,
  PASS,
  quote,
  REGRESSION,
  refOf,
  requiredWords,
  score,
  verdictOf,
  whyNot,
} from '@touchstone/sdk/view';
import type { ExportedRun } from './document.js';
import { attributeText, type Case, caseElement, escapeXml } from './junit-xml.js';

type TaskFacts = { readonly taskId: string; readonly latencyMs?: number };
type Trouble = { readonly status: GateStatus; readonly inner: string };

/** Which failed tasks are failures: those that decided the verdict, or all of them. */
export type JunitFailures = 'decisive' | 'all';

export function taskCase(
  result: ExportedRun,
  task: TaskFacts,
  failure: Failure | undefined,
  which: JunitFailures,
): Case {
  const trouble: Trouble = failure ? troubleOf(result, failure) : { status: 'pass', inner: '' };
  const isTolerated = failure && which !== 'all' && trouble.status !== 'pass' && isWithinBar(result, failure);
  const { status, inner }: Trouble = isTolerated ? skippedTrouble(failure) : trouble;
  const attributes = {
    classname: refOf(result.suite),
    name: task.taskId,
    ...(task.latencyMs !== undefined && { time: (task.latencyMs / 1000).toFixed(3) }),
  };
  return { status, element: caseElement(attributes, inner) };
}

/** The run has passed with it; or it is only worse than its baseline, in which this task failed as well. */
function isWithinBar(result: ExportedRun, { taskId }: Failure): boolean {
  const { word } = verdictOf(result);
  const isNew = result.report?.regression?.toFail.some((id) => id === taskId);
  return word === PASS || (word === REGRESSION && !isNew);
}

const skippedTrouble = (failure: Failure): Trouble => ({
  status: 'warn',
  inner: `<skipped ${attributeText({ message: failureWords(failure) })}/>`,
});

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
  if (failure.unscored) return unscoredElement(failure, failure.unscored);
  const attributes = attributeText({
    message: failureWords(failure),
    type: failure.outcome === 'refused' ? 'refused' : 'failed',
  });
  const text = failure.bodies ? quoteBodies(failure) : criterionReport(failure).join('\n');
  return text === '' ? `<failure ${attributes}/>` : `<failure ${attributes}>${escapeXml(text)}</failure>`;
}

/** Why it has no score, with who did not let the host in. */
const unscoredElement = (failure: Failure, type: string): string =>
  `<error ${attributeText({ message: `unscored: ${whyNot(failure) ?? ''}`, type })}/>`;

/** `score 0.50: json-match differs at /total`. */
export function failureWords(failure: Failure): string {
  const found = (failure.findings ?? []).map(({ kind, severity }) => `${kind} (${severity})`);
  const schema = failure.schemaValid === false ? 'return schema not met' : whyNot(failure);
  const why = [schema, checkWords(failure), criteriaWords(failure), ...found];
  const words = why.filter((part) => part !== undefined).join(', ');
  return [`score ${score(failure.score)}`, words].filter((part) => part !== '').join(': ');
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
