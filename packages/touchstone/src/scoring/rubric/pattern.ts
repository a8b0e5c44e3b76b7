import { createRequire } from 'node:module';
import type { RE2JS as Re2 } from 're2js';
import type { CheckWork } from '../../ports/index.js';

type Pattern = ReturnType<typeof Re2.compile>;
const require = createRequire(import.meta.url);
/** The last patterns used, with what each may have learnt from texts, in bytes. */
const compiled = new Map<string, { readonly pattern: Pattern; learnt: number }>();
const KEPT = 32;
/** A pattern that may hold more is compiled anew: what it learns can take some megabytes. */
const MAX_LEARNT = 4 * 1024 * 1024;
/** In instructions. Larger than any pattern a person writes; a text costs up to as many steps for each of its characters. */
export const MAX_PROGRAM = 10_000;

export type PatternMatches = {
  /** How many matches there are, counted up to the limit. */
  readonly count: number;
  /** What the group caught in the first match; undefined when it took no part in it, or was not asked for. */
  readonly caught?: string;
};

/** Looks for a pattern of a suite's author, in time that grows with the text times the size of the pattern. */
export type PatternSearch = (
  pattern: string,
  text: string,
  options: {
    readonly ignoreCase: boolean;
    /** So many matches are enough. */
    readonly limit: number;
    /** The group whose text is wanted; `first` for the first group, or all of the match when there is none. */
    readonly group?: number | 'first';
  },
) => PatternMatches;

export const searchPattern: PatternSearch = (pattern, text, { ignoreCase, limit, group }) => {
  const compiledPattern = learningFrom(pattern, ignoreCase, text);
  // To ask only whether it is found takes a small part of the time.
  if (!compiledPattern.test(text)) return { count: 0 };
  if (group === undefined && limit <= 1) return { count: 1 };
  const matcher = compiledPattern.matcher(text);
  matcher.find();
  const wanted = group === undefined || group === 'first' ? Math.min(1, matcher.groupCount()) : group;
  const caught = group !== undefined && wanted <= matcher.groupCount() ? matcher.group(wanted) : null;
  let count = 1;
  while (count < limit && matcher.find()) count += 1;
  return { count, ...(caught !== null && { caught }) };
};

const STATE_BYTES = 150;
const INSTRUCTION_BYTES = 8;

/** Every character can lead to a state that the pattern has not met, which lists the instructions it may be at. */
function learningFrom(pattern: string, ignoreCase: boolean, { length }: string): Pattern {
  const entry = entryOf(pattern, ignoreCase);
  entry.learnt += length * (STATE_BYTES + entry.pattern.programSize() * INSTRUCTION_BYTES);
  if (entry.learnt > MAX_LEARNT) compiled.delete(keyOf(pattern, ignoreCase));
  return entry.pattern;
}

/** Throws for a pattern that is none in RE2 syntax. */
export const compile = (pattern: string, ignoreCase: boolean): Pattern =>
  entryOf(pattern, ignoreCase).pattern;

function entryOf(pattern: string, ignoreCase: boolean) {
  const key = keyOf(pattern, ignoreCase);
  const found = compiled.get(key) ?? { pattern: compileNow(pattern, ignoreCase), learnt: 0 };
  // The one used last stands last, so the first one is the one to go.
  compiled.delete(key);
  compiled.set(key, found);
  const [oldest] = compiled.keys();
  if (compiled.size > KEPT && oldest !== undefined) compiled.delete(oldest);
  return found;
}

const keyOf = (pattern: string, ignoreCase: boolean): string => `${ignoreCase ? 'i' : ' '}${pattern}`;

function compileNow(pattern: string, ignoreCase: boolean): Pattern {
  // Loaded on first use: most suites have no pattern.
  const { RE2JS } = require('re2js') as { RE2JS: typeof Re2 };
  return RE2JS.compile(RE2JS.translateRegExp(pattern), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
}

const REPEATS = /(.)\{(\d+)(?:,(\d*))?\}/g;
/** RE2 takes no more, those of repeats inside repeats multiplied. */
const MOST_REPEATS = 1_000;

/** About the most instructions, told from the text of a pattern: a group that is repeated may be all of it. */
function programBound(pattern: string): number {
  let [length, times] = [pattern.length, 1];
  for (const [, before, least = '1', most] of pattern.matchAll(REPEATS)) {
    const repeats = Math.max(1, Number(most || least));
    if (before === ')') times *= repeats;
    else length += 2 * repeats;
  }
  return length * Math.min(MOST_REPEATS, times);
}

const COMPILING_US = 10;
const STEP_US = 0.05;

/** What compiling a pattern costs at worst, in microseconds; nothing when it was used a short while ago. */
export const compilingCost = (pattern: string, ignoreCase: boolean): number =>
  compiled.has(keyOf(pattern, ignoreCase)) ? 0 : programBound(pattern) * COMPILING_US;

/** What looking for a pattern in a text of this length costs at worst, in microseconds. */
export function matchingCost(pattern: string, ignoreCase: boolean, length: number): number {
  const size = compiled.get(keyOf(pattern, ignoreCase))?.pattern.programSize() ?? programBound(pattern);
  return compilingCost(pattern, ignoreCase) + size * length * STEP_US;
}

/** Why a pattern cannot be used; null when it can. Never quotes it. */
export const PATTERN_PROBLEM: CheckWork<string, string | null> = {
  name: 'pattern-problem',
  run(pattern) {
    try {
      const size = compile(pattern, false).programSize();
      return size <= MAX_PROGRAM ? null : tooLarge(size);
    } catch {
      return NO_PATTERN;
    }
  },
};

const NO_PATTERN = 'The pattern of this check is none in RE2 syntax (no look-around, no back-references).';
const tooLarge = (size: number): string =>
  `The pattern of this check is too large: it compiles to ${size} instructions, and ${MAX_PROGRAM} are the most. Repeat less of it, or write several checks.`;
