import type { Json, JsonObject } from '../../values/json.js';
import { isObject } from '../../values/object.js';

/**
 * The operators of match values: an object with one member whose name begins with `$`, and the members that may stand
 * beside it. Every other object, list or scalar stands for itself.
 */
const OPERATORS: {
  readonly [operator: string]: {
    readonly beside?: readonly string[];
    readonly trouble: (value: Json, all: JsonObject) => string | undefined;
  };
} = {
  $any: { trouble: (value) => (value === true ? undefined : 'have "$any": true') },
  $absent: { trouble: (value) => (value === true ? undefined : 'have "$absent": true') },
  $regex: {
    beside: ['ignoreCase'],
    trouble: (value, { ignoreCase }) =>
      typeof value === 'string' && value !== '' && isFlag(ignoreCase)
        ? undefined
        : 'have a pattern in "$regex", and true or false in "ignoreCase"',
  },
  $near: {
    beside: ['by'],
    trouble: (value, { by }) =>
      isNumber(value) && isNumber(by) && by >= 0 ? undefined : 'have numbers in "$near" and "by"',
  },
  $range: {
    trouble(value) {
      const [low, high, ...more] = Array.isArray(value) ? (value as readonly Json[]) : [];
      return isNumber(low) && isNumber(high) && low <= high && more.length === 0
        ? undefined
        : 'have two numbers in "$range", the smaller one first';
    },
  },
  $oneOf: { trouble: (value) => valuesTrouble('$oneOf', value) },
  $has: { trouble: (value) => valuesTrouble('$has', value) },
  $exact: { trouble: () => undefined },
  $literal: { trouble: () => undefined },
  $schema: { trouble: (value) => (isObject(value) ? undefined : 'have a JSON Schema in "$schema"') },
  $not: { trouble: (value) => matchValueTrouble(value) },
};

const MAX_VALUES = 50;
const isNumber = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value);
const isFlag = (value: Json | undefined): boolean => value === undefined || typeof value === 'boolean';

/** The operator of a match value; undefined when it has none. */
export function operatorOf(value: Json): string | undefined {
  return isObject(value) ? Object.keys(value).find((name) => name.startsWith('$')) : undefined;
}

/** What is wrong with a match value, as the end of `"<argument>" must …`; undefined when nothing is. */
export function matchValueTrouble(value: Json): string | undefined {
  if (Array.isArray(value)) return firstTrouble(value as readonly Json[]);
  if (!isObject(value)) return undefined;
  const operator = operatorOf(value);
  return operator === undefined ? firstTrouble(Object.values(value)) : operatorTrouble(operator, value);
}

const firstTrouble = (values: readonly Json[]): string | undefined =>
  values.map(matchValueTrouble).find((trouble) => trouble !== undefined);

function operatorTrouble(operator: string, value: JsonObject): string | undefined {
  const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (!known) return `use operators that exist: ${Object.keys(OPERATORS).join(', ')}`;
  const strange = Object.keys(value).some((name) => name !== operator && !known.beside?.includes(name));
  if (strange) return `have nothing else beside "${operator}"${known.beside ? ` and "${known.beside}"` : ''}`;
  return known.trouble(value[operator] as Json, value);
}

function valuesTrouble(operator: string, value: Json): string | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES)
    return `have a list of 1 to ${MAX_VALUES} values in "${operator}"`;
  return firstTrouble(value as readonly Json[]);
}
