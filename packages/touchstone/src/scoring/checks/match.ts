import { child, isObject, type Json, type JsonObject, jsonEqual } from '@touchstone/protocol';
import { operatorOf, toBody } from '@touchstone/protocol/bodies';
import type { CheckParts } from './context.js';

export type MatchOptions = {
  /** How far numbers may be apart. */
  readonly tolerance?: number;
  readonly parts: Pick<CheckParts, 'schemaCheck' | 'search'>;
};

/** Where a value does not fit a match value, as a place in the match value; undefined when it fits. */
export function misfit(
  expected: Json,
  actual: Json | undefined,
  options: MatchOptions,
  at = '',
): string | undefined {
  const operator = operatorOf(expected);
  if (operator !== undefined) {
    return OPERATORS[operator]?.(expected as JsonObject, actual, options) ? undefined : at;
  }
  if (Array.isArray(expected)) return listMisfit(expected, actual, options, at);
  if (isObject(expected)) return objectMisfit(expected, actual, options, at);
  return fitsScalar(expected, actual, options.tolerance ?? 0) ? undefined : at;
}

const fits = (expected: Json, actual: Json | undefined, options: MatchOptions): boolean =>
  misfit(expected, actual, options) === undefined;

function fitsScalar(expected: Json, actual: Json | undefined, tolerance: number): boolean {
  if (typeof expected === 'number' && typeof actual === 'number')
    return Math.abs(expected - actual) <= (tolerance === 0 ? 0 : tolerance + ROUNDING);
  return expected === actual;
}

/** Item by item, and no more items than expected. */
function listMisfit(
  expected: readonly Json[],
  actual: Json | undefined,
  options: MatchOptions,
  at: string,
): string | undefined {
  if (!Array.isArray(actual) || actual.length !== expected.length) return at;
  return first(expected, (item, index) => misfit(item, actual[index] as Json, options, child(at, index)));
}

/** At least the members that are expected. */
function objectMisfit(
  expected: JsonObject,
  actual: Json | undefined,
  options: MatchOptions,
  at: string,
): string | undefined {
  if (!isObject(actual)) return at;
  return first(Object.entries(expected), ([name, member]) =>
    misfit(member, Object.hasOwn(actual, name) ? actual[name] : undefined, options, child(at, name)),
  );
}

function first<T>(items: readonly T[], place: (item: T, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const found = place(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Operator = (expected: JsonObject, actual: Json | undefined, options: MatchOptions) => boolean;

const OPERATORS: { readonly [operator: string]: Operator } = {
  $any: (_expected, actual) => actual !== undefined,
  $absent: (_expected, actual) => actual === undefined,
  $regex: ({ $regex, ignoreCase }, actual, { parts }) =>
    typeof actual === 'string' &&
    parts.search(String($regex), actual, { ignoreCase: ignoreCase === true, limit: 1 }).count > 0,
  $near: ({ $near, by }, actual) =>
    typeof actual === 'number' && Math.abs(actual - Number($near)) <= Number(by) + ROUNDING,
  $range({ $range }, actual) {
    const [low, high] = $range as readonly [number, number];
    return typeof actual === 'number' && actual >= low && actual <= high;
  },
  $oneOf: ({ $oneOf }, actual, options) =>
    ($oneOf as readonly Json[]).some((choice) => fits(choice, actual, options)),
  $has({ $has }, actual, options) {
    const items = $has as readonly Json[];
    if (!Array.isArray(actual)) return false;
    const matched = matching(items.length, actual.length, (item, place) =>
      fits(items[item] as Json, actual[place] as Json, options),
    );
    return matched === items.length;
  },
  $exact: ({ $exact }, actual) => actual !== undefined && jsonEqual($exact as Json, actual),
  $literal: ({ $literal }, actual) => actual !== undefined && jsonEqual($literal as Json, actual),
  $schema: ({ $schema }, actual, { parts }) =>
    actual !== undefined && parts.schemaCheck($schema as JsonObject, toBody(actual)).length === 0,
  $not: ({ $not }, actual, options) => !fits($not as Json, actual, options),
};

/** A difference by rounding is none: 9.99 + 0.01 is 10. */
const ROUNDING = 1e-9;

/** How many of `left` can be given places of `right` that fit, each place once: a largest matching, by augmenting paths. */
export function matching(
  left: number,
  right: number,
  isFit: (item: number, place: number) => boolean,
): number {
  const takenBy = new Array<number | undefined>(right).fill(undefined);
  const seat = (item: number, tried: Set<number>): boolean => {
    for (let place = 0; place < right; place += 1) {
      if (tried.has(place) || !isFit(item, place)) continue;
      tried.add(place);
      const holder = takenBy[place];
      if (holder !== undefined && !seat(holder, tried)) continue;
      takenBy[place] = item;
      return true;
    }
    return false;
  };
  let count = 0;
  for (let item = 0; item < left; item += 1) if (seat(item, new Set())) count += 1;
  return count;
}
