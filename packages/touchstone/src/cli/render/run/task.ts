import { defined, type Json, type TaskResult, type Timestamp } from '@touchstone/protocol';
import {
  bodiesOf,
  type RunEvent,
  type RunFacts,
  type RunSnapshot,
  type TaskView,
  type ToolCallView,
} from '@touchstone/sdk';
import { age, costTexts, quote, removedNote, score, whole, whyNot } from '@touchstone/sdk/view';
import { INDENT, LABEL, labelled, printedLines, wrapped } from '../layout.js';
import { type Look, padEnd, printable, truncate } from '../text.js';
import { criterionFacts, criterionLines, renderBodies } from './failure.js';

/** Everything recorded of one task: each invocation with its input, its calls and its answer. */
export function renderTask(view: TaskView, bodies: boolean, look: Look, result?: TaskResult): string {
  const { ink } = look;
  const mark = view.passed ? ink.green('✓') : view.unscored ? ink.yellow('?') : ink.red('✗');
  const value = view.unscored ? 'unscored' : score(view.score);
  const head = [
    `  ${mark} ${ink.bold(printable(view.taskId))}  ${value}`,
    ...factLines(view, result, look),
  ].join('\n');
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
  const removed = view.bodiesRemovedAt ? [ink.yellow(removedNote(view.bodiesRemovedAt))] : [];
  const spent = costTexts({ unpriced: 0, ...result }).map((cost) => ink.dim(`cost ${cost}`));
  return [...why, ...found, ...spent, ...removed].map((line) => `    ${line}`);
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
      ? `    ${ink.dim(printable(invocation.invocationId))}  ${printable(invocation.outcome)}`
      : `    ${ink.dim('outcome')} ${printable(invocation.outcome)}`;
  const { attempts = 1 } = invocation;
  const head = [title, ...(attempts > 1 ? [`${INDENT}${whole(attempts)} tries`] : [])];
  const content = bodiesOf({ ...view, invocations: [invocation] });
  const { expected } = content;
  const criteria = expected.kind === 'rubric' && invocation.criteria ? expected.criteria : [];
  if (!bodies)
    return [
      ...head,
      ...invocation.toolCalls.map((call) => `${INDENT}${callFacts(call, look)}`),
      ...criterionFacts(criteria, look),
    ];
  return [
    ...head,
    ...labelled('input', quote(invocation.input), look),
    ...invocation.toolCalls.flatMap((call) => callLines(call, look)),
    ...(view.passed && invocation.output !== undefined
      ? [...labelled('answer', quote(invocation.output), look), ...criterionLines(criteria, look)]
      : renderBodies(content, defined({ score: view.score, findings }), look)),
    ...(invocation.reason && invocation.output !== undefined && view.expected.kind === 'golden'
      ? printedLines('reason', invocation.reason, look)
      : []),
    ...(invocation.printed ? printedLines('printed', invocation.printed, look) : []),
  ];
}

const callFacts = (call: ToolCallView, { ink }: Look): string =>
  `${ink.dim(padEnd('tool', LABEL))}${printable(call.toolId)} ${call.status === 'ok' ? ink.green('ok') : ink.red(printable(call.status))}${call.observed ? ink.dim(' observed') : ''}`;

function callLines(call: ToolCallView, look: Look): string[] {
  const outcome = call.outcome === undefined ? printable(call.error ?? '') : quote(call.outcome);
  return [
    `${INDENT}${callFacts(call, look)}`,
    ...labelled('', `→ ${quote(call.inputs)}`, look),
    ...(outcome === '' ? [] : labelled('', `← ${outcome}`, look)),
  ];
}

/** Events whose payload names only ids, numbers and flags, or the reason of a decision about a deployment. */
const CONTENT_FREE: ReadonlySet<string> = new Set([
  'eval.started',
  'eval.scored',
  'eval.completed',
  'agent.invocation.started',
  'agent.invocation.completed',
  'provider.usage',
  'cap.breached',
  'node.started',
  'node.suspended',
  'run.failed',
  'authorization.decided',
  'approval.granted',
  'approval.rejected',
  'approval.overridden',
  'deployment.promoted',
  'deployment.rolled-back',
  'deployment.canary.adjusted',
  'deployment.state.changed',
]);

/** Their outputs are numbers, names and states. */
const TELLS_FACTS: ReadonlySet<RunFacts['kind'] | undefined> = new Set(['eval', 'deployment']);

const mayShow = (event: RunEvent, run: RunSnapshot, bodies: boolean): boolean =>
  bodies ||
  CONTENT_FREE.has(event.type) ||
  (event.type === 'run.completed' && TELLS_FACTS.has(run.touchstone?.kind));

/** The event as the log holds it, without its payload where that may be content and content was not asked for. */
export function eventDocument(event: RunEvent, run: RunSnapshot, bodies: boolean): object {
  if (mayShow(event, run, bodies)) return event;
  const { payload: _, ...envelope } = event;
  return envelope;
}

/** `12  21:40:03.120  eval.scored  refund-window  {"score":1}` on one line of the screen. */
export function renderEvent(
  event: RunEvent,
  run: RunSnapshot,
  bodies: boolean,
  { ink, width }: Look,
): string {
  const head = `${String(event.sequence).padStart(5)}  ${event.timestamp.slice(11, 23)}  ${padEnd(event.type, 26)}`;
  const task = event.nodeId ? `  ${printable(event.nodeId)}` : '';
  if (!mayShow(event, run, bodies)) return `${head}${task}`.trimEnd();
  const room = Math.max(20, width - head.length - task.length - 2);
  return `${head}${task}  ${ink.dim(truncate(quote(event.payload as unknown as Json), room))}`;
}

/** What a person said that a score should have been. The note is content. */
export type Correction = {
  readonly annotationId: string;
  readonly score: number;
  readonly by: string;
  readonly at: Timestamp;
  readonly note?: string;
};

/** What people said of a task's score, the one that counts last; their reasons only where content may be shown. */
export function renderCorrections(
  corrections: readonly Correction[],
  automatic: number,
  bodies: boolean,
  now: number,
  look: Look,
): string {
  const { ink } = look;
  const lines = corrections.flatMap((correction, at) => {
    const when = `${age(Math.max(0, now - Date.parse(correction.at)))} ago`;
    const replaced = at < corrections.length - 1 ? ', replaced since' : '';
    const words = `${score(automatic)} → ${score(correction.score)}`;
    return [
      `${INDENT}${ink.cyan(words)}  ${ink.dim(`by ${printable(correction.by)}, ${when}${replaced}`)}`,
      ...(bodies && correction.note ? wrapped('note', printable(correction.note), look) : []),
    ];
  });
  return lines.length === 0 ? '' : `\n    ${ink.dim('corrected')}\n${lines.join('\n')}\n`;
}
