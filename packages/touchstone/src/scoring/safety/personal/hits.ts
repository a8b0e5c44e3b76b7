import type { SafetyKind } from '../kinds.js';

/** One piece of personal data in a text: where it stands and its compact value, by which repeats are recognised. */
export type Hit = {
  readonly kind: SafetyKind;
  readonly value: string;
  readonly start: number;
  readonly end: number;
};

export const compact = (text: string): string => text.replace(/[^\p{L}\p{N}@+]/gu, '').toUpperCase();
export const digitsIn = (text: string): string => text.replace(/\D/g, '');

const REACH_BEFORE = 40;
const REACH_AFTER = 25;

export const textBefore = (text: string, start: number, reach = REACH_BEFORE): string =>
  text.slice(Math.max(0, start - reach), start);

/** Whether one of the words stands close enough to say what a number is. */
export const isNamed = (text: string, start: number, end: number, words: RegExp): boolean =>
  words.test(textBefore(text, start)) || words.test(text.slice(end, end + REACH_AFTER));

/** Every match that passes as a hit. The pattern is global; its whole match is the data. */
export function hitsOf(
  kind: SafetyKind,
  text: string,
  pattern: RegExp,
  passes: (match: string, start: number, end: number) => boolean,
): readonly Hit[] {
  const hits: Hit[] = [];
  for (const match of text.matchAll(pattern)) {
    const [data] = match;
    const end = match.index + data.length;
    if (passes(data, match.index, end)) hits.push({ kind, value: compact(data), start: match.index, end });
  }
  return hits;
}
