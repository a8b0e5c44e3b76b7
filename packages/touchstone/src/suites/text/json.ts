import { child, MAX_JSON_DEPTH, membersInText, parentOf, pointerOf } from '@touchstone/protocol';
import type { TextIssue, TextSource } from './text-source.js';

/** Reads JSON text. While nothing is wrong, this costs the platform's parser and one count of the keys. */
export function parseJson(text: string): TextSource {
  try {
    return new JsonSource(text, [], JSON.parse(text));
  } catch {
    // The platform's message quotes the text and often has no position, so our scanner finds it.
    const { broken, repeated } = scanJson(text, new Set());
    return new JsonSource(text, broken ? [...repeated, broken] : repeated);
  }
}

// A class, because a dataset has one of these for every line.
class JsonSource implements TextSource {
  constructor(
    private readonly text: string,
    readonly issues: readonly TextIssue[],
    readonly value?: unknown,
  ) {}

  /** `JSON.parse` keeps the last of two equal keys and says nothing, but text and value then differ in their count. */
  repeatedKeys(keysInValue: number): readonly TextIssue[] {
    return membersInText(this.text) === keysInValue ? [] : scanJson(this.text, new Set()).repeated;
  }

  locate(pointers: readonly string[]): (pointer: string) => number {
    const wanted = new Set(['']);
    for (const pointer of pointers)
      for (let known = pointer; known !== '' && !wanted.has(known); known = parentOf(known))
        wanted.add(known);
    const { offsets } = scanJson(this.text, wanted);
    return (pointer) => {
      let known = pointer;
      while (known !== '' && !offsets.has(known)) known = parentOf(known);
      return offsets.get(known) ?? 0;
    };
  }
}

export type JsonScan = {
  /** Offsets of the wanted pointers that exist: of the key for a member, of the value for an item or the root. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Keys that an object has already used. */
  readonly repeated: readonly TextIssue[];
  /** The first place where the text stops being JSON. Nothing after it has been read. */
  readonly broken?: TextIssue;
};

/**
 * Reads JSON for its positions alone, in memory that does not grow with the text. It runs only once something is known
 * to be wrong: the platform's parser is many times faster. Decision 3 says why no library does this.
 *
 * `wanted` must hold every ancestor of each pointer it holds; other subtrees are only checked.
 */
export function scanJson(text: string, wanted: ReadonlySet<string>): JsonScan {
  const scanner = new JsonScanner(text, wanted);
  const broken = scanner.scan();
  return { offsets: scanner.offsets, repeated: scanner.repeated, ...(broken && { broken }) };
}

class Broken extends Error {
  constructor(readonly issue: TextIssue) {
    super(issue.message);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\n\r]*/y;

class JsonScanner {
  readonly offsets = new Map<string, number>();
  readonly repeated: TextIssue[] = [];
  private readonly path: (string | number)[] = [];
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly wanted: ReadonlySet<string>,
  ) {}

  scan(): TextIssue | undefined {
    try {
      this.skip(SPACE);
      this.offsets.set('', this.at);
      this.scanValue('');
      this.skip(SPACE);
      if (this.at < this.text.length) this.fail('Expected the end of the file after the first value.');
      return undefined;
    } catch (error) {
      if (error instanceof Broken) return error.issue;
      throw error;
    }
  }

  /** `pointer` is absent in a subtree where nothing is wanted. */
  private scanValue(pointer: string | undefined): void {
    const first = this.text[this.at];
    if (first === '{') this.scanEntries('}', pointer);
    else if (first === '[') this.scanEntries(']', pointer);
    else if (first === '"') this.scanString();
    else if (!this.skip(NUMBER) && !this.skip(WORD)) this.fail('Expected a value.');
  }

  private scanEntries(close: '}' | ']', pointer: string | undefined): void {
    if (this.path.length >= MAX_JSON_DEPTH)
      this.fail(`Nested deeper than ${MAX_JSON_DEPTH} levels. Flatten the value.`);
    this.at += 1;
    this.skip(SPACE);
    const keys = new Set<string>();
    let hasMore = this.text[this.at] !== close;
    for (let index = 0; hasMore; index += 1) {
      this.skip(SPACE);
      const start = this.at;
      const key = close === '}' ? this.scanKey(keys) : this.enter(index);
      this.skip(SPACE);
      this.scanValue(this.find(pointer, key, start));
      this.path.pop();
      this.skip(SPACE);
      hasMore = this.scanComma(close);
    }
    this.at += 1;
  }

  private scanKey(keys: Set<string>): string {
    const start = this.at;
    if (this.text[start] !== '"') this.fail('Expected a member name in double quotes.');
    const key = this.enter(this.scanString());
    if (keys.has(key))
      this.repeated.push(this.issue('This member name is already used in the same object.', start));
    keys.add(key);
    this.skip(SPACE);
    if (this.text[this.at] !== ':') this.fail('Expected a colon after the member name.');
    this.at += 1;
    return key;
  }

  private enter<Key extends string | number>(key: Key): Key {
    this.path.push(key);
    return key;
  }

  private scanComma(close: '}' | ']'): boolean {
    const next = this.text[this.at];
    if (next === close) return false;
    if (next !== ',')
      this.fail(`Expected a comma or ${close === '}' ? 'a closing brace' : 'a closing bracket'}.`);
    this.at += 1;
    return true;
  }

  private find(parent: string | undefined, key: string | number, offset: number): string | undefined {
    const pointer = parent === undefined ? undefined : child(parent, key);
    if (pointer === undefined || !this.wanted.has(pointer)) return undefined;
    this.offsets.set(pointer, offset);
    return pointer;
  }

  private scanString(): string {
    const start = this.at;
    this.at += 1;
    for (let code = this.code(); code !== 0x22; code = this.code()) {
      if (Number.isNaN(code)) this.fail('Expected a closing quote before the end of the file.');
      if (code < 0x20)
        this.fail('Expected line breaks and control characters in a string to be escaped, as in \\n.');
      if (code !== 0x5c) this.at += 1;
      else if (!this.skip(ESCAPE)) this.fail('Expected one of the escapes JSON knows after the backslash.');
    }
    this.at += 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private code(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Moves past a match here; false when there is none. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isMatch = pattern.test(this.text);
    if (isMatch) this.at = pattern.lastIndex;
    return isMatch;
  }

  private fail(expected: string): never {
    const message = this.at >= this.text.length ? `The file ends too early. ${expected}` : expected;
    throw new Broken(this.issue(message, this.at));
  }

  private issue(message: string, offset: number): TextIssue {
    return { pointer: pointerOf(this.path), offset, message };
  }
}
