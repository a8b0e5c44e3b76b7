import {
  canonicalJson,
  child,
  defined,
  type Json,
  type JsonObject,
  jsonEqual,
  parseJson,
} from '@touchstone/protocol';
import {
  type CriterionBody,
  type FailedCheck,
  type FailureBodies,
  quote,
  sharedPrefix,
} from '@touchstone/sdk/view';
import { displayWidth, splitGraphemes, truncate } from './text.js';

type Sides = { readonly expected: string; readonly got: string; readonly marks: string };

/**
 * Two texts cut to `width` so that the place where they part is visible, and a line of carets for the part of `got`
 * that differs; none when all of it does.
 */
export function alignTexts(expected: string, got: string, width: number): Sides {
  // Only the neighbourhood of the first difference is looked at closely; an answer may be megabytes long.
  const skip = Math.max(0, sharedPrefix(expected, got) - 4 * width);
  const left = neighbourhood(expected, skip, width);
  const right = neighbourhood(got, skip, width);
  const prefix = sharedPrefix(left, right);
  const suffix = sharedPrefix(left.slice(prefix).reverse(), right.slice(prefix).reverse());
  const longest = Math.max(left.length, right.length);
  // A third of the line is left for what comes before the difference.
  const start = longest <= width ? 0 : Math.max(0, Math.min(prefix - Math.floor(width / 3), longest - width));
  const shown = (part: readonly string[], end?: number): string =>
    start > 0 ? `…${part.slice(start + 1, end).join('')}` : part.slice(0, end).join('');
  const before = Math.min(displayWidth(shown(right, prefix)), width - 1);
  const differing = Math.max(1, displayWidth(right.slice(prefix, right.length - suffix).join('')));
  // Two quoted texts always share their quotation marks.
  const wholly = prefix <= 1 && suffix <= 1;
  const marks = wholly ? '' : ' '.repeat(before) + '^'.repeat(Math.min(differing, width - before));
  return { expected: truncate(shown(left), width), got: truncate(shown(right), width), marks };
}

/** What is cut off in front becomes an ellipsis, and with it the half of a character the cut may have left. */
function neighbourhood(text: string, skip: number, width: number): string[] {
  const near = splitGraphemes(text.slice(skip, skip + 12 * width));
  return skip > 0 ? ['…', ...near.slice(1)] : near;
}

export type JsonDifference = { readonly pointer: string; readonly expected?: string; readonly got?: string };

/** Where two JSON values part, as pointers, at most `limit` of them. Numbers are compared by value, arrays in order. */
export function jsonDifferences(expected: Json, got: Json, limit: number): JsonDifference[] {
  const found: JsonDifference[] = [];
  compare(expected, got, '', found, limit);
  return found;
}

function compare(
  expected: Json | undefined,
  got: Json | undefined,
  pointer: string,
  found: JsonDifference[],
  limit: number,
): void {
  if (found.length >= limit || expected === got) return;
  if (isContainer(expected) && isContainer(got) && Array.isArray(expected) === Array.isArray(got)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      compare(member(expected, key), member(got, key), child(pointer, key), found, limit);
    }
    return;
  }
  const [wanted, came] = [expected, got].map((value) => (value === undefined ? undefined : quote(value)));
  found.push(defined({ pointer: pointer || '/', expected: wanted, got: came }));
}

const isContainer = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null;
const member = (value: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/** Whether an answer meets its expectation, by the rules it was scored by. */
export function isMatch(strategy: string, expected: Json, got: Json): boolean {
  const text = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value));
  if (strategy === 'json-match') return jsonEqual(parsed(got), expected) || jsonEqual(got, expected);
  if (strategy !== 'contains') return text(got) === text(expected);
  const isElement = Array.isArray(got) && got.some((element) => jsonEqual(element, expected));
  return isElement || text(got).includes(text(expected));
}

/** What JSON text stands for; anything else as it is. */
export function parsed(value: Json): Json {
  const json = typeof value === 'string' ? parseJson(value) : undefined;
  return json === undefined ? value : json;
}

/** So many places are looked for; who reads them wants to know where, not how often. */
const MOST_PLACES = 4;

/**
 * Which check an answer failed, free of content. A place is told by what the suite expects there: a member that only the
 * answer has is told by the object it is in.
 */
export function failedCheck({ expected, got, outcome }: FailureBodies): FailedCheck | undefined {
  if (!got || outcome === 'refused' || outcome === 'failed') return undefined;
  if (expected.kind === 'rubric') return differingCheck(expected.criteria);
  const { strategy: name, value } = expected;
  if (isMatch(name, value, got.value)) return undefined;
  if (name !== 'json-match') return { name };
  const found = jsonDifferences(value, parsed(got.value), 2 * MOST_PLACES);
  const places = found.map(({ pointer, expected: wanted }) =>
    wanted === undefined ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer,
  );
  const pointers = [...new Set(places)]
    .filter((place) => place !== '' && place !== '/')
    .slice(0, MOST_PLACES);
  return { name, ...(pointers.length > 0 && { pointers }) };
}

/** The first check that names a place in what it expects; the names of the others stand with the criteria. */
function differingCheck(criteria: readonly CriterionBody[]): FailedCheck | undefined {
  const found = criteria.find(({ met, differsAt }) => met === false && differsAt);
  return found?.check && found.differsAt ? { name: found.check, pointers: [found.differsAt] } : undefined;
}

/** What a person would overlook when comparing by eye. */
export function nearMiss(expected: string, got: string): string | undefined {
  const flat = (text: string): string => text.replace(/\s+/gu, ' ').trim();
  if (flat(expected) === flat(got)) return 'only white space differs';
  if (expected.toLowerCase() === got.toLowerCase()) return 'only upper and lower case differ';
  if (expected.normalize('NFKC') === got.normalize('NFKC'))
    return 'looks the same: the Unicode characters differ';
  return undefined;
}
