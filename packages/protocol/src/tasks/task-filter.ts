import type { Severity, TaskResult } from '../model/score.js';
import type { REVIEW_STATES, TASK_CHANGES, TASK_ORDERS, TASK_OUTCOMES } from '../model/task-lists.js';
import { sliceOf, type TaskRow } from './task-row.js';

export type TaskOutcome = (typeof TASK_OUTCOMES)[number];
export type TaskChange = (typeof TASK_CHANGES)[number];
export type ReviewState = (typeof REVIEW_STATES)[number];

/** Which tasks are kept. An absent member keeps all. */
export type TaskFilter = {
  readonly outcome?: TaskOutcome | undefined;
  readonly change?: readonly TaskChange[] | undefined;
  readonly slice?: string | undefined;
  /** A part of the task's id. */
  readonly id?: string | undefined;
  /** Only these, which were found by their content. */
  readonly among?: ReadonlySet<string> | undefined;
  readonly finding?: string | undefined;
  readonly severity?: Severity | undefined;
  /** Of a criterion that the task did not meet. */
  readonly criterion?: string | undefined;
  readonly reviewed?: ReviewState | undefined;
  readonly minScore?: number | undefined;
  readonly maxScore?: number | undefined;
  readonly minMs?: number | undefined;
  readonly maxMs?: number | undefined;
};

export const outcomeOf = ({ passed, unscored }: TaskResult): TaskOutcome => {
  if (unscored !== undefined) return 'unscored';
  return passed ? 'passed' : 'failed';
};

/** Negative is worse. Undefined when one of the runs could not score the task. */
export const differenceOf = ({ result, before }: TaskRow): number | undefined =>
  before && !before.unscored && !result.unscored ? result.score - before.score : undefined;

export function changeOf(row: TaskRow): TaskChange | undefined {
  const difference = differenceOf(row);
  if (difference === undefined) return undefined;
  const { passed } = row.result;
  if (passed !== row.before?.passed) return passed ? 'toPass' : 'toFail';
  if (difference === 0) return 'same';
  return difference < 0 ? 'lower' : 'higher';
}

const hasChanged = (row: TaskRow, changes: readonly TaskChange[]): boolean => {
  const change = changeOf(row);
  return change !== undefined && changes.includes(change);
};

export function reviewStates({ review }: TaskRow): readonly ReviewState[] {
  const states: ReviewState[] = [review?.isDone ? 'done' : 'open'];
  if (review?.override) states.push('overridden');
  if (review?.isFlagged) states.push('flagged');
  return states;
}

/** The lowest share of votes that a criterion was decided with. */
export function agreementOf({ criteria = [] }: TaskResult): number | undefined {
  const shares = criteria.flatMap(({ agreement }) => agreement ?? []);
  return shares.length > 0 ? Math.min(...shares) : undefined;
}

type Rule = (row: TaskRow) => boolean;

const within = (value: number | undefined, min: number | undefined, max: number | undefined): boolean =>
  value !== undefined && value >= (min ?? -Infinity) && value <= (max ?? Infinity);

const findingRule =
  ({ finding, severity }: TaskFilter): Rule =>
  ({ result: { findings = [] } }) =>
    findings.some(
      (found) =>
        (finding === undefined || found.kind === finding) &&
        (severity === undefined || found.severity === severity),
    );

/** One test for all members of the filter that are there. */
export function keepsOf(filter: TaskFilter): Rule {
  const { outcome, change, slice, id, among, finding, severity, criterion, reviewed } = filter;
  const { minScore, maxScore, minMs, maxMs } = filter;
  const rules: Rule[] = [];
  if (outcome) rules.push(({ result }) => outcomeOf(result) === outcome);
  if (change) rules.push((row) => hasChanged(row, change));
  if (slice !== undefined) rules.push(({ result }) => sliceOf(result.taskId) === slice);
  if (id !== undefined) rules.push(({ result }) => result.taskId.includes(id));
  if (among) rules.push(({ result }) => among.has(result.taskId));
  if (finding !== undefined || severity) rules.push(findingRule(filter));
  if (criterion !== undefined)
    rules.push(({ result }) => (result.criteria ?? []).some((one) => one.id === criterion && one.met < 1));
  if (reviewed) rules.push((row) => reviewStates(row).includes(reviewed));
  if (minScore !== undefined || maxScore !== undefined)
    rules.push(({ result }) => !result.unscored && within(result.score, minScore, maxScore));
  if (minMs !== undefined || maxMs !== undefined)
    rules.push(({ result }) => within(result.latencyMs, minMs, maxMs));
  return (row) => rules.every((rule) => rule(row));
}

export type TaskOrder = (typeof TASK_ORDERS)[number] | `-${(typeof TASK_ORDERS)[number]}`;

const VALUES: { readonly [order: string]: (row: TaskRow) => number | undefined } = {
  suite: ({ ordinal }) => ordinal,
  score: ({ result }) => (result.unscored ? undefined : result.score),
  change: differenceOf,
  time: ({ result }) => result.latencyMs,
  cost: ({ result }) => result.costUsd,
  agreement: ({ result }) => agreementOf(result),
};

/** Tasks without the value come last, whichever way it is sorted; equal ones stay in the order of the suite. */
export function sortRows(rows: readonly TaskRow[], order: TaskOrder = 'suite'): readonly TaskRow[] {
  const isDown = order.startsWith('-');
  const name = isDown ? order.slice(1) : order;
  if (name === 'suite') return isDown ? rows.toReversed() : rows;
  const sign = isDown ? -1 : 1;
  if (name === 'id') return rows.toSorted((a, b) => sign * (a.result.taskId < b.result.taskId ? -1 : 1));
  const measure = VALUES[name] ?? (() => undefined);
  const values = Float64Array.from(rows, (row) => {
    const value = measure(row);
    return value === undefined ? Number.POSITIVE_INFINITY : sign * value;
  });
  const places = Uint32Array.from(rows.keys());
  places.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
  return Array.from(places, (at) => rows[at] as TaskRow);
}
