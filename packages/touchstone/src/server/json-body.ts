import { isUtf8 } from 'node:buffer';
import { HostError } from '@touchstone/protocol';

/** Deeper nesting than any suite needs, and shallow enough for every recursive reader behind it. */
const MAX_DEPTH = 128;

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

const refuse = (message: string): HostError => new HostError('validation_error', message, { field: 'body' });

/** Parses a request body. Refusals never quote it: bodies are content. An empty body is `undefined`. */
export function parseJsonBody(bytes: Uint8Array, maxValues = Number.POSITIVE_INFINITY): unknown {
  if (bytes.byteLength === 0) return undefined;
  checkSize(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), maxValues);
  const text = decode(bytes);
  const value = parse(text);
  if (mayHoldTroublesomeText(text)) checkText(value);
  return value;
}

const BYTE_ORDER_MARK = 0xfeff;

/** Several times faster than a TextDecoder that refuses. */
function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw refuse('The body is not UTF-8 text.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('The body is not valid JSON.');
  }
}

/**
 * Counted on the bytes, before they become a text: a body of megabytes that is refused costs no more than its first values.
 * Every byte of a character beyond ASCII is above 0x7f, so none of them looks like a bracket, a comma or a quote.
 */
function checkSize(bytes: Buffer, maxValues: number): void {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) throw refuse(`The body is nested more than ${MAX_DEPTH} levels deep.`);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    if (values > maxValues)
      throw refuse(`The body has more than ${maxValues} members and items. Send less at a time.`);
  }
}

/** Longer strings are passed over by the engine and not byte by byte. */
const SHORT_STRING = 64;

/** Where the string that begins at `start` ends. */
function endOfString(bytes: Buffer, start: number): number {
  const near = Math.min(bytes.length, start + SHORT_STRING);
  let at = start + 1;
  for (; at < near; at += 1) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) at += 1;
  }
  let end = bytes.indexOf(QUOTE, at);
  while (end > 0 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1);
  return end < 0 ? bytes.length : end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

// Both are rare, so the text is asked first and the value is only walked when it has to be.
const mayHoldTroublesomeText = (text: string): boolean => text.includes('\\u') || text.includes('__proto__');

/**
 * A lone surrogate has no UTF-8 form: a store would keep another string than the one that was sent, and its canonical
 * form does not exist. A `__proto__` member would not survive being copied.
 */
function checkText(value: unknown): void {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string') checkString(next);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next)) {
        checkString(name);
        if (name === '__proto__')
          throw refuse('The body has a member named __proto__, which is not accepted.');
        rest.push(member);
      }
    }
  }
}

function checkString(text: string): void {
  if (/\p{Surrogate}/u.test(text)) {
    throw refuse('The body holds half of a surrogate pair, which is not a Unicode character.');
  }
}
