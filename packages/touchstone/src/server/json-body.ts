import { HostError } from '@touchstone/protocol';

/** Deeper nesting than any suite needs, and shallow enough for every recursive reader behind this door. */
const MAX_DEPTH = 128;

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const refuse = (message: string): HostError => new HostError('validation_error', message, { field: 'body' });

/** Parses a request body. Refusals never quote it: bodies are content. An empty body is `undefined`. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  const text = decode(bytes);
  if (nestedTooDeep(text)) throw refuse(`The body is nested more than ${MAX_DEPTH} levels deep.`);
  const value = parse(text);
  if (mayHoldTroublesomeText(text)) checkText(value);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('The body is not UTF-8 text.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('The body is not valid JSON.');
  }
}

/** Counted on the text, before parsing: a million brackets must not become a million objects first. */
function nestedTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
  }
  return false;
}

// Both are rare, so the text is asked first and the value is only walked when it has to be.
const mayHoldTroublesomeText = (text: string): boolean => /\\u|__proto__/i.test(text);

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
