import type { JsonObject } from '@touchstone/protocol';
import { distance as levenshtein } from 'fastest-levenshtein';
import { scriptWords, wordOverlap } from '../contract/words.js';
import { type Check, type CheckResult, foldOf, textIn, textsOf, unknown } from './context.js';

/** Longer texts take too long to compare letter by letter. */
const MAX_CODE_POINTS = 20_000;

export const distance: Check = (context) => {
  const { args } = context;
  const fold = foldOf({ ignoreCase: args.ignoreCase ?? false });
  const text = [...fold(textIn(context))];
  const others = textsOf(args.text).map((one) => [...fold(one)]);
  if ([text, ...others].some((one) => one.length > MAX_CODE_POINTS)) return TOO_LONG;
  const measured = others.map((other) => ({ edits: editsBetween(text, other), other }));
  const nearest = measured.reduce((best, one) => (one.edits < best.edits ? one : best));
  const degree = Math.max(...measured.map(({ edits, other }) => similarity(edits, text, other)));
  const met = typeof args.max === 'number' ? nearest.edits <= args.max : degree >= Number(args.min);
  const reason = `${nearest.edits} edits, similarity ${rounded(degree)}; wanted ${boundOf(args)}`;
  return met ? { met, degree } : { met, degree, reason };
};

const TOO_LONG = unknown(`a text has more than ${MAX_CODE_POINTS} characters and is not measured`);

const boundOf = ({ max, min }: JsonObject): string =>
  max === undefined ? `a similarity of at least ${min}` : `at most ${max} edits`;

const similarity = (edits: number, a: readonly string[], b: readonly string[]): number => {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - edits / longer;
};

/** The library compares UTF-16 units, so each code point beyond them is given a unit that neither text has. */
function editsBetween(a: readonly string[], b: readonly string[]): number {
  const astral = new Set([...a, ...b].filter((character) => character.length > 1));
  if (astral.size === 0) return levenshtein(a.join(''), b.join(''));
  const units = new Map<string, string>();
  const unitOf = (character: string): string => {
    const known = units.get(character) ?? String.fromCharCode(units.size);
    units.set(character, known);
    return known;
  };
  return levenshtein(a.map(unitOf).join(''), b.map(unitOf).join(''));
}

export const overlap: Check = (context) => {
  const { args } = context;
  const text = textIn(context);
  const others = textsOf(args.text);
  if ([text, ...others].some((one) => one.length > 2 * MAX_CODE_POINTS || [...one].length > MAX_CODE_POINTS))
    return TOO_LONG;
  const { metric = 'f1' } = args;
  const degree = Math.max(...others.map((other) => overlapBy(String(metric), text, other)));
  const met = degree >= Number(args.min) - ROUNDING;
  const result: CheckResult = { met, degree };
  return met ? result : { ...result, reason: `${metric} ${rounded(degree)}; wanted at least ${args.min}` };
};

const ROUNDING = 1e-9;
const rounded = (degree: number): string => String(Number(degree.toFixed(4)));

function overlapBy(metric: string, text: string, other: string): number {
  if (metric === 'f1') return wordOverlap(text, other);
  const [left, right] = [rougeWords(text), rougeWords(other)];
  if (metric === 'rouge-l') return fMeasure(longestCommon(left, right), left.length, right.length);
  const size = metric === 'rouge-2' ? 2 : 1;
  const [grams, others] = [ngrams(left, size), ngrams(right, size)];
  return fMeasure(clippedMatches(grams, others), grams.length, others.length);
}

/** Lower-case runs of letters and digits, without stemming; scripts without spaces are segmented. */
export const rougeWords = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap(scriptWords);

function ngrams(words: readonly string[], size: number): readonly string[] {
  if (size === 1) return words;
  return words.slice(1).map((word, at) => `${words[at]} ${word}`);
}

/** Each n-gram counts as often as it stands in both texts. */
function clippedMatches(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const gram of a) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  let matches = 0;
  for (const gram of b) {
    const left = counts.get(gram) ?? 0;
    if (left > 0) matches += 1;
    counts.set(gram, left - 1);
  }
  return matches;
}

function fMeasure(matches: number, a: number, b: number): number {
  if (a === 0 && b === 0) return 1;
  return a + b === 0 ? 0 : (2 * matches) / (a + b);
}

/** The length of the longest common subsequence, with one row of memory. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const row = new Uint32Array(b.length + 1);
  for (const word of a) {
    let diagonal = 0;
    for (let at = 1; at <= b.length; at += 1) {
      const above = row[at] as number;
      row[at] = word === b[at - 1] ? diagonal + 1 : Math.max(above, row[at - 1] as number);
      diagonal = above;
    }
  }
  return row[b.length] as number;
}
