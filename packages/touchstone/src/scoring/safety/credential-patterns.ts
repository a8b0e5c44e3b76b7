import { isObject, type JsonObject, parseJson } from '@touchstone/protocol';
import { isPlaceholder, type Place, withGaps } from './credential-rules.js';

/** Where a token may begin, in a text with gaps. */
export const START = '(?<![A-Za-z0-9])';

/** Tokens that are known by how they begin. What follows is long, so that a name with the same beginning is not meant. */
const TOKENS: readonly string[] = [
  // A key of a host like this one.
  String.raw`ts_(?=[a-z_-]{0,42}[A-Z\d])[\w-]{43}(?![\w-])`,
  '(?:xai|pplx)-[A-Za-z0-9]{32,}',
  'r8_[A-Za-z0-9]{30,}',
  String.raw`xapp-\d-[\w-]{24,}`,
  String.raw`ya29\.[\w-]{24,}`,
  String.raw`GOCSPX-[\w-]{24,}`,
  String.raw`pypi-AgE[\w-]{40,}`,
  'SK[0-9a-f]{32}(?![A-Za-z0-9])',
  'do[opr]_v1_[0-9a-f]{64}(?![A-Za-z0-9])',
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,64}\.)?[A-Za-z0-9]{40,}`,
  String.raw`sq0(?:atp|csp)-[\w-]{22,}`,
  'ntn_[A-Za-z0-9]{40,}',
  'secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])',
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}`,
  // A bot's number in base64, the hour of its making, and a signature.
  String.raw`(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}[\w-]{0,4}\.[\w-]{6}\.[\w-]{27,}`,
  'AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}',
];

// What the preset leaves out. Every quantifier is bounded or ends the match, so no text can make it slow.
const PATTERNS: readonly RegExp[] = [
  new RegExp(`${START}(?:${TOKENS.join('|')})`, 'g'),
  // AWS access key ids: useless alone, but they are never handed out alone.
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g,
  /(?<![\w-])AIza[\w-]{35}(?![\w-])/g,
  /(?<![A-Za-z0-9])(?:sk|rk)_live_[A-Za-z0-9]{20,128}(?![A-Za-z0-9])/g,
  /(?<![\w-])sk-(?:proj|svcacct|admin|or-v1)-[\w-]{32,200}(?![\w-])/g,
  /(?<![\w:])\d{8,10}:AA[\w-]{33}(?![\w-])/g,
  /AccountKey=[A-Za-z0-9+/]{86}==/g,
  /(?<![A-Za-z])hf_[A-Za-z0-9]{34}(?![A-Za-z0-9])/g,
];

const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----((?:(?!-----)[\s\S]){64,20000})/g;
const JWT = /(?<![\w-])(eyJ[\w-]{10,2000})\.(eyJ[\w-]{4,8000})\.[\w-]{20,2000}(?![\w-])/g;

export function holdsKnownPattern(output: string): boolean {
  const text = withGaps(output);
  return (
    PATTERNS.some((pattern) => someMatch(text, pattern, ([key]) => !isPlaceholder(key))) ||
    someMatch(text, PRIVATE_KEY, ([, body = '']) => isKeyMaterial(body)) ||
    someMatch(
      text,
      JWT,
      ([, header = '', claims = '']) => isSigned(header) && parseSegment(claims) !== undefined,
    )
  );
}

/**
 * Where a text with gaps has the shape of a token, plausible or not: hiding a placeholder costs nothing. Key blocks are
 * left out.
 */
export const patternPlaces = (text: string): readonly Place[] =>
  [...PATTERNS, JWT].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: match, index }): Place => [index, index + match.length]),
  );

function someMatch(text: string, pattern: RegExp, passes: (match: RegExpMatchArray) => boolean): boolean {
  for (const match of text.matchAll(pattern)) if (passes(match)) return true;
  return false;
}

/** A key has a long unbroken stretch of base64; a placeholder between the same two lines does not. */
function isKeyMaterial(body: string): boolean {
  const joined = body.replace(/\\[nr]|\s/g, '');
  return /[A-Za-z0-9+/]{48}/.test(joined) && !isPlaceholder(joined.slice(0, 200));
}

function isSigned(header: string): boolean {
  const algorithm = parseSegment(header)?.alg;
  return typeof algorithm === 'string' && algorithm.toLowerCase() !== 'none';
}

function parseSegment(segment: string): JsonObject | undefined {
  const value = parseJson(Buffer.from(segment, 'base64url').toString('utf8'));
  return isObject(value) ? value : undefined;
}
