import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { list, text } from '@touchstone/protocol/schema';
import type { Environment } from './fill-in.js';

/** Names of variables that a program is given, each as it is or with a `*` at its end for all that begin so. */
export const passEnv = list(
  text(undefined, {
    pattern: '^[A-Za-z_][A-Za-z0-9_]*\\*?$',
    title: 'the name of an environment variable such as LANG, or the beginning of names such as LC_*',
  }),
);

/** An entry whose program is given, besides its `env`, the variables that `passEnv` names, as far as they are set. */
export function handOver<T extends JsonObject>(entry: T, variables: Environment): T {
  if (!Array.isArray(entry.passEnv)) return entry;
  const names = entry.passEnv.map(String);
  const isPassed = (name: string): boolean =>
    names.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one));
  const passed = Object.entries(variables).filter(([name, value]) => value !== undefined && isPassed(name));
  return { ...entry, env: { ...(Object.fromEntries(passed) as JsonObject), ...envOf(entry.env) } };
}

const envOf = (env: Json | undefined): JsonObject => (isObject(env) ? env : {});

const LOOKS_LIKE_A_VARIABLE = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;

/** A program often ends with the name of the variable that it has looked for in vain. */
export function unsetHint(complaint: string, given: { readonly [name: string]: unknown }): string {
  const lines = complaint.trimEnd().split('\n');
  const words = lines.filter((line, index) => index === lines.length - 1 || /error/i.test(line)).join('\n');
  const name = words.match(LOOKS_LIKE_A_VARIABLE)?.find((one) => given[one] === undefined);
  return name === undefined
    ? ''
    : `\nIts environment has no ${name}. A program gets the variables that "passEnv" or "env" of its entry names.`;
}
