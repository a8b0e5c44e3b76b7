import type { TaskResult } from '@touchstone/contract';
import { fromBody, type ToolCallBody } from '@touchstone/contract/bodies';
import type { TaskView } from '../../host/in-process.js';
import { bodiesOf } from '../collect-result.js';
import { criterionFacts, criterionLines } from './criteria.js';
import { renderBodies, whyNot } from './failure.js';
import type { Look } from './ink.js';
import { costTexts } from './notes.js';
import { padEnd, printable, quote, truncate, wrap } from './text.js';
import { plural, score } from './units.js';

const INDENT = '      ';
const LABEL = 10;

/** Everything recorded of one task: each invocation with its input, its calls and its answer. */
export function renderTask(view: TaskView, bodies: boolean, look: Look, result?: TaskResult): string {
  const { ink } = look;
  const mark = view.passed ? ink.green('✓') : result?.unscored ? ink.yellow('?') : ink.red('✗');
  const value = result?.unscored ? 'unscored' : score(view.score);
  const head = [`  ${mark} ${ink.bold(view.taskId)}  ${value}`, ...factLines(result, look)].join('\n');
  const several = view.invocations.length > 1;
  const blocks = view.invocations.map((invocation) =>
    invocationLines(view, invocation, bodies, several, look).join('\n'),
  );
  return `\n${[head, ...blocks].join('\n\n')}\n`;
}

/** What the log says of the task as a whole. */
function factLines(result: TaskResult | undefined, { ink }: Look): string[] {
  const found = (result?.findings ?? []).map(({ kind, severity }) =>
    ink.red(`finding: ${printable(kind)} (${severity})`),
  );
  const why = result?.unscored ? [ink.dim(whyNot(result) ?? '')] : [];
  const spent = costTexts({ unpriced: 0, ...result }).map((cost) => ink.dim(`cost ${cost}`));
  return [...why, ...found, ...spent].map((line) => `    ${line}`);
}

type Invocation = TaskView['invocations'][number];

function invocationLines(
  view: TaskView,
  invocation: Invocation,
  bodies: boolean,
  several: boolean,
  look: Look,
): string[] {
  const { ink } = look;
  const title = several
    ? `    ${ink.dim(invocation.invocationId)}  ${invocation.outcome}`
    : `    ${ink.dim('outcome')} ${invocation.outcome}`;
  const tries =
    (invocation.attempts ?? 1) > 1
      ? [`${INDENT}${plural(invocation.attempts ?? 1, 'try').replace('trys', 'tries')}`]
      : [];
  const { expected } = bodiesOf({ ...view, invocations: [invocation] });
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
    labelled('input', quote(fromBody(invocation.input)), look),
    ...invocation.toolCalls.flatMap((call) => callLines(call, look)),
    ...(view.passed && invocation.output !== undefined
      ? [labelled('answer', quote(fromBody(invocation.output)), look), ...criterionLines(criteria, look)]
      : renderBodies(bodiesOf({ ...view, invocations: [invocation] }), look)),
    ...(invocation.reason && invocation.output !== undefined && view.expected.kind === 'golden'
      ? wrap(printable(invocation.reason), look.width - INDENT.length - LABEL).map((line, at) =>
          labelled(at === 0 ? 'reason' : '', line, look),
        )
      : []),
  ];
}

const callFacts = (call: ToolCallBody, { ink }: Look): string =>
  `${ink.dim(padEnd('tool', LABEL))}${printable(call.toolId)} ${call.status === 'ok' ? ink.green('ok') : ink.red(call.status)}`;

function callLines(call: ToolCallBody, look: Look): string[] {
  const outcome = call.outcome === undefined ? printable(call.error ?? '') : quote(fromBody(call.outcome));
  return [
    `${INDENT}${callFacts(call, look)}`,
    labelled('', `→ ${quote(fromBody(call.inputs))}`, look),
    ...(outcome === '' ? [] : [labelled('', `← ${outcome}`, look)]),
  ];
}

const labelled = (label: string, text: string, { ink, width }: Look): string =>
  `${INDENT}${ink.dim(padEnd(label, LABEL))}${truncate(text, Math.max(20, width - INDENT.length - LABEL))}`;
