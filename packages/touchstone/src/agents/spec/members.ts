import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  child,
  defined,
  type Issue,
  type Json,
  type ModelName,
  readPointer,
  validationError,
} from '@touchstone/protocol';
import {
  flag,
  id,
  integer,
  issueAt,
  list,
  mapOf,
  number,
  object,
  ruled,
  type Schema,
  schemaIssues,
  text,
  type Wire,
} from '@touchstone/protocol/schema';
import type { Usage } from '../../ports/index.js';
import { namesVariable, referenceIssues } from '../environment/fill-in.js';

type ReadOptions = {
  readonly pointer?: string;
  readonly details?: { readonly file: string };
  /** Texts may name variables of the environment. Such a text is checked when they have been filled in. */
  readonly variables?: true;
};

/** The value as its schema describes it, or a `validation_error` with all issues. A copy, without undefined members. */
export function readAs<S extends Schema>(schema: S, value: unknown, options: ReadOptions = {}): Wire<S> {
  const { pointer = '', details = {}, variables } = options;
  const issues = variables ? issuesBesideVariables(schema, value) : schemaIssues(schema, value);
  if (issues.length > 0) throw validationError(below(pointer, issues), details);
  return JSON.parse(JSON.stringify(value)) as Wire<S>;
}

const issuesBesideVariables = (schema: Schema, value: unknown): readonly Issue[] => [
  ...referenceIssues(value),
  ...schemaIssues(schema, value).filter(({ pointer }) => !namesVariable(readPointer(value as Json, pointer))),
];

export const below = (pointer: string, issues: readonly Issue[]): readonly Issue[] =>
  issues.map((issue) => ({ ...issue, pointer: pointer + issue.pointer }));

/** A text that is not empty. */
export const filled = (maxLength = 4096) => text(undefined, { minLength: 1, maxLength });
export const textMap = mapOf(text());
export const tenants = list(filled(256));
/** An argument of a command may be empty, which other texts may not. */
export const commandArguments = list(text());

const DAY_MS = 86_400_000;
export const timeoutMs = integer(undefined, { minimum: 1, maximum: DAY_MS });

export const webUrl = ruled(filled(2048), (url) =>
  issueAt('', !isWebUrl(url) && 'expected an absolute URL that begins with http:// or https://'),
);
const isWebUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

/** Set by the host for every request, or by the connection. */
const RESERVED = new Set(
  'connection content-length content-type expect host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

export const headers = ruled(textMap, (map: { readonly [name: string]: unknown }) =>
  Object.entries(map).flatMap(([name, value]) =>
    typeof value === 'string' ? issueAt(child('', name), headerProblem(name, value)) : [],
  ),
);

function headerProblem(name: string, value: string): string | undefined {
  if (RESERVED.has(name.toLowerCase())) return 'this header is set by the host and cannot be configured';
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    return 'expected a valid HTTP header: a token as name, a value without control characters';
  }
}

/** Names, not prose: these leave the agent in content-free events. */
export const modelName = id<ModelName>(undefined, {
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9 ._:/@+\\-]*$',
  title: 'a name of letters, digits and ._:/@+-',
});

/** No call costs more; a larger number is a mistake, and sums of such numbers lose precision. */
const MOST_USD = 1_000_000;
export const tokens = integer(undefined, { minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** One entry of what an agent says it used. Members it adds of its own are left alone. */
export const usageShape = object(
  { provider: modelName, model: modelName, inputTokens: tokens, outputTokens: tokens },
  { costUsd: number(undefined, { minimum: 0, maximum: MOST_USD }), cacheHit: flag() },
);

/** Without the members that an agent has added. */
export const usageOf = (entry: Wire<typeof usageShape>): Usage => {
  const { provider, model, inputTokens, outputTokens, costUsd, cacheHit } = entry;
  return defined({ provider, model, inputTokens, outputTokens, costUsd, cacheHit });
};

/** One entry, or what is wrong with it. */
export function readUsage(value: unknown): Usage | string {
  const [issue] = schemaIssues(usageShape, value);
  return issue ? `${issue.pointer || '/'}: ${issue.message}` : usageOf(value as Wire<typeof usageShape>);
}
