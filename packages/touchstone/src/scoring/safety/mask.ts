import { setImmediate as nextTurn } from 'node:timers/promises';
import { patternPlaces } from './credential-patterns.js';
import { type CredentialPlaces, loadCredentialPlaces, type Place } from './credential-rules.js';
import { mightHoldSecret } from './secrets.js';

export const MASK = '[REDACTED]';

/** A word with a digit in it, a long one, or one that ends as base64 does. */
const TOKEN = String.raw`(?=[\w.~+/-]{0,400}\d|[\w.~+/-]{20}|[\w.~+/-]{8,}=)[\w.~+/-]{8,}=*`;
const NAME = '(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?(?:key|token)|auth[_-]?token)';
const VALUE = '(?=[^\\s"\'`,;<>{}\\d]{0,400}\\d)[^\\s"\'`,;<>{}]{8,400}';

// Wider than what the detectors call a leak: a finding must be right, a mask may err on the safe side. Where only a part
// of a match is secret, that part is named. Every quantifier is bounded or stops where the pattern could begin anew, so
// no text can make one slow.
const SHAPES: readonly RegExp[] = [
  /(?<![A-Za-z0-9])(?:sk|rk)[-_][\w-]{12,}/dg,
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,300}?[A-Za-z0-9+/=]{32})(?:(?!-----)[\s\S])+(?:-----END [A-Z0-9 ]{0,60}-----)?/dg,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,100}:(?<secret>[^\s@/]{1,200})@/dgi,
  new RegExp(`\\bbearer[ \\t]{1,8}(?<secret>${TOKEN})`, 'dgi'),
  new RegExp(
    `\\bauthorization["']?\\s{0,3}[:=]\\s{0,3}["']?(?:[a-z]{1,20}[ \\t]{1,8})?(?<secret>${TOKEN})`,
    'dgi',
  ),
  new RegExp(`${NAME}["']?\\s{0,3}[:=]\\s{0,3}["'\`]?(?<secret>${VALUE})`, 'dgi'),
];

/**
 * The text with every piece that has the shape of a secret replaced by `[REDACTED]`: what the detectors and the secretlint
 * preset know, and a few shapes more. Masking what has been masked changes nothing. Never throws: a text that cannot be
 * searched is withheld whole.
 */
export async function maskSecrets(text: string): Promise<string> {
  try {
    return await maskFully(text);
  } catch {
    return MASK;
  }
}

/** A piece can look like a secret only once its neighbour is gone, so what is left is looked at again. */
const MAX_ROUNDS = 4;

async function maskFully(text: string): Promise<string> {
  let masked = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = masked;
    const parts: string[] = [];
    for (const part of before.split(MASK)) parts.push(await maskPart(part));
    masked = parts.join(MASK);
    if (masked === before) break;
  }
  return masked;
}

/** The shortest text that fits any shape is longer. */
const SHORTEST = 8;

async function maskPart(text: string): Promise<string> {
  if (text.length < SHORTEST) return text;
  const parts: string[] = [];
  let kept = 0;
  for (const [start, end] of merged(await placesIn(text))) {
    parts.push(text.slice(kept, start), MASK);
    kept = end;
  }
  return kept === 0 ? text : parts.join('') + text.slice(kept);
}

/** Long texts are searched in windows, between which others get their turn. They overlap by more than any secret is long. */
const WINDOW = 256 * 1024;
const OVERLAP = 32 * 1024;

async function placesIn(text: string): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (let from = 0; ; from += WINDOW - OVERLAP) {
    const found = await search(text.slice(from, from + WINDOW));
    for (const [start, end] of found) places.push([from + start, from + end]);
    if (from + WINDOW >= text.length) return places;
    await nextTurn();
  }
}

let loading: Promise<CredentialPlaces> | undefined;

/** The library is loaded for the first text that could hold a credential, and not before. */
async function search(text: string): Promise<readonly Place[]> {
  const places = [...SHAPES.flatMap((shape) => shapePlaces(text, shape)), ...patternPlaces(text)];
  if (!mightHoldSecret(text)) return places;
  loading ??= loadCredentialPlaces();
  return [...places, ...(await loading)(text)];
}

const shapePlaces = (text: string, shape: RegExp): readonly Place[] =>
  [...text.matchAll(shape)].flatMap(({ indices }) => {
    const place = indices?.groups?.secret ?? indices?.[0];
    return place ? [place] : [];
  });

/** The same places in order, with those that touch made one. */
function merged(places: readonly Place[]): readonly Place[] {
  const ordered: [number, number][] = [];
  for (const [start, end] of [...places].sort((a, b) => a[0] - b[0])) {
    const last = ordered.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else if (end > start) ordered.push([start, end]);
  }
  return ordered;
}
