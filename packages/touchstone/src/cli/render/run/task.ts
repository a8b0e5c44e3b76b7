import type { TaskResult } from '@touchstone/protocol';
import { bodiesOf, type TaskView, type ToolCallView } from '@touchstone/sdk';
import { costTexts, plural, quote, score, whyNot } from '@touchstone/sdk/view';
import { INDENT, LABEL, labelled, wrapped } from '../labelled.js';
import { type Look, padEnd, printable } from '../text.js';
import { criterionFacts, criterionLines } from './criteria.js';
import { renderBodies } from './failure.js';

/** Everything recorded of one task: each invocation with its input, its calls and its answer. */
export function renderTask(view: TaskView, bodies: boolean, look: Look, result?: TaskResult): string {
  const { ink } = look;
  const mark = view.passed ? ink.green('✓') : view.unscored ? ink.yellow('?') : ink.red('✗');
  const value = view.unscored ? 'unscored' : score(view.score);
  const head = [`  ${mark} ${ink.bold(view.taskId)}  ${value}`, ...factLines(view, result, look)].join('\n');
  const blocks = view.invocations.map((invocation) =>
    invocationLines(view, invocation, bodies, result?.findings, look).join('\n'),
  );
  return `\n${[head, ...blocks].join('\n\n')}\n`;
}

/** What is known of the task as a whole; of one that the log has not come to, only why it has no score. */
function factLines(view: TaskView, result: TaskResult | undefined, { ink }: Look): string[] {
  const found = (result?.findings ?? []).map(({ kind, severity }) =>
    ink.red(`finding: ${printable(kind)} (${severity})`),
  );
  const why = view.unscored ? [ink.dim(whyNot(view) ?? '')] : [];
  const spent = costTexts({ unpriced: 0, ...result }).map((cost) => ink.dim(`cost ${cost}`));
  return [...why, ...found, ...spent].map((line) => `    ${line}`);
}

type Invocation = TaskView['invocations'][number];

function invocationLines(
  view: TaskView,
  invocation: Invocation,
  bodies: boolean,
  findings: TaskResult['findings'],
  look: Look,
): string[] {
  const { ink } = look;
  const title =
    view.invocations.length > 1
      ? `    ${ink.dim(invocation.invocationId)}  ${invocation.outcome}`
      : `    ${ink.dim('outcome')} ${invocation.outcome}`;
  const tries =
    (invocation.attempts ?? 1) > 1
      ? [`${INDENT}${plural(invocation.attempts ?? 1, 'try').replace('trys', 'tries')}`]
      : [];
  const content = bodiesOf({ ...view, invocations: [invocation] });
  const { expected } = content;
  const criteria = expected.kind === 'rubric' && invocation.criteria ? expected.criteria : [];
  if (!bodies)
    return [
      title,
      ...tries,
      ...invocation.toolCalls.map((call) => `${INDENT}${callFacts(call, look)}`),
      ...criterionFacts(criteria, look),
    ];
  return [
    title,
    ...tries,
    ...labelled('input', quote(invocation.input), look),
    ...invocation.toolCalls.flatMap((call) => callLines(call, look)),
    ...(view.passed && invocation.output !== undefined
      ? [...labelled('answer', quote(invocation.output), look), ...criterionLines(criteria, look)]
      : renderBodies(content, { score: view.score, ...(findings && { findings }) }, look)),
    ...(invocation.reason && invocation.output !== undefined && view.expected.kind === 'golden'
      ? wrapped('reason', printable(invocation.reason), look)
      : []),
  ];
}

const callFacts = (call: ToolCallView, { ink }: Look): string =>
  `${ink.dim(padEnd('tool', LABEL))}${printable(call.toolId)} ${call.status === 'ok' ? ink.green('ok') : ink.red(call.status)}`;

function callLines(call: ToolCallView, look: Look): string[] {
  const outcome = call.outcome === undefined ? printable(call.error ?? '') : quote(call.outcome);
  return [
    `${INDENT}${callFacts(call, look)}`,
    ...labelled('', `→ ${quote(call.inputs)}`, look),
    ...(outcome === '' ? [] : labelled('', `← ${outcome}`, look)),
  ];
}
