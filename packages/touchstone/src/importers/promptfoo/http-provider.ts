import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { inside } from '../documents.js';
import type { ItemCollector, SourcePointer } from '../imported.js';
import { wordOf } from '../nodes.js';
import { asTemplate } from './templates.js';
import { transformPointer } from './transforms.js';

type Parts = {
  readonly url: string;
  readonly config: JsonObject;
  readonly at: SourcePointer;
  readonly items: ItemCollector;
  /** The prompt's template, in the words of this host. */
  readonly prompt: string;
  readonly everywhere: ReadonlySet<string>;
};

const KNOWN = new Set('url method headers body transformResponse responseParser'.split(' '));
const METHODS = ['POST', 'PUT', 'PATCH'];

/** A service as it is: the body as a template, the answer by a pointer. Undefined when it cannot be asked so. */
export function httpRun(parts: Parts): JsonObject | undefined {
  const { url, config, at, items } = parts;
  const { method = 'POST', headers, body, transformResponse = config.responseParser } = config;
  for (const name of Object.keys(config))
    if (!KNOWN.has(name)) items.lost(inside(at, name), `${name} of an HTTP provider`);
  const request = requestOf(body, parts);
  const output = outputOf(transformResponse);
  if (!METHODS.includes(wordOf(method).toUpperCase()) || request === undefined || output === undefined) {
    items.lost(at, 'HTTP provider whose method, body or response needs more than templates and pointers');
    return undefined;
  }
  return {
    kind: 'http',
    url: withVariables(url),
    method: wordOf(method).toUpperCase(),
    ...(isObject(headers) && { headers: mapTexts(headers, withVariables) as JsonObject }),
    request,
    response: { output },
  };
}

/** `{{env.NAME}}` is a variable of the environment. */
const withVariables = (text: string): string => text.replace(/\{\{\s*env\.(\w+)\s*\}\}/g, '${$1}');

function requestOf(body: Json | undefined, { prompt, everywhere }: Parts): Json | undefined {
  const value = typeof body === 'string' ? parsed(body) : body;
  if (value === undefined) return undefined;
  let isWhole = true;
  const request = mapTexts(value, (text) => {
    const pieces = text
      .split(/\{\{\s*prompt\s*\}\}/)
      .map((piece) => asTemplate(withVariables(piece), everywhere));
    isWhole &&= !pieces.includes(undefined);
    return pieces.join(prompt);
  });
  return isWhole ? request : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function mapTexts(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => mapTexts(one, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, map)]));
}

const outputOf = (transform: Json | undefined): string | undefined =>
  transform === undefined ? '' : typeof transform === 'string' ? transformPointer(transform) : undefined;
