import { REVIEW_STATES, SEVERITIES, TASK_CHANGES, TASK_ORDERS, TASK_OUTCOMES } from '@touchstone/protocol';
import type { TaskListQuery } from '@touchstone/sdk';

const ORDERS = TASK_ORDERS.flatMap((order) => [order, `-${order}` as const]);

/** What the address asks for. A value that makes no sense falls back to the default, and is named so that the page can say so. */
export function readTaskQuery(
  query: URLSearchParams,
  /** Whether there is a run to measure changes against, as far as that is known. */
  isCompared = true,
): {
  readonly filter: TaskListQuery;
  /** Facts in narrow rows, or contents to read. */
  readonly view: 'facts' | 'reading';
  readonly ignored: readonly string[];
} {
  const ignored: string[] = [];
  const choice = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const given = query.get(name);
    if (given === null) return undefined;
    const found = values.find((value) => value === given);
    if (found === undefined) ignored.push(name);
    return found;
  };
  const choices = (name: string, values: readonly string[]): string | undefined => {
    const given = query.get(name);
    const isRight = isCompared && given?.split(',').every((part) => values.includes(part));
    if (given === null || isRight) return given ?? undefined;
    ignored.push(name);
    return undefined;
  };
  const number = (name: string, most: number): number | undefined => {
    const given = query.get(name);
    if (given === null) return undefined;
    const value = Number(given);
    const isRight = most === 1 || Number.isSafeInteger(value);
    if (given !== '' && isRight && value >= 0 && value <= most) return value;
    ignored.push(name);
    return undefined;
  };
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const filter = {
    outcome: choice('outcome', TASK_OUTCOMES),
    change: choices('change', TASK_CHANGES),
    against: text('against'),
    slice: text('slice'),
    id: text('id'),
    finding: text('finding'),
    severity: choice('severity', SEVERITIES),
    criterion: text('criterion'),
    reviewed: choice('reviewed', REVIEW_STATES),
    minScore: number('minScore', 1),
    maxScore: number('maxScore', 1),
    minMs: number('minMs', Number.MAX_SAFE_INTEGER),
    maxMs: number('maxMs', Number.MAX_SAFE_INTEGER),
    order: choice('order', ORDERS),
  };
  const view = choice('view', ['facts', 'reading'] as const) ?? 'facts';
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return { filter: Object.fromEntries(given) as TaskListQuery, view, ignored };
}
