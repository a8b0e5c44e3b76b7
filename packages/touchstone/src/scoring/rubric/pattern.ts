import { createRequire } from 'node:module';
import type { RE2JS as Re2 } from 're2js';

type Pattern = ReturnType<typeof Re2.compile>;
const require = createRequire(import.meta.url);
const compiled = new Map<string, Pattern>();
/** A suite has few patterns; past this number they are compiled again. */
const KEPT = 1_000;

export type PatternMatches = {
  /** How many matches there are, counted up to the limit. */
  readonly count: number;
  /** What the group caught in the first match; undefined when it took no part in it. */
  readonly caught?: string;
};

/** Looks for a pattern of a suite's author, in time that grows with the text and no faster. */
export type PatternSearch = (
  pattern: string,
  text: string,
  options: {
    readonly ignoreCase: boolean;
    /** So many matches are enough. */
    readonly limit: number;
    /** By default the first group of the pattern, or all of the match when it has none. */
    readonly group?: number;
  },
) => PatternMatches;

export const searchPattern: PatternSearch = (pattern, text, { ignoreCase, limit, group }) => {
  const matcher = compile(pattern, ignoreCase).matcher(text);
  if (!matcher.find()) return { count: 0 };
  const wanted = group ?? Math.min(1, matcher.groupCount());
  const caught = wanted <= matcher.groupCount() ? matcher.group(wanted) : null;
  let count = 1;
  while (count < limit && matcher.find()) count += 1;
  return { count, ...(caught !== null && { caught }) };
};

/** Throws for a pattern that is none in RE2 syntax. */
export function compile(pattern: string, ignoreCase: boolean): Pattern {
  const key = `${ignoreCase ? 'i' : ' '}${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  // Loaded on first use: most suites have no pattern.
  const { RE2JS } = require('re2js') as { RE2JS: typeof Re2 };
  const fresh = RE2JS.compile(RE2JS.translateRegExp(pattern), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(key, fresh);
  return fresh;
}
