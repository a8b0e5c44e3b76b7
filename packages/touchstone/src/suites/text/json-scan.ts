import { child, MAX_JSON_DEPTH, pointerOf } from '@touchstone/protocol';

/** Something wrong with the text itself, by offset. */
export type Fault = { readonly pointer: string; readonly offset: number; readonly message: string };

export type JsonScan = {
  /** Offsets of the wanted pointers that exist: of the key for a member, of the value for an item or the root. */
  readonly places: ReadonlyMap<string, number>;
  /** Keys that an object has already used: `JSON.parse` keeps the last one and says nothing. */
  readonly repeated: readonly Fault[];
  /** The first place where the text stops being JSON. Nothing after it has been read. */
  readonly broken?: Fault;
};

/**
 * Reads JSON for its positions alone. The platform's parser is many times faster but knows no positions and quotes
 * the text in its errors, so this one runs only once something is known to be wrong.
 *
 * `wanted` must hold every ancestor of each pointer it holds; whole subtrees are passed over by that.
 */
export function scanJson(text: string, wanted: ReadonlySet<string>): JsonScan {
  const reader = new JsonReader(text, wanted);
  const broken = reader.readDocument();
  return { places: reader.places, repeated: reader.repeated, ...(broken && { broken }) };
}

class Broken extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\n\r]*/y;

class JsonReader {
  readonly places = new Map<string, number>();
  readonly repeated: Fault[] = [];
  private readonly path: (string | number)[] = [];
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly wanted: ReadonlySet<string>,
  ) {}

  readDocument(): Fault | undefined {
    try {
      this.skip(SPACE);
      this.places.set('', this.at);
      this.readValue('');
      this.skip(SPACE);
      if (this.at < this.text.length) this.fail('Expected the end of the file after the first value.');
      return undefined;
    } catch (error) {
      if (error instanceof Broken) return error.fault;
      throw error;
    }
  }

  /** `pointer` is absent in a subtree where nothing is wanted. */
  private readValue(pointer: string | undefined): void {
    const first = this.text[this.at];
    if (first === '{') this.readList('}', () => this.readMembers(pointer));
    else if (first === '[') this.readList(']', () => this.readItems(pointer));
    else if (first === '"') this.readString();
    else if (!this.skip(NUMBER) && !this.skip(WORD)) this.fail('Expected a value.');
  }

  private readList(close: '}' | ']', readEntries: () => void): void {
    if (this.path.length >= MAX_JSON_DEPTH)
      this.fail(`Nested deeper than ${MAX_JSON_DEPTH} levels. Flatten the value.`);
    this.at += 1;
    this.skip(SPACE);
    if (this.text[this.at] !== close) readEntries();
    this.at += 1;
  }

  private readMembers(pointer: string | undefined): void {
    const keys = new Set<string>();
    do {
      this.skip(SPACE);
      const start = this.at;
      if (this.text[start] !== '"') this.fail('Expected a member name in double quotes.');
      const key = this.readString();
      this.path.push(key);
      if (keys.has(key))
        this.repeated.push(this.fault('This member name is already used in the same object.', start));
      keys.add(key);
      this.skip(SPACE);
      if (this.text[this.at] !== ':') this.fail('Expected a colon after the member name.');
      this.at += 1;
      this.readEntry(this.find(pointer, key, start));
    } while (this.another('}'));
  }

  private readItems(pointer: string | undefined): void {
    let index = 0;
    do {
      this.skip(SPACE);
      this.path.push(index);
      this.readEntry(this.find(pointer, index, this.at));
      index += 1;
    } while (this.another(']'));
  }

  private readEntry(pointer: string | undefined): void {
    this.skip(SPACE);
    this.readValue(pointer);
    this.path.pop();
    this.skip(SPACE);
  }

  private another(close: '}' | ']'): boolean {
    const next = this.text[this.at];
    if (next === close) return false;
    if (next !== ',')
      this.fail(`Expected a comma or ${close === '}' ? 'a closing brace' : 'a closing bracket'}.`);
    this.at += 1;
    return true;
  }

  private find(parent: string | undefined, key: string | number, offset: number): string | undefined {
    if (parent === undefined) return undefined;
    const pointer = child(parent, key);
    if (!this.wanted.has(pointer)) return undefined;
    this.places.set(pointer, offset);
    return pointer;
  }

  private readString(): string {
    const start = this.at;
    this.at += 1;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (Number.isNaN(code)) this.fail('Expected a closing quote before the end of the file.');
      if (code < 0x20)
        this.fail('Expected line breaks and control characters in a string to be escaped, as in \\n.');
      if (code !== 0x5c) this.at += 1;
      else if (!this.skip(ESCAPE)) this.fail('Expected one of the escapes JSON knows after the backslash.');
    }
    this.at += 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  /** Moves past a match here; false when there is none. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.test(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  private fail(expected: string): never {
    const message = this.at >= this.text.length ? `The file ends too early. ${expected}` : expected;
    throw new Broken(this.fault(message, this.at));
  }

  private fault(message: string, offset: number): Fault {
    return { pointer: pointerOf(this.path), offset, message };
  }
}
