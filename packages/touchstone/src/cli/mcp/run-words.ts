import { defined, isObject, type Json, type JsonObject } from '@touchstone/protocol';
import type { Wire } from '@touchstone/protocol/schema';
import { type Client, collectRun } from '@touchstone/sdk';
import { checkWords, criteriaWords, plural, whyNot } from '@touchstone/sdk/view';
import { type Failure, type FailureBodies, type RunView, withoutBodies } from '../verbs/run/result.js';
import type { shownFailures } from './schemas.js';

/** Failures that are told unless a client asks for another number. */
export const USUAL_FAILURES = 20;
export const MOST_FAILURES = 200;

/** Longer content is cut: whoever reads a result pays for every word of it. */
const MOST_TEXT = 4_000;

type FailureList = Wire<typeof shownFailures>;

/** The tasks of a run that did not pass: those that were scored, and apart from them those that could not be. */
export function failuresOf(
  view: RunView,
  limit: number,
  bodies: boolean,
): Pick<FailureList, 'failures' | 'unscored' | 'moreFailures'> {
  const plain = withoutBodies(view).failures;
  const told = view.failures
    .slice(0, limit)
    .map((failure, at) => entryOf(failure, plain[at] ?? failure, bodies));
  const more = view.failures.length - told.length;
  return {
    failures: told.flatMap(({ failed }) => failed ?? []),
    unscored: told.flatMap(({ unscored }) => unscored ?? []),
    ...(more > 0 && { moreFailures: more }),
  };
}

type Entry = {
  readonly failed?: FailureList['failures'][number];
  readonly unscored?: FailureList['unscored'][number];
};

function entryOf(failure: Failure, plain: Failure, bodies: boolean): Entry {
  const { taskId, score, unscored, latencyMs } = failure;
  const content = bodies ? failure.bodies : undefined;
  const reasons = [...plainReasons(plain), ...(content ? reasonsIn(content) : [])];
  if (unscored) return { unscored: { taskId, cause: unscored, reasons } };
  return {
    failed: { taskId, score, reasons, ...defined({ latencyMs }), ...(content && contentOf(content)) },
  };
}

/** Free of content. */
const plainReasons = (failure: Failure): readonly string[] =>
  [
    whyNot(failure),
    checkWords(failure),
    criteriaWords(failure),
    failure.schemaValid === false ? 'the answer does not fit the return schema of the agent' : undefined,
    ...(failure.findings ?? []).map(({ kind, severity }) => `finding: ${kind} (${severity})`),
  ].filter((words) => words !== undefined);

function reasonsIn({ expected, reason }: FailureBodies): readonly string[] {
  const criteria = expected.kind === 'rubric' ? expected.criteria : [];
  const missed = criteria
    .filter(({ met }) => met === false)
    .map(({ text, reason: why }) => `not met: ${text}${why === undefined ? '' : ` (${why})`}`);
  return [...missed, ...(reason === undefined ? [] : [reason])].map((words) => cutText(words, MOST_TEXT));
}

const contentOf = ({ expected, got }: FailureBodies): { expected: Json; answer?: Json } => ({
  expected: cut(expected as unknown as JsonObject, MOST_TEXT),
  ...(got && { answer: cut(got.value, MOST_TEXT) }),
});

/** The same JSON with its long texts cut; one that is long by its many members becomes a text. */
export function cut(value: Json, most: number): Json {
  if (typeof value === 'string') return cutText(value, most);
  const text = JSON.stringify(value);
  if (text.length <= most) return value;
  const short = mapTexts(value, Math.floor(most / 4));
  return JSON.stringify(short).length <= most ? short : cutText(text, most);
}

function mapTexts(value: Json, most: number): Json {
  if (typeof value === 'string') return cutText(value, most);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapTexts(item, most));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item as Json, most)]));
}

const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;

/** A run with the content of its first failures. */
export const readView = (client: Client, view: Pick<RunView, 'runId'>, limit: number, now: number) =>
  collectRun(client, view.runId, { bodies: limit, now });

/** `3 of 5 tasks passed.`, and what else has to be known to read that rightly. */
export function messageOf(view: RunView, outcome: string): string {
  const { counts, error } = view;
  const done = `${counts.passed} of ${plural(counts.selected, 'task')} passed`;
  const parts = [
    `${done}${counts.failed > 0 ? `, ${counts.failed} failed` : ''}.`,
    counts.unscored > 0 &&
      `${plural(counts.unscored, 'task')} could not be scored; that says nothing about the agent.`,
    outcome === 'unjudged' && 'The run could not be judged: it neither passed nor failed.',
    outcome === 'over-budget' && 'The run was stopped by its budget.',
    outcome === 'interrupted' && `It was stopped; go on with: touchstone run --resume ${view.runId}`,
    error && `${error.code}: ${error.message}`,
  ];
  return parts.filter(Boolean).join(' ');
}
