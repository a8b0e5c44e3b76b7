import { isUnsound, type Json, type JsonObject } from '../../values/json.js';
import { isObject } from '../../values/object.js';
import {
  AMOUNT,
  ANY,
  COUNT,
  DEGREE,
  FLAG,
  JUDGE,
  LIST,
  listOf,
  MATCH,
  NUMBER,
  oneOf,
  POINTER,
  type Rule,
  required,
  SCHEMA,
  someOf,
  TEXT,
  TEXTS,
} from './rules.js';

type Arguments = { readonly [argument: string]: Rule };

/** What a check takes. */
export type CheckSpec = {
  readonly arguments: Arguments;
  /** The argument that a bare value stands for where a suite's author writes `expect`. */
  readonly first?: string;
  /** What no single argument can say, as a sentence; undefined when all is right. */
  readonly trouble?: (args: JsonObject) => string | undefined;
};

/** Part of the answer: where it is, whether a code fence around it is forgiven. */
const ANSWER: Arguments = { at: POINTER, fenced: FLAG };
const NOT: Arguments = { not: FLAG };
const GRADED: Arguments = { graded: FLAG };
const FOLDING: Arguments = { ignoreCase: FLAG };

const answer = (first: string | undefined, args: Arguments, trouble?: CheckSpec['trouble']): CheckSpec =>
  spec(first, { ...args, ...ANSWER, ...NOT }, trouble);
const trace = (first: string | undefined, args: Arguments, trouble?: CheckSpec['trouble']): CheckSpec =>
  spec(first, { ...args, ...NOT }, trouble);
const spec = (first: string | undefined, args: Arguments, trouble: CheckSpec['trouble']): CheckSpec => ({
  arguments: args,
  ...(first !== undefined && { first }),
  ...(trouble && { trouble }),
});

const has = (args: JsonObject, ...names: readonly string[]): number =>
  names.filter((name) => args[name] !== undefined).length;
const exactlyOne =
  (...names: readonly string[]) =>
  (args: JsonObject): string | undefined =>
    has(args, ...names) === 1 ? undefined : `it needs exactly one of ${quoted(names)}.`;
const atLeastOne =
  (...names: readonly string[]) =>
  (args: JsonObject): string | undefined =>
    has(args, ...names) > 0 ? undefined : `it needs ${quoted(names)}, or both.`;
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(' and ');

function numberTrouble(args: JsonObject): string | undefined {
  const value = has(args, 'value');
  const bounds = has(args, 'min', 'max');
  if (value + Math.min(1, bounds) !== 1) return 'it needs either "value", or "min", "max" or both.';
  if (value === 0) return has(args, 'by', 'percent') ? '"by" and "percent" belong to "value".' : undefined;
  return has(args, 'by', 'percent') === 1
    ? undefined
    : 'a "value" needs exactly one of "by" and "percent"; 0 is allowed.';
}

function regexTrouble(args: JsonObject): string | undefined {
  if (has(args, 'group') && !has(args, 'equals')) return '"group" belongs to "equals".';
  const ways = has(args, 'equals') + has(args, 'absent') + Math.min(1, has(args, 'min', 'max'));
  return ways > 1 ? 'only one of "absent", "equals" and "min" with "max" can be asked for.' : undefined;
}

const STEPS = listOf(
  (step) =>
    (typeof step === 'string' && step !== '') || (isObject(step) && isStep(step))
      ? matchValueOf(step)
      : 'be a list of tool ids or {"tool", "inputs"}',
  'a list of 1 to 50 tool ids or {"tool", "inputs"}',
);
const isStep = (step: JsonObject): boolean =>
  typeof step.tool === 'string' &&
  step.tool !== '' &&
  Object.keys(step).every((name) => name === 'tool' || name === 'inputs');
const matchValueOf = (step: Json): string | undefined =>
  isObject(step) && step.inputs !== undefined ? MATCH.trouble(step.inputs) : undefined;

const STATUS = oneOf('ok', 'error', 'forbidden');

/** Checks that are decided by the answer, the tool calls and the figures of one invocation alone. */
const PLAIN = {
  contains: answer('text', {
    text: required(TEXTS),
    ...FOLDING,
    any: FLAG,
    normalize: FLAG,
    either: FLAG,
  }),
  excludes: answer('text', { text: required(TEXTS), ...FOLDING }),
  equals: answer(
    'value',
    { value: ANY, anyOf: LIST, ...FOLDING, trim: FLAG, normalize: FLAG },
    exactlyOne('value', 'anyOf'),
  ),
  'starts-with': answer('text', {
    text: required(TEXTS),
    ...FOLDING,
    trim: FLAG,
    ignorePunctuation: FLAG,
  }),
  'ends-with': answer('text', { text: required(TEXTS), ...FOLDING, trim: FLAG, ignorePunctuation: FLAG }),
  regex: answer(
    'pattern',
    {
      pattern: required(TEXT),
      ...FOLDING,
      absent: FLAG,
      equals: TEXTS,
      group: COUNT,
      min: COUNT,
      max: COUNT,
    },
    regexTrouble,
  ),
  length: answer(
    'max',
    { min: COUNT, max: COUNT, unit: oneOf('characters', 'words', 'sentences', 'lines') },
    atLeastOne('min', 'max'),
  ),
  number: answer(
    'value',
    {
      value: NUMBER,
      by: AMOUNT,
      percent: AMOUNT,
      min: NUMBER,
      max: NUMBER,
      pick: oneOf('last', 'first', 'only', 'any'),
    },
    numberTrouble,
  ),
  distance: answer(
    'text',
    { text: required(TEXTS), max: COUNT, min: DEGREE, ...FOLDING, ...GRADED },
    exactlyOne('max', 'min'),
  ),
  overlap: answer('text', {
    text: required(TEXTS),
    metric: oneOf('f1', 'rouge-1', 'rouge-2', 'rouge-l'),
    min: required(DEGREE),
    ...GRADED,
  }),
  cites: answer('source', { source: required(TEXTS) }),
  refused: spec(undefined, ANSWER, undefined),
  'not-refused': spec(undefined, ANSWER, undefined),
  format: answer('is', {
    is: required(oneOf('date', 'time', 'date-time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6')),
  }),
  json: answer(undefined, {}),
  schema: answer('schema', { schema: required(SCHEMA) }),
  'contains-json': answer('schema', { schema: SCHEMA }),
  'json-subset': answer('value', { value: required(MATCH), tolerance: AMOUNT }),
  latency: trace('maxMs', { maxMs: required(COUNT) }),
  cost: trace('maxUsd', { maxUsd: required(AMOUNT) }),
  tokens: trace('max', { max: required(COUNT), of: oneOf('total', 'input', 'output') }),
  'tool-called': trace('tool', {
    tool: required(TEXT),
    min: COUNT,
    max: COUNT,
    inputs: MATCH,
    status: STATUS,
  }),
  'tool-not-called': trace('tool', { tool: required(TEXTS), inputs: MATCH }),
  'tool-sequence': trace('steps', {
    steps: required(STEPS),
    order: oneOf('exact', 'in-order', 'any-order'),
    min: DEGREE,
    ...GRADED,
  }),
  'tool-no-repeat': trace('tool', { tool: TEXT }),
  'tool-valid': trace(undefined, {}),
  turns: trace('max', { min: COUNT, max: COUNT }, atLeastOne('min', 'max')),
} satisfies { readonly [name: string]: CheckSpec };

/** A check inside `any` or `all`. */
export type PlainCheckName = keyof typeof PLAIN;

const PARTS = listOf(partTrouble, 'a list of 1 to 50 checks, each {"<check>": {…}}');

/** One part of `any` or `all`: a plain check by its name, with a weight if it is to count more or less than the others. */
function partTrouble(part: Json): string | undefined {
  if (!isObject(part)) return 'be a list of checks, each {"<check>": {…}}';
  const { weight, ...rest } = part;
  const [name, ...more] = Object.keys(rest);
  if (name === undefined || more.length > 0 || !Object.hasOwn(PLAIN, name))
    return 'hold checks, each by one name that is not any, all, scorer, similar or judge';
  if (weight !== undefined && AMOUNT.trouble(weight)) return 'have weights of at least 0';
  const args = rest[name] as Json;
  if (!isObject(args)) return `give the arguments of ${name} as an object`;
  const trouble = argumentTrouble(PLAIN[name as PlainCheckName], args);
  return trouble === undefined ? undefined : `hold checks whose arguments are right; ${name}: ${trouble}`;
}

const weightTrouble = ({ of }: JsonObject): string | undefined =>
  (of as readonly JsonObject[]).every(({ weight }) => weight === 0)
    ? 'no part of "of" has a weight above 0, so nothing could meet it.'
    : undefined;

/** Every check by its name. `docs/checks.md` explains each. */
export const CHECKS = {
  ...PLAIN,
  any: trace('of', { of: required(PARTS) }),
  all: trace('of', { of: required(PARTS), min: DEGREE, ...GRADED }, weightTrouble),
  scorer: trace('name', { name: required(TEXT), config: ANY, min: DEGREE, ...GRADED }),
  similar: answer('text', { text: required(TEXTS), min: required(DEGREE), ...GRADED }),
  judge: trace('sees', {
    sees: someOf('calls', 'memory'),
    reference: ANY,
    min: DEGREE,
    ...GRADED,
    judge: JUDGE,
  }),
} satisfies { readonly [name: string]: CheckSpec };

/** The name of a check, as it stands in `[check:<name> …]`. */
export type CheckName = keyof typeof CHECKS;
export const CHECK_NAMES = Object.keys(CHECKS) as readonly CheckName[];
export const isCheckName = (name: string): name is CheckName => Object.hasOwn(CHECKS, name);

/** Longer arguments are a document, not an expectation. */
const MAX_ARGUMENT_BYTES = 64 * 1024;

/** What is wrong with the arguments of a check, by their names and never by what they hold. */
export function checkTrouble(name: CheckName, args: JsonObject): string | undefined {
  if (isUnsound(args)) return 'they nest too deep.';
  if (JSON.stringify(args).length > MAX_ARGUMENT_BYTES) return 'they have more than 64 KiB.';
  return argumentTrouble(CHECKS[name], args);
}

function argumentTrouble(check: CheckSpec, args: JsonObject): string | undefined {
  const rules = check.arguments;
  const unknown = Object.keys(args).some((argument) => !Object.hasOwn(rules, argument));
  if (unknown) return `it takes ${Object.keys(rules).join(', ') || 'none'}.`;
  for (const [argument, { trouble, required: isRequired }] of Object.entries(rules)) {
    const value = args[argument];
    if (value === undefined && isRequired) return `"${argument}" is missing.`;
    const wrong = value === undefined ? undefined : trouble(value);
    if (wrong !== undefined) return `"${argument}" must ${wrong}.`;
  }
  const { min, max } = args;
  const isEmpty = typeof min === 'number' && typeof max === 'number' && min > max;
  return isEmpty ? '"min" is above "max", so nothing could meet it.' : check.trouble?.(args);
}
