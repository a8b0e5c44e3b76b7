import { createRequire } from 'node:module';
import { type Json, type JsonObject, parseJson } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import type * as Formats from 'ajv-formats/dist/formats.js';
import { type Check, type CheckContext, jsonIn, quoted, textIn, unknown } from './context.js';
import { misfit } from './match.js';

export const json: Check = (context) => (jsonIn(context) === undefined ? NOT_JSON : { met: true });

const NOT_JSON = { met: false, reason: 'the answer is not JSON' };

export const schema: Check = (context) => {
  const value = jsonIn(context);
  if (value === undefined) return NOT_JSON;
  const [issue] = context.parts.schemaCheck(context.args.schema as JsonObject, toBody(value));
  return issue
    ? { met: false, reason: `at ${issue.pointer || 'the root'}: ${issue.message}` }
    : { met: true };
};

export const jsonSubset: Check = (context) => {
  const { args, parts } = context;
  const value = jsonIn(context);
  if (value === undefined) return NOT_JSON;
  const tolerance = typeof args.tolerance === 'number' ? args.tolerance : 0;
  const differsAt = misfit(args.value as Json, value, { tolerance, parts });
  return differsAt === undefined
    ? { met: true }
    : { met: false, differsAt, reason: `differs at ${differsAt || 'the root'}` };
};

export const containsJson: Check = (context) => {
  const { args, parts, value } = context;
  if (value !== undefined && typeof value !== 'string') return fitsSchema(context, value);
  const found = jsonPartsOf(textIn(context));
  if (found === undefined) return unknown('the text holds too many brackets to look into');
  const { schema: wantedSchema } = args;
  const met =
    wantedSchema === undefined
      ? found.length > 0
      : found.some((part) => parts.schemaCheck(wantedSchema as JsonObject, toBody(part)).length === 0);
  if (met) return { met };
  return { met, reason: found.length === 0 ? 'no JSON in the text' : 'no JSON in the text fits the schema' };
};

function fitsSchema({ args, parts }: CheckContext, value: Json) {
  const met =
    args.schema === undefined
      ? typeof value === 'object' && value !== null
      : parts.schemaCheck(args.schema as JsonObject, toBody(value)).length === 0;
  return met ? { met } : { met, reason: 'the answer does not fit' };
}

/** So many characters are looked at in all: a text of brackets would otherwise take the square of its length. */
const MAX_LOOKED_AT = 2_000_000;

/** Every balanced `{…}` and `[…]` in a text that is JSON, inner ones included; undefined when there are too many to try. */
export function jsonPartsOf(text: string): readonly Json[] | undefined {
  const found: Json[] = [];
  let lookedAt = 0;
  for (let start = text.search(/[[{]/); start >= 0 && start < text.length; start += 1) {
    if (text[start] !== '{' && text[start] !== '[') continue;
    const end = balancedEnd(text, start);
    lookedAt += (end ?? text.length) - start;
    if (lookedAt > MAX_LOOKED_AT) return undefined;
    const value = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (value !== undefined) found.push(value);
  }
  return found;
}

function balancedEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

const require = createRequire(import.meta.url);
/** No date, address or id is longer; patterns of formats must not be tried on a book. */
const MAX_FORMAT_LENGTH = 2_048;

export const format: Check = (context) => {
  const { is } = context.args;
  const text = textIn(context).trim();
  const met = text.length <= MAX_FORMAT_LENGTH && isFormat(String(is), text);
  return met ? { met } : { met, reason: `wanted ${is}; found ${quoted(text)}` };
};

function isFormat(name: string, text: string): boolean {
  // Loaded on first use: most suites ask for no format.
  const { fullFormats } = require('ajv-formats/dist/formats.js') as typeof Formats;
  const definition = fullFormats[name as keyof typeof fullFormats];
  if (definition instanceof RegExp) return definition.test(text);
  if (typeof definition === 'function') return definition(text) === true;
  if (typeof definition !== 'object' || !('validate' in definition)) return false;
  const { validate } = definition;
  if (validate instanceof RegExp) return validate.test(text);
  return typeof validate === 'function' && (validate as (value: string) => boolean)(text) === true;
}
