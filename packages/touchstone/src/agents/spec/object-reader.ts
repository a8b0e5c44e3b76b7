import {
  child,
  defined,
  type Issue,
  isObject,
  typeName,
  type UnknownObject,
  validationError,
} from '@touchstone/protocol';

type Read<T> = (reader: ObjectReader) => T;

type TextRules = { readonly max?: number; readonly pattern?: RegExp; readonly expected?: string };
type NumberRules = { readonly min: number; readonly max: number; readonly whole?: boolean };

/**
 * Reads one object of a foreign document member by member and collects everything that is wrong with it. Members that were
 * not read are refused by `finish`, so that a misspelt one is noticed.
 */
export class ObjectReader {
  readonly #members: UnknownObject;
  readonly #known = new Set<string>();
  /** Stands in for a value that is no object: its missing members are not listed as well. */
  isStandIn = false;

  private constructor(
    members: UnknownObject,
    readonly pointer: string,
    readonly issues: Issue[],
  ) {
    this.#members = members;
  }

  /** The reader of a value that is not an object is empty, so that reading can continue. */
  static of(value: unknown, pointer: string, issues: Issue[]): ObjectReader {
    if (isObject(value)) return new ObjectReader(value, pointer, issues);
    issues.push({ pointer, message: `Expected an object, but found ${typeName(value)}.` });
    const standIn = new ObjectReader({}, pointer, issues);
    standIn.isStandIn = true;
    return standIn;
  }

  /** Reads a whole document. Throws `validation_error` with all issues, each under its pointer. */
  static read<T>(value: unknown, pointer: string, read: Read<T>, details: object = {}): T {
    const issues: Issue[] = [];
    const result = ObjectReader.of(value, pointer, issues).#readAll(read);
    if (issues.length > 0) throw validationError(issues, { ...details });
    return result;
  }

  /** The same for a list of objects. */
  static readList<T>(list: readonly unknown[], pointer: string, read: Read<T>): readonly T[] {
    const issues: Issue[] = [];
    const items = list.map((item, at) => ObjectReader.of(item, `${pointer}/${at}`, issues).#readAll(read));
    if (issues.length > 0) throw validationError(issues);
    return items;
  }

  /** A member that is an object, with all its members. */
  nested<T>(name: string, read: Read<T>): T | undefined {
    return this.has(name)
      ? ObjectReader.of(this.value(name), this.at(name), this.issues).#readAll(read)
      : undefined;
  }

  /** The items of a list of objects, with all their members. */
  each<T>(name: string, read: Read<T>): readonly T[] | undefined {
    const readItem = (item: unknown, index: number) =>
      ObjectReader.of(item, `${this.at(name)}/${index}`, this.issues).#readAll(read);
    return this.list(name)?.map(readItem);
  }

  /** The members of an object whose names are its author's, each read as an object. */
  entries<T>(read: (reader: ObjectReader, name: string) => T): readonly (readonly [string, T])[] {
    return this.names().map((name) => {
      const reader = ObjectReader.of(this.value(name), this.at(name), this.issues);
      return [name, reader.#readAll(() => read(reader, name))] as const;
    });
  }

  #readAll<T>(read: Read<T>): T {
    const result = read(this);
    this.finish();
    return result;
  }

  has(name: string): boolean {
    this.#known.add(name);
    return Object.hasOwn(this.#members, name) && this.#members[name] !== undefined;
  }

  value(name: string): unknown {
    return this.has(name) ? this.#members[name] : undefined;
  }

  names(): string[] {
    return Object.keys(this.#members);
  }

  at(name: string | number): string {
    return child(this.pointer, name);
  }

  refuse(name: string | number, message: string): undefined {
    this.issues.push({ pointer: this.at(name), message });
    return undefined;
  }

  /** An issue of the object as a whole. */
  complain(message: string): void {
    this.issues.push({ pointer: this.pointer, message });
  }

  text(name: string, rules: TextRules = {}): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const problem = textProblem(value, rules);
    return problem === undefined ? (value as string) : this.refuse(name, problem);
  }

  number(name: string, { min, max, whole = false }: NumberRules): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const fits =
      typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value));
    if (fits) return value;
    const upTo = Number.isFinite(max) ? `from ${min} to ${max}` : `of at least ${min}`;
    return this.refuse(
      name,
      `Expected a ${whole ? 'whole ' : ''}number ${upTo}, but found ${described(value)}.`,
    );
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(name, `Expected true or false, but found ${typeName(value)}.`);
  }

  choice<T extends string>(name: string, options: readonly T[]): T | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const found = options.find((option) => option === value);
    return found ?? this.refuse(name, `Expected one of ${options.join(', ')}.`);
  }

  object(name: string): ObjectReader | undefined {
    return this.has(name) ? ObjectReader.of(this.value(name), this.at(name), this.issues) : undefined;
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.value(name);
    if (value === undefined || Array.isArray(value)) return value;
    return this.refuse(name, `Expected an array, but found ${typeName(value)}.`);
  }

  texts(name: string, rules: TextRules = {}): readonly string[] | undefined {
    return this.list(name)?.flatMap((item, index) => {
      const problem = textProblem(item, rules);
      if (problem === undefined) return [item as string];
      this.issues.push({ pointer: `${this.at(name)}/${index}`, message: problem });
      return [];
    });
  }

  /** An object whose values are all strings: headers, environment variables. */
  textMap(name: string): { readonly [key: string]: string } | undefined {
    const reader = this.object(name);
    if (!reader) return undefined;
    const entries = reader.names().flatMap((key) => {
      const value = reader.value(key);
      if (typeof value === 'string') return [[key, value] as const];
      reader.refuse(key, `Expected a string, but found ${typeName(value)}.`);
      return [];
    });
    return Object.fromEntries(entries);
  }

  require(...names: readonly string[]): void {
    if (this.isStandIn) return;
    for (const name of names) if (!this.has(name)) this.refuse(name, 'This member is required.');
  }

  /** To be called after every known member has been read. */
  finish(): void {
    const unknown = this.names().filter((name) => !this.#known.has(name));
    const known = [...this.#known].join(', ');
    for (const name of unknown) this.refuse(name, `This member is not known here. Known are: ${known}.`);
  }
}

const described = (value: unknown): string =>
  typeof value === 'number' ? 'another number' : typeName(value);

function textProblem(value: unknown, { max = 4096, pattern, expected }: TextRules): string | undefined {
  if (typeof value !== 'string') return `Expected a string, but found ${typeName(value)}.`;
  if (value.length === 0 || value.length > max) {
    return `Expected a string of 1 to ${max} characters, but found ${value.length}.`;
  }
  if (pattern && !pattern.test(value))
    return `Expected ${expected ?? `a string that matches ${pattern.source}`}.`;
  return undefined;
}

/** What a reader found, as the type it was read for. Only for use when there are no issues: until then members may lack. */
export const present = <T extends object>(members: { [K in keyof T]: T[K] | undefined }): T =>
  defined(members) as unknown as T;
