// Exported from `@touchstone/protocol/bodies`: criteria are prose that an author wrote.
import type { Json, JsonObject } from '../values/json.js';
import { isObject } from '../values/object.js';
import { CHECK_NAMES, type CheckName, checkTrouble, isCheckName } from './checks/catalogue.js';

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

/** Whether a judge decides it: prose, and the check that puts its sentence to the judge with more to look at. */
export const isJudged = (parsed: ParsedCriterion): boolean =>
  parsed.kind === 'prose' || (parsed.kind === 'check' && parsed.name === 'judge');

const OPENING = '[check:';
const NAME = /^[a-z][a-z-]*/;

/** The same check stands in many tasks, and is read when a suite is installed, planned and scored. */
const known = { fresh: new Map<string, ParsedCriterion>(), older: new Map<string, ParsedCriterion>() };
const KEPT = 10_000;
const LONGEST_KEPT = 500;

/** Only what begins with the opening is a check; everything else is prose, whatever it looks like. */
export function parseCriterion(text: string): ParsedCriterion {
  if (!text.startsWith(OPENING)) return { kind: 'prose', sentence: text };
  const found = known.fresh.get(text) ?? known.older.get(text);
  if (found) return found;
  const parsed = parseCheck(text);
  if (text.length <= LONGEST_KEPT) keep(text, parsed);
  return parsed;
}

/** What was not read again for so many others is forgotten. */
function keep(text: string, parsed: ParsedCriterion): void {
  if (known.fresh.size >= KEPT) {
    known.older = known.fresh;
    known.fresh = new Map();
  }
  known.fresh.set(text, parsed);
}

function parseCheck(text: string): ParsedCriterion {
  const rest = text.slice(OPENING.length);
  const name = NAME.exec(rest)?.[0] ?? '';
  if (!isCheckName(name)) return malformed(`There is no such check. Known are: ${CHECK_NAMES.join(', ')}.`);
  const body = rest.slice(name.length);
  const end = argumentsEnd(body);
  if (end === undefined) return malformed(FORM);
  const args = readArguments(body.slice(0, end));
  const sentence = body.slice(end + 1);
  if (!args || !/^ \S/.test(sentence)) return malformed(FORM);
  const trouble = checkTrouble(name, args);
  return trouble === undefined
    ? { kind: 'check', name, args, sentence: sentence.trim() }
    : malformed(`The arguments of check ${name} are not right: ${trouble}`);
}

const FORM =
  'Expected [check:<name> <JSON object>] followed by a space and a sentence that says the same in words.';
const malformed = (message: string): ParsedCriterion => ({ kind: 'malformed', message });

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
