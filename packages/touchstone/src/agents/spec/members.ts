import { validateHeaderName, validateHeaderValue } from 'node:http';
import { child } from '@touchstone/protocol';
import type { ObjectReader } from './object-reader.js';

/** Set by the host for every request, or by the connection. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function readUrl(reader: ObjectReader, name: string): string | undefined {
  const text = reader.text(name, { max: 2048 });
  if (text === undefined) return undefined;
  const web = URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
  return web ? text : reader.refuse(name, 'Expected an absolute URL that begins with http:// or https://.');
}

export function readHeaders(reader: ObjectReader): { readonly [name: string]: string } | undefined {
  const headers = reader.textMap('headers');
  for (const [name, value] of Object.entries(headers ?? {})) {
    const problem = headerProblem(name, value);
    if (problem !== undefined)
      reader.issues.push({ pointer: child(reader.at('headers'), name), message: problem });
  }
  return headers;
}

function headerProblem(name: string, value: string): string | undefined {
  if (RESERVED.has(name.toLowerCase())) return 'This header is set by the host and cannot be configured.';
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    return 'Expected a valid HTTP header: a token as name, a value without control characters.';
  }
}

/** An argument of a command may be empty, which other texts may not. */
export const readArguments = (reader: ObjectReader): readonly string[] | undefined =>
  reader.list('args')?.flatMap((item, index) => {
    if (typeof item === 'string') return [item];
    reader.issues.push({ pointer: `${reader.at('args')}/${index}`, message: 'Expected a string.' });
    return [];
  });

const DAY_MS = 86_400_000;

export const readTimeout = (reader: ObjectReader): number | undefined =>
  reader.number('timeoutMs', { min: 1, max: DAY_MS, whole: true });

export const readTenants = (reader: ObjectReader): readonly string[] | undefined =>
  reader.texts('tenants', { max: 256 });
