// Exported from `@touchstone/protocol/bodies`: criteria are prose that an author wrote.
import type { Json, JsonObject } from '../values/json.js';
import { isObject } from '../values/object.js';

/** Checks whose meaning is decidable, so that no model has to be asked. */
export const CHECK_NAMES = [
  'json',
  'schema',
  'length',
  'contains',
  'excludes',
  'regex',
  'tool-called',
  'tool-not-called',
  'cites',
  'refused',
  'not-refused',
] as const;
/**
 * The name of a check, as it stands in `[check:<name> …]`.
 * - `json`: the answer is JSON. `schema`: it fits a JSON Schema. `length`: it has so many words or characters.
 * - `contains`, `excludes`, `regex`, `cites`: what occurs in it, or does not.
 * - `tool-called`, `tool-not-called`: what the agent did on the way.
 * - `refused`, `not-refused`: whether the agent declined.
 */
export type CheckName = (typeof CHECK_NAMES)[number];

/**
 * A criterion as it is read: prose for a judge, or a check with its arguments. The sentence behind a check says the
 * same in words, so that another host's judge can still read it.
 */
export type ParsedCriterion =
  /** For a judge. */
  | { readonly kind: 'prose'; readonly sentence: string }
  | {
      /** Decided by the host, without a model. */
      readonly kind: 'check';
      /** Which check. */
      readonly name: CheckName;
      /** Checked: every argument is known to its check and of the right type. */
      readonly args: JsonObject;
      /** The same in words. */
      readonly sentence: string;
    }
  /** Begins like a check and is none. The message never quotes the criterion. */
  | { readonly kind: 'malformed'; readonly message: string };

const OPENING = '[check:';
const NAME = /^[a-z][a-z-]*/;

/** Only what begins with the opening is a check; everything else is prose, whatever it looks like. */
export function parseCriterion(text: string): ParsedCriterion {
  if (!text.startsWith(OPENING)) return { kind: 'prose', sentence: text };
  const rest = text.slice(OPENING.length);
  const name = NAME.exec(rest)?.[0] ?? '';
  if (!isCheckName(name)) return malformed(`There is no such check. Known are: ${CHECK_NAMES.join(', ')}.`);
  const body = rest.slice(name.length);
  const end = argumentsEnd(body);
  if (end === undefined) return malformed(FORM);
  const args = readArguments(body.slice(0, end));
  const sentence = body.slice(end + 1);
  if (!args || !/^ \S/.test(sentence)) return malformed(FORM);
  const trouble = argumentTrouble(name, args);
  return trouble === undefined
    ? { kind: 'check', name, args, sentence: sentence.trim() }
    : malformed(`The arguments of check ${name} are not right: ${trouble}`);
}

const FORM =
  'Expected [check:<name> <JSON object>] followed by a space and a sentence that says the same in words.';
const malformed = (message: string): ParsedCriterion => ({ kind: 'malformed', message });
const isCheckName = (name: string): name is CheckName => CHECK_NAMES.includes(name as CheckName);

/** Where the bracket closes: the first `]` outside the JSON object, which may hold brackets and strings of its own. */
function argumentsEnd(text: string): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || (character === '[' && depth > 0)) depth += 1;
    else if (character === ']' && depth === 0) return at;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return undefined;
}

/** No arguments at all are an empty object. */
function readArguments(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  if (!text.startsWith(' ')) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Rule = { readonly fits: (value: Json) => boolean; readonly expected: string; readonly required?: true };

const isText = (value: Json): boolean => typeof value === 'string' && value !== '';
const isCount = (value: Json): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const TEXT: Rule = { fits: isText, expected: 'a string', required: true };
const TEXTS: Rule = {
  fits: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  expected: 'a string, or a list of strings',
  required: true,
};
const FLAG: Rule = { fits: (value) => typeof value === 'boolean', expected: 'true or false' };
const COUNT: Rule = { fits: isCount, expected: 'a whole number of at least 0' };
const SCHEMA: Rule = {
  fits: isObject,
  expected: 'a JSON Schema',
  required: true,
};
const UNIT: Rule = {
  fits: (value) => value === 'characters' || value === 'words',
  expected: '"characters" or "words"',
};

const ARGUMENTS: { readonly [name in CheckName]: { readonly [argument: string]: Rule } } = {
  json: {},
  schema: { schema: SCHEMA },
  length: { min: COUNT, max: COUNT, unit: UNIT },
  contains: { text: TEXTS, ignoreCase: FLAG },
  excludes: { text: TEXTS, ignoreCase: FLAG },
  regex: { pattern: TEXT, ignoreCase: FLAG, absent: FLAG },
  'tool-called': { tool: TEXT, min: COUNT, max: COUNT },
  'tool-not-called': { tool: TEXT },
  cites: { source: TEXTS },
  refused: {},
  'not-refused': {},
};

/** What is wrong with the arguments of a check, by their names and never by what they hold. */
function argumentTrouble(name: CheckName, args: JsonObject): string | undefined {
  const rules = ARGUMENTS[name];
  const unknown = Object.keys(args).some((argument) => !Object.hasOwn(rules, argument));
  if (unknown) return `it takes ${Object.keys(rules).join(', ') || 'none'}.`;
  for (const [argument, { fits, expected, required }] of Object.entries(rules)) {
    const value = args[argument];
    if (value === undefined ? required : !fits(value)) return `"${argument}" must be ${expected}.`;
  }
  const { min, max } = args;
  if (name === 'length' && min === undefined && max === undefined) return 'it needs "min", "max" or both.';
  const isEmpty = typeof min === 'number' && typeof max === 'number' && min > max;
  return isEmpty ? '"min" is above "max", so nothing could meet it.' : undefined;
}
