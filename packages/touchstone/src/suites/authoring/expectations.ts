import { child, type Issue, isObject, type Json, type JsonObject, typeName } from '@touchstone/protocol';
import {
  CHECKS,
  type CheckName,
  type CheckSpec,
  checkTrouble,
  isCheckName,
} from '@touchstone/protocol/bodies';
import { sentenceFor } from './sentences.js';

/** One line of a rubric, as the wire has it. */
export type RubricLine = { readonly criterion: string; readonly weight: number };
export type ExpectationReading = { readonly criterion: RubricLine } | { readonly issues: readonly Issue[] };

/** One entry of `expect`: a sentence for the judge, or a check by its name. */
export function readExpectation(entry: unknown, pointer: string): ExpectationReading {
  if (typeof entry === 'string') return readProse(entry, pointer);
  if (!isObject(entry)) return refusal(pointer, `Expected a sentence or a check, got ${typeName(entry)}.`);
  const { weight = 1, says, ...rest } = entry as JsonObject;
  if (typeof weight !== 'number' || !Number.isFinite(weight) || weight < 0)
    return refusal(child(pointer, 'weight'), 'Expected a number of at least 0.');
  if (says !== undefined && (typeof says !== 'string' || says.trim() === ''))
    return refusal(child(pointer, 'says'), 'Expected a sentence that says what the check checks.');
  const check = readCheck(rest, pointer);
  if ('issues' in check) return check;
  const sentence = says ?? sentenceFor(check.name, check.args);
  if (sentence === '')
    return refusal(pointer, `The check ${check.name} needs "says": the sentence for the judge.`);
  const notation = `[check:${check.name} ${JSON.stringify(check.args)}]`;
  return { criterion: { criterion: `${notation} ${String(sentence).trim()}`, weight } };
}

function readProse(sentence: string, pointer: string): ExpectationReading {
  if (sentence.trim() === '') return refusal(pointer, 'Expected a sentence, got an empty one.');
  if (isCheckName(sentence)) return refusal(pointer, `A check is an object. Write "${sentence}: {}".`);
  return { criterion: { criterion: sentence, weight: 1 } };
}

type CheckReading =
  | { readonly name: CheckName; readonly args: JsonObject }
  | { readonly issues: readonly Issue[] };

/** `{contains: friday, ignoreCase: true}`: a name with its first argument, the others beside it. */
function readCheck(entry: JsonObject, pointer: string): CheckReading {
  const name = nameIn(entry);
  if (name === undefined) return refusal(pointer, noName(entry));
  const { [name]: value = null, ...beside } = entry;
  const own = ownArguments(name, value);
  const [twice] = Object.keys(own).filter((argument) => Object.hasOwn(beside, argument));
  if (twice !== undefined) return refusal(child(pointer, twice), `"${twice}" is given twice.`);
  const args = name === 'any' || name === 'all' ? withParts({ ...own, ...beside }) : { ...own, ...beside };
  const trouble = checkTrouble(name, args);
  return trouble === undefined
    ? { name, args }
    : refusal(child(pointer, name), `The arguments of check ${name} are not right: ${trouble}`);
}

/** Two checks in one entry, or none. */
function noName(entry: JsonObject): string {
  const wanted = 'Expected one check by its name, with its arguments beside it.';
  const [first, second] = Object.keys(entry).filter(isCheckName);
  if (second !== undefined) return `${wanted} Here are ${first} and ${second}: make them two entries.`;
  const [typed] = Object.keys(entry);
  const there = typed === undefined ? '' : ` There is no check "${typed}".`;
  return `${wanted}${there} Known are: ${Object.keys(CHECKS).join(', ')}.`;
}

/** The one member that is the check. A member that is an argument of another one present is that argument. */
function nameIn(entry: JsonObject): CheckName | undefined {
  const names = Object.keys(entry).filter(isCheckName);
  const isArgument = (name: CheckName): boolean =>
    names.some((other) => other !== name && Object.hasOwn(specOf(other).arguments, name));
  const [name, ...more] = names.length > 1 ? names.filter((one) => !isArgument(one)) : names;
  return more.length > 0 ? undefined : name;
}

const specOf = (name: CheckName): CheckSpec => CHECKS[name];

/** Checks whose first argument may be an object itself. */
const TAKES_OBJECTS: ReadonlySet<string> = new Set(['equals', 'json-subset', 'schema', 'contains-json']);

/** What stands behind the name: all arguments, or the first one alone. */
function ownArguments(name: CheckName, value: Json): JsonObject {
  const { first } = specOf(name);
  if (value === null && name !== 'equals') return {};
  const isArguments = isObject(value) && !(TAKES_OBJECTS.has(name) && !hasArguments(name, value));
  if (isArguments || first === undefined) return isObject(value) ? value : { value };
  return { [first]: value };
}

/** Whether an object is the arguments of a check rather than its first one: it names that one, or has no other members. */
function hasArguments(name: CheckName, value: JsonObject): boolean {
  const { first = '', arguments: known } = specOf(name);
  const members = Object.keys(value);
  if (members.length === 0) return name === 'contains-json';
  if (name === 'equals' && Object.hasOwn(value, 'anyOf'))
    return members.every((one) => Object.hasOwn(known, one));
  return Object.hasOwn(value, first) && members.every((one) => Object.hasOwn(known, one));
}

/** The checks inside `any` and `all`, each as the wire has it: `{"<check>": {…}}`. */
function withParts(args: JsonObject): JsonObject {
  if (!Array.isArray(args.of)) return args;
  return { ...args, of: (args.of as readonly Json[]).map(asPart) };
}

function asPart(part: Json): Json {
  if (!isObject(part)) return part;
  const { weight, ...rest } = part;
  const read = readCheck(rest, '');
  if ('issues' in read) return part;
  return { [read.name]: read.args, ...(weight !== undefined && { weight }) };
}

const refusal = (pointer: string, message: string): { readonly issues: readonly Issue[] } => ({
  issues: [{ pointer, message }],
});

/** Weights of the wire are at most 1: all are divided by the largest when one is above. */
export function scaleWeights(criteria: readonly RubricLine[]): readonly RubricLine[] {
  const largest = Math.max(1, ...criteria.map(({ weight }) => weight));
  return largest === 1 ? criteria : criteria.map((one) => ({ ...one, weight: one.weight / largest }));
}
