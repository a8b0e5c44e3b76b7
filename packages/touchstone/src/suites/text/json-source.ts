import { parentOf } from '@touchstone/protocol';
import { scanJson } from './json-scan.js';
import type { Source } from './source.js';

/** Reads JSON text. While nothing is wrong, this costs the platform's parser and one count of the keys. */
export function readJson(text: string): Source {
  const source = {
    // `JSON.parse` keeps the last of two equal keys and says nothing, but text and value then differ in their count.
    repeatedKeys: (keysInValue: number) =>
      keysInText(text) === keysInValue ? [] : scanJson(text, new Set()).repeated,
    locate: (pointers: readonly string[]) => locateJson(text, pointers),
  };
  try {
    return { ...source, value: JSON.parse(text) as unknown, faults: [] };
  } catch {
    // The platform's message quotes the text, so the place is found again by our own reader.
    const { broken, repeated } = scanJson(text, new Set());
    return { ...source, faults: broken ? [...repeated, broken] : repeated };
  }
}

function locateJson(text: string, pointers: readonly string[]): (pointer: string) => number {
  const { places } = scanJson(text, withAncestors(pointers));
  return (pointer) => {
    let known = pointer;
    while (known !== '' && !places.has(known)) known = parentOf(known);
    return places.get(known) ?? 0;
  };
}

function withAncestors(pointers: readonly string[]): ReadonlySet<string> {
  const all = new Set<string>(['']);
  for (const pointer of pointers) {
    for (let known = pointer; known !== '' && !all.has(known); known = parentOf(known)) all.add(known);
  }
  return all;
}

/**
 * Strings followed by a colon, in text that is known to be JSON. Jumping from quote to quote leaves the search to the
 * platform, which matters for a text that is read once and long.
 */
function keysInText(text: string): number {
  let keys = 0;
  for (let open = text.indexOf('"'); open !== -1; ) {
    const after = pastSpace(text, closingQuote(text, open) + 1);
    if (text.charCodeAt(after) === 0x3a) keys += 1;
    open = text.indexOf('"', after);
  }
  return keys;
}

function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}

function pastSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}
