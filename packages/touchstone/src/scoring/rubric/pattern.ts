import { createRequire } from 'node:module';
import type { RE2JS as Re2 } from 're2js';

type Pattern = ReturnType<typeof Re2.compile>;
const require = createRequire(import.meta.url);
const compiled = new Map<string, Pattern>();
/** A suite has few patterns; past this number they are compiled again. */
const KEPT = 1_000;

/** Whether a pattern of a suite's author is found, in time that grows with the text and no faster. */
export function matchesPattern(pattern: string, text: string, ignoreCase: boolean): boolean {
  return compile(pattern, ignoreCase).matcher(text).find();
}

/** Throws for a pattern that is none in RE2 syntax. */
export function compile(pattern: string, ignoreCase: boolean): Pattern {
  const key = `${ignoreCase ? 'i' : ' '}${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  // Loaded on first use: most suites have no pattern.
  const { RE2JS } = require('re2js') as { RE2JS: typeof Re2 };
  const fresh = RE2JS.compile(RE2JS.translateRegExp(pattern), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(key, fresh);
  return fresh;
}
