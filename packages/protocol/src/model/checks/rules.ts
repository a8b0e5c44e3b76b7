import type { Json } from '../../values/json.js';
import { isObject } from '../../values/object.js';
import { JUDGE_REFERENCE } from '../judge-reference.js';
import { matchValueTrouble } from './match-value.js';

/** What a check takes as one of its arguments. */
export type Rule = {
  /** What is wrong with a value, as the end of `"<argument>" must …`; undefined when nothing is. */
  readonly trouble: (value: Json) => string | undefined;
  readonly required?: true;
};

const rule = (fits: (value: Json) => boolean, expected: string): Rule => ({
  trouble: (value) => (fits(value) ? undefined : `be ${expected}`),
});

/** The same argument, which has to be given. */
export const required = (one: Rule): Rule => ({ ...one, required: true });

/** More entries make a check slow and a list nobody reads. */
const MAX_ENTRIES = 50;

const isText = (value: Json): boolean => typeof value === 'string' && value !== '';
const isNumber = (value: Json): boolean => typeof value === 'number' && Number.isFinite(value);
const isListOf = (value: Json, fits: (item: Json) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_ENTRIES && (value as Json[]).every(fits);

export const TEXT = rule(isText, 'a string that is not empty');
export const TEXTS = rule(
  (value) => isText(value) || isListOf(value, isText),
  `a string, or a list of 1 to ${MAX_ENTRIES} strings, none of them empty`,
);
export const FLAG = rule((value) => typeof value === 'boolean', 'true or false');
export const COUNT = rule(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'a whole number of at least 0',
);
export const NUMBER = rule(isNumber, 'a number');
export const AMOUNT = rule((value) => isNumber(value) && (value as number) >= 0, 'a number of at least 0');
export const DEGREE = rule(
  (value) => isNumber(value) && (value as number) >= 0 && (value as number) <= 1,
  'a number from 0 to 1',
);
export const SCHEMA = rule(isObject, 'a JSON Schema');
export const ANY: Rule = { trouble: () => undefined };
export const LIST = rule((value) => isListOf(value, () => true), `a list of 1 to ${MAX_ENTRIES} values`);
export const POINTER = rule(
  (value) => typeof value === 'string' && /^(\/([^~/]|~[01])*)*$/.test(value),
  'a JSON pointer, such as "/answer" or ""',
);
/** A portable judge, by name and version: another version asks another question. */
export const JUDGE = rule(
  (value) => typeof value === 'string' && JUDGE_REFERENCE.test(value),
  'a portable judge as "<judgeId>@<version>"',
);
export const MATCH: Rule = { trouble: matchValueTrouble };

/** One of a few words. */
export const oneOf = (...words: readonly string[]): Rule =>
  rule((value) => words.includes(value as string), `one of ${words.map((word) => `"${word}"`).join(', ')}`);

/** Some of a few words. */
export const someOf = (...words: readonly string[]): Rule =>
  rule(
    (value) => isListOf(value, (item) => words.includes(item as string)),
    `a list of ${words.map((word) => `"${word}"`).join(', ')}`,
  );

/** A list whose items are checked one by one. */
export const listOf = (trouble: (item: Json) => string | undefined, expected: string): Rule => ({
  trouble: (value) =>
    isListOf(value, () => true)
      ? (value as readonly Json[]).map(trouble).find((one) => one !== undefined)
      : `be ${expected}`,
});
