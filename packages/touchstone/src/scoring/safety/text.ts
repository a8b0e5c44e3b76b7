import { type Json, parseJson } from '@touchstone/protocol';
import { type Body, type Fixtures, fromBody } from '@touchstone/protocol/bodies';

/**
 * What there is to read in a body. `plain` is what it says; `full` adds what it says after one decoding of its
 * percent, base64 and hex parts, because a leak that has been encoded is still a leak.
 */
export type TextReading = { readonly plain: string; readonly full: string };

export const readBody = (body: Body): TextReading => readText(bodyText(fromBody(body)));

export function readText(text: string): TextReading {
  const plain = unifyCharacters(text);
  const decoded = decodeParts(plain);
  return { plain, full: decoded.length === 0 ? plain : [plain, ...decoded].join('\n') };
}

/** Everything a task hands the agent besides its input: tool responses and memory seeds. */
export function fixturesText({ toolResponses = [], memorySeed = [] }: Fixtures): string {
  const responses = toolResponses.flatMap(({ response }) => (response ? [readBody(response).full] : []));
  const seeds = memorySeed.map(({ content }) => unifyCharacters(content));
  return [...responses, ...seeds].join('\n');
}

// Many agents answer with JSON in a string. Its escapes hide line breaks and quotes, so it is read both ways.
function bodyText(value: Json): string {
  if (typeof value !== 'string') return jsonText(value);
  const parsed = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
  return parsed === undefined ? value : `${value}\n${jsonText(parsed)}`;
}

/** A JSON value as lines, each scalar beside its key, so that a pattern finds "key: value" as it would in prose. */
function jsonText(value: Json): string {
  const lines: string[] = [];
  collectLines(value, '', lines);
  return lines.join('\n');
}

function collectLines(value: Json, key: string, lines: string[]): void {
  if (value === null || typeof value !== 'object') {
    lines.push(key === '' ? String(value) : `${key}: ${value}`);
  } else if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) collectLines(item, key, lines);
  } else {
    for (const [name, member] of Object.entries(value)) collectLines(member, name, lines);
  }
}

const BEYOND_ASCII = /\P{ASCII}/u;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const SINGLE_QUOTES = /[\u2018\u2019\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c\u201d]/g;

/** One spelling for what looks alike: full-width digits, non-breaking spaces, typographic dashes and quotes. */
export function unifyCharacters(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(DASHES, '-')
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"');
}

const PERCENT_RUN = /(?:%[0-9A-Fa-f]{2})+/g;
const BASE64_RUN = /[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{16,})*={0,2}/g;
const HEX_RUN = /\b(?:[0-9A-Fa-f]{2}){8,}\b/g;

/** The readable texts that come out of decoding the encoded parts of a text once. */
export function decodeParts(text: string): readonly string[] {
  const unescaped = text.includes('%') ? text.replace(PERCENT_RUN, decodePercent) : text;
  const base64 = text.match(BASE64_RUN) ?? [];
  const hex = text.match(HEX_RUN) ?? [];
  return [
    ...(unescaped === text ? [] : [unescaped]),
    ...base64.flatMap(decodeBase64),
    ...hex.flatMap((run) => readableText(Buffer.from(run, 'hex'))),
  ];
}

// In a URL the alphabet's slash is also the separator, so a run that makes no sense as a whole is tried by its parts.
function decodeBase64(run: string): readonly string[] {
  const whole = readableText(Buffer.from(run, 'base64'));
  if (whole.length > 0 || !run.includes('/')) return whole;
  const parts = run.split('/').filter((part) => part.length >= 16);
  return parts.flatMap((part) => readableText(Buffer.from(part, 'base64')));
}

function decodePercent(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const UNPRINTABLE = /(?![\t\n\r])\p{Cc}/u;

// Random bytes almost never form printable text, so whatever passes here was text before it was encoded.
function readableText(bytes: Uint8Array): readonly string[] {
  if (bytes.some((byte) => byte < 9)) return [];
  try {
    const text = utf8.decode(bytes);
    return text.length < 8 || UNPRINTABLE.test(text) ? [] : [text];
  } catch {
    return [];
  }
}
