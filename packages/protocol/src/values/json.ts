/** Any value that JSON text can write. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object with any members. */
export type JsonObject = { readonly [key: string]: Json };

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/**
 * RFC 8785 text of a JSON value. Unlike libraries that do the same, it never throws: a lone surrogate, which the RFC
 * refuses and agents do produce, is written as its escape.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

/**
 * Deep equality of JSON: arrays ordered, objects by key, numbers by value. General-purpose libraries look at
 * `constructor` and `valueOf`, which in JSON are ordinary keys that an agent may well use.
 */
export function jsonEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (isList(a) || isList(b)) {
    return (
      isList(a) && isList(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i] as Json))
    );
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key] as Json, b[key] as Json));
}

/**
 * Whether a value nests deeper than `limit` or holds a number that JSON text cannot write (`1e999` parses to infinity).
 * It goes no deeper than the limit itself. It makes nothing while it walks: answers have up to a million values.
 */
export function isUnsound(value: unknown, limit = MAX_JSON_DEPTH): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  if (limit <= 0) return true;
  if (Array.isArray(value)) return value.some((item) => isUnsound(item, limit - 1));
  for (const name of Object.keys(value))
    if (isUnsound((value as { readonly [name: string]: unknown })[name], limit - 1)) return true;
  return false;
}

/** No JSON we handle nests deeper than this; what does is refused where it enters. */
export const MAX_JSON_DEPTH = 256;

/** Replaces what must not be written down inside a text. Undefined when there is nothing to replace. */
export type Redact = ((text: string) => string) | undefined;

/**
 * The same value with every text redacted, names of members included. A value without anything to replace comes back
 * as it is, so that the usual case copies nothing.
 */
export function redactDeep<T>(value: T, redact: Redact): T {
  return redact ? (redactJson(value as Json, redact) as T) : value;
}

function redactJson(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => redactJson(item, redact));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  let changed = false;
  const members = Object.entries(value).map(([name, member]) => {
    const entry = [redact(name), redactJson(member as Json, redact)] as const;
    changed ||= entry[0] !== name || entry[1] !== member;
    return entry;
  });
  return changed ? Object.fromEntries(members) : value;
}

/** The value of a JSON text; undefined when the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * JSON that no reader takes for more than one line. JSON escapes the control characters itself and leaves these three, which
 * many readers take for the end of a line.
 */
export const onOneLine = (json: string): string =>
  json.replace(/[\u0085\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

const FENCED = /^\s*```(?:json)?\s*\n(?<json>[\s\S]*?)\n?\s*```\s*$/i;

/** What models put into one code fence although they were told not to; other text as it is. */
export const withoutFence = (text: string): string => FENCED.exec(text)?.groups?.json ?? text;
