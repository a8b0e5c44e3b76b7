import {
  child,
  type HostError,
  type Issue,
  isObject,
  type Json,
  type JsonObject,
  typeName,
  type UnknownObject,
  validationError,
} from '@touchstone/protocol';
import { keysIfSound, soundnessIssues } from '../../suites/index.js';

/** Records what is wrong, and where. */
export type Report = (pointer: string, message: string) => void;

/**
 * Reads one kind of value of a definition. `Input` is what an author may write, `Value` the frozen value that becomes of
 * it, with every default filled in; undefined when there is none. It may be used only when nothing has been reported.
 */
export type Reader<Value, Input = Value> = {
  (value: unknown, pointer: string, report: Report): Value | undefined;
  /** Never set: it only carries the type. */
  readonly input?: Input;
};

export type ValueOf<R> = R extends (...given: never[]) => infer Value ? Exclude<Value, undefined> : never;
export type InputOf<R> = R extends { readonly input?: infer Input } ? Exclude<Input, undefined> : never;

/** A hostile file could make the list as long as it likes. */
const MAX_LISTED = 100;
const MAX_NAME_CHARS = 80;

/** Gathers what is reported, up to a bound, in the order it is found. */
export function collectIssues(): { readonly report: Report; issues(): readonly Issue[] } {
  const listed: Issue[] = [];
  let count = 0;
  return {
    report: (pointer, message) => {
      count += 1;
      if (count <= MAX_LISTED) listed.push({ pointer, message });
    },
    issues: () =>
      count > MAX_LISTED ? [...listed, { pointer: '', message: `And ${count - MAX_LISTED} more.` }] : listed,
  };
}

/** The value by this reader, or an error with everything that is wrong. */
export function readAs<Value>(
  read: Reader<Value, unknown>,
  value: unknown,
  toError: (issues: readonly Issue[]) => HostError = (issues) => validationError(issues),
): Value {
  const { report, issues } = collectIssues();
  const result = read(value, '', report);
  if (issues().length > 0) throw toError(issues());
  return result as Value;
}

/** How objects were read, so that they can be written, and a changed copy be held to the same rules. */
const origins = new WeakMap<object, { readonly read: Reader<unknown, never>; readonly keepsNull: boolean }>();

export const readerOf = (value: object): Reader<unknown, never> | undefined => origins.get(value)?.read;

function withOrigin<Value extends object>(
  value: Value,
  read: Reader<unknown, never>,
  keepsNull = false,
): Value {
  origins.set(value, { read, keepsNull });
  return Object.freeze(value);
}

/** A value as it is written: null is how an absent member is kept; in JSON that is only passed on it is a value. */
export function dump(value: unknown): Json {
  if (Array.isArray(value)) return value.map(dump);
  const origin = typeof value === 'object' && value !== null ? origins.get(value) : undefined;
  if (!origin) return value as Json;
  const members = Object.entries(value as object).filter(([, member]) => origin.keepsNull || member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, dump(member)]));
}

/** A step to a member whose name is the author's, which may be as long as the whole file. */
export const below = (pointer: string, name: string): string =>
  child(pointer, name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name);

/** A member of an object: how it is read, and what counts when it is not there. */
type Member<Value, Input, Needed extends boolean> = {
  readonly read: Reader<Value, Input>;
  readonly needed: Needed;
  readonly fallback?: Input;
  /** Another name that it loads under. */
  readonly alias?: string;
};
type Members = { readonly [name: string]: Member<unknown, unknown, boolean> };
type MemberValue<M> = M extends Member<infer Value, infer _, infer __> ? Value : never;
type MemberInput<M> = M extends Member<infer _, infer Input, infer __> ? Input : never;
type NeededIn<M extends Members> = { [K in keyof M]: M[K]['needed'] extends true ? K : never }[keyof M];

type ObjectValue<M extends Members> = { readonly [K in keyof M]: MemberValue<M[K]> };
type ObjectInput<M extends Members> = { readonly [K in NeededIn<M>]: MemberInput<M[K]> } & {
  readonly [K in Exclude<keyof M, NeededIn<M>>]?: MemberInput<M[K]> | undefined;
};
/** Rules between members, given those that could be read. */
type Check<M extends Members> = (found: Partial<ObjectValue<M>>, pointer: string, report: Report) => void;

export const required = <Value, Input>(
  read: Reader<Value, Input>,
  alias?: string,
): Member<Value, Input, true> => ({ read, needed: true, ...(alias !== undefined && { alias }) });

export const withDefault = <Value, Input>(
  read: Reader<Value, Input>,
  fallback: NoInfer<Input>,
): Member<Value, Input, false> => ({ read, needed: false, fallback });

/** Null when it is not there, and left out when it is written. */
export const optional = <Value, Input>(
  read: Reader<Value, Input>,
): Member<Value | null, Input | null, false> => ({
  read: (value, pointer, report) => (value === null ? null : read(value, pointer, report)),
  needed: false,
  fallback: null,
});

/** An object with these members and no others. */
export const closed = <M extends Members>(
  members: M,
  check?: Check<M>,
): Reader<ObjectValue<M>, ObjectInput<M>> => objectOf(members, refuseOthers, check);

/** An object with these members and any others, which are kept as they are. */
export const open = <M extends Members>(members: M) =>
  objectOf(members, keepOthers) as unknown as Reader<
    ObjectValue<M> & JsonObject,
    ObjectInput<M> & { readonly [name: string]: unknown }
  >;

type ReadOthers = (
  value: UnknownObject,
  members: Members,
  pointer: string,
  report: Report,
) => object | undefined;

const refuseOthers: ReadOthers = (value, members, pointer, report) => {
  const known = new Set(Object.entries(members).flatMap(([name, { alias }]) => [name, alias]));
  for (const key of Object.keys(value).filter((name) => !known.has(name)))
    report(below(pointer, key), `Unknown member. Expected ${Object.keys(members).join(', ')}.`);
  return {};
};

const keepOthers: ReadOthers = (value, members, pointer, report) =>
  jsonObject(
    Object.fromEntries(Object.entries(value).filter(([key]) => !Object.hasOwn(members, key))),
    pointer,
    report,
  );

/** Members come out in the order they are declared in, whatever the order they were written in. */
function objectOf<M extends Members>(
  members: M,
  readOthers: ReadOthers,
  check?: Check<M>,
): Reader<ObjectValue<M>, ObjectInput<M>> {
  const read: Reader<ObjectValue<M>, never> = (value, pointer, report) => {
    if (!isObject(value)) return refuse(report, pointer, 'an object', value);
    const found = Object.entries(members).map(
      ([name, member]) => [name, readMember(value, name, member, pointer, report)] as const,
    );
    const readable = found.filter(([, member]) => member !== undefined);
    check?.(Object.fromEntries(readable) as Partial<ObjectValue<M>>, pointer, report);
    const others = readOthers(value, members, pointer, report);
    if (readable.length < found.length || others === undefined) return undefined;
    const result = Object.fromEntries([...found, ...Object.entries(others)]);
    return withOrigin(result, read, readOthers === keepOthers) as ObjectValue<M>;
  };
  return read;
}

function readMember(
  value: UnknownObject,
  name: string,
  { read, needed, fallback, alias = name }: Members[string],
  pointer: string,
  report: Report,
): unknown {
  if (alias !== name && Object.hasOwn(value, alias) && Object.hasOwn(value, name))
    report(child(pointer, alias), `This is another name of ${name}, which is there too. Keep one of them.`);
  const written = Object.hasOwn(value, name) || !Object.hasOwn(value, alias) ? name : alias;
  const member = Object.hasOwn(value, written) ? value[written] : undefined;
  if (member !== undefined) return read(member, child(pointer, written), report);
  if (!needed) return read(fallback, child(pointer, name), report);
  report(child(pointer, name), 'Required, but missing.');
  return undefined;
}

export const list =
  <Value, Input>(
    item: Reader<Value, Input>,
    check: (items: readonly Value[], pointer: string, report: Report) => void = () => {},
  ): Reader<readonly Value[], readonly Input[]> =>
  (value, pointer, report) => {
    if (!Array.isArray(value)) return refuse(report, pointer, 'an array', value);
    const items = value.map((entry: unknown, index) => item(entry, child(pointer, index), report));
    if (items.includes(undefined)) return undefined;
    check(items as Value[], pointer, report);
    return Object.freeze(items as Value[]);
  };

export function mapOf<Value, Input>(
  member: Reader<Value, Input>,
): Reader<{ readonly [key: string]: Value }, { readonly [key: string]: Input }> {
  const read: Reader<{ readonly [key: string]: Value }, never> = (value, pointer, report) => {
    if (!isObject(value)) return refuse(report, pointer, 'an object', value);
    const found = Object.entries(value).map(
      ([key, entry]) => [key, member(entry, below(pointer, key), report)] as const,
    );
    if (found.some(([, entry]) => entry === undefined)) return undefined;
    return withOrigin(Object.fromEntries(found) as { readonly [key: string]: Value }, read);
  };
  return read;
}

/** Any JSON, kept as it is. */
export const json: Reader<Json> = (value, pointer, report) => {
  if (keysIfSound(value) !== undefined) return frozenCopy(value as Json);
  for (const issue of soundnessIssues(value)) report(`${pointer}${issue.pointer}`, issue.message);
  return undefined;
};

/** Any JSON object, kept as it is. */
export const jsonObject: Reader<JsonObject, { readonly [name: string]: unknown }> = (
  value,
  pointer,
  report,
) =>
  isObject(value)
    ? (json(value, pointer, report) as JsonObject | undefined)
    : refuse(report, pointer, 'an object', value);

// `fromEntries` defines members instead of assigning them, so a key called `__proto__` is only a key.
function frozenCopy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  if (Array.isArray(value)) return Object.freeze(value.map((item: Json) => frozenCopy(item)));
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, frozenCopy(member as Json)])),
  );
}

export function refuse(report: Report, pointer: string, expected: string, value: unknown): undefined {
  report(pointer, `Expected ${expected}; got ${typeName(value)}.`);
  return undefined;
}
