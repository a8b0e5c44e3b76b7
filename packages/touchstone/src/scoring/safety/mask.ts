import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { CheckWork } from '../../ports/index.js';
import { patternPlaces, START } from './credential-patterns.js';
import { type CredentialPlaces, loadCredentialPlaces, type Place, withGaps } from './credential-rules.js';
import { mightHoldSecret } from './secrets.js';

export const MASK = '[REDACTED]';

/** A word with a digit in it, a long one, or one that ends as base64 does. */
const TOKEN = String.raw`(?=[\w.~+/-]{0,400}\d|[\w.~+/-]{20}|[\w.~+/-]{8,}=)[\w.~+/-]{8,}=*`;
const NAME = '(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?(?:key|token)|auth[_-]?token)';
const VALUE = '(?=[^\\s"\'`,;<>{}\\d]{0,400}\\d)[^\\s"\'`,;<>{}]{8,400}';
const IS = String.raw`["']?\s{0,3}[:=]\s{0,3}["'\x60]?`;

// Wider than what the detectors call a leak: a finding must be right, a mask may err on the safe side. Every quantifier
// is bounded or stops where the pattern could begin anew, so no text can make one slow.

/** Looked for in a text with gaps. */
const TOKENS: readonly string[] = [
  String.raw`(?:sk|rk)[-_][\w-]{12,}`,
  // Not a key, but the name under which a host finds one.
  String.raw`cred_[\w-]{12,}`,
  String.raw`AIza[\w-]{30,}`,
  'key-[0-9a-f]{32}(?![A-Za-z0-9])',
  String.raw`(?:xai|pplx|xapp|GOCSPX|sq0(?:atp|csp))-[\w-]{20,}`,
  String.raw`(?:r8|ntn|do[opr]_v1)_[\w-]{20,}`,
  String.raw`(?:pypi-|ya29\.|dp\.pt\.)(?=[\w-]{0,400}\d)[\w-]{20,}`,
  String.raw`[\w-]{1,64}\.atlasv1\.[\w=-]{16,}`,
  'AGE-SECRET-KEY-1[A-Za-z0-9]{20,}',
  String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.(?=[\w-]{0,40}\d)[\w-]{27,}`,
];
const TOKEN_SHAPE = new RegExp(`${START}(?:${TOKENS.join('|')})`, 'dg');

/** Looked for in the text itself. Where only a part of a match is secret, that part is named. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,300}?[A-Za-z0-9+/=]{32})(?:(?!-----)[\s\S])+(?:-----END [A-Z0-9 ]{0,60}-----)?/dg,
  /(?<![a-z])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,100}:(?<secret>[^\s@/]{1,200})@/dgi,
  new RegExp(String.raw`(?<![a-z])bearer(?:[ \t+]{1,8}|%20)(?<secret>${TOKEN})`, 'dgi'),
  new RegExp(String.raw`(?<![a-z])authorization${IS}(?:[a-z]{1,20}[ \t]{1,8})?(?<secret>${TOKEN})`, 'dgi'),
  new RegExp(`${NAME}${IS}(?<secret>${VALUE})`, 'dgi'),
  // After an equals sign comes a value. After a colon prose may come, which has no digits in its words.
  new RegExp(String.raw`token(?:["']?=["']?|${IS}(?=[\w.~+/-]{0,400}\d))(?<secret>[\w.~+/%-]{16,}=*)`, 'dgi'),
  /(?<![a-z])cookie["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>[\w!#$%&*+.^|~-]{1,100}=[^\r\n"]{4,4000})/dgi,
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

/** `maskSecrets` where a thread can do it. */
export const MASKING: CheckWork<string, string> = { name: 'masking', run: maskSecrets };

/** A piece can look like a secret only once its neighbour is gone, so what is left is looked at again. */
const MAX_ROUNDS = 4;

async function maskFully(text: string): Promise<string> {
  let masked = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = masked;
    masked = await maskOnce(before);
    if (masked === before) break;
  }
  return masked;
}

/** Long texts are searched in windows, and yield to the event loop in between. They overlap by more than any secret is long. */
const WINDOW = 64 * 1024;
const OVERLAP = 24 * 1024;
/** What it costs to begin a search, in characters searched: many short texts take as long as a long one. */
const BEGINNING = 512;

async function maskOnce(text: string): Promise<string> {
  const parts: string[] = [];
  let searched = 0;
  for (const part of text.split(MASK)) {
    parts.push(mightNeedMask(part) ? await maskPart(part) : part);
    searched += part.length + BEGINNING;
    if (searched <= WINDOW) continue;
    searched = 0;
    await yieldToEventLoop();
  }
  return parts.join(MASK);
}

/** The shortest text that fits any shape is longer. */
const SHORTEST = 8;
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/;
/** Something every shape has: a word of 15 ASCII characters, one of 8 with a digit, or what prose does without. */
const TRACE = /[!#-&(-+\--:=?-_a-z|~]{15}|(?=[^\s"'`,;<>{}]{8})[^\s"'`,;<>{}]{0,7}\d|=|:\/\/|-----/;

/** Most texts are short or prose, and one look tells. */
const mightNeedMask = (text: string): boolean =>
  text.length >= SHORTEST && (TRACE.test(text) || INVISIBLE.test(text));

async function maskPart(text: string): Promise<string> {
  const parts: string[] = [];
  let kept = 0;
  for (const [start, end] of merged(await placesIn(text))) {
    parts.push(text.slice(kept, start), MASK);
    kept = end;
  }
  return kept === 0 ? text : parts.join('') + text.slice(kept);
}

async function placesIn(text: string): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (let from = 0; ; from += WINDOW - OVERLAP) {
    const found = await searchVisible(text.slice(from, from + WINDOW));
    for (const [start, end] of found) places.push([from + start, from + end]);
    if (from + WINDOW >= text.length) return places;
    await yieldToEventLoop();
  }
}

/** Finds what a reader would see: characters without a width hide nothing. */
async function searchVisible(text: string): Promise<readonly Place[]> {
  if (!INVISIBLE.test(text)) return search(text);
  const at: number[] = [];
  for (let index = 0; index < text.length; index += 1)
    if (!INVISIBLE.test(text.charAt(index))) at.push(index);
  const found = await search(at.map((index) => text.charAt(index)).join(''));
  return found.map(([start, end]): Place => [at[start] ?? 0, (at[end - 1] ?? 0) + 1]);
}

let loading: Promise<CredentialPlaces> | undefined;

/** The library is loaded for the first text that could hold a credential, and not before. */
async function search(text: string): Promise<readonly Place[]> {
  const gapped = withGaps(text);
  const places = [
    ...SHAPES.flatMap((shape) => shapePlaces(text, shape)),
    ...shapePlaces(gapped, TOKEN_SHAPE),
    ...patternPlaces(gapped),
  ];
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
