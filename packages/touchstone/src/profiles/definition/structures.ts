import { child, isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { keysIfSound, soundnessIssues } from '../../suites/index.js';
import { refuse } from './scalars.js';
import { type Report, remember, type Shape } from './shape.js';

/** A member of an object: its shape, and what counts when it is not there. */
export type Member<Value, Input, Needed extends boolean> = {
  readonly shape: Shape<Value, Input>;
  readonly needed: Needed;
  readonly fallback?: Input;
};
type Members = { readonly [name: string]: Member<unknown, unknown, boolean> };
type MemberValue<M> = M extends Member<infer Value, infer _, infer __> ? Value : never;
type MemberInput<M> = M extends Member<infer _, infer Input, infer __> ? Input : never;
type NeededIn<M extends Members> = { [K in keyof M]: M[K]['needed'] extends true ? K : never }[keyof M];

export type ObjectValue<M extends Members> = { readonly [K in keyof M]: MemberValue<M[K]> };
type ObjectInput<M extends Members> = { readonly [K in NeededIn<M>]: MemberInput<M[K]> } & {
  readonly [K in Exclude<keyof M, NeededIn<M>>]?: MemberInput<M[K]> | undefined;
};

/** Rules between members. They are given those members that could be read. */
export type Check<M extends Members> = (
  found: Partial<ObjectValue<M>>,
  pointer: string,
  report: Report,
) => void;
type Rules<M extends Members> = {
  readonly check?: Check<M>;
  /** Other names that members load under. */
  readonly alias?: { readonly [name: string]: keyof M & string };
};

export const required = <Value, Input>(shape: Shape<Value, Input>): Member<Value, Input, true> => ({
  shape,
  needed: true,
});
export const withDefault = <Value, Input>(
  shape: Shape<Value, Input>,
  fallback: NoInfer<Input>,
): Member<Value, Input, false> => ({ shape, needed: false, fallback });
/** Null when it is not there, and left out when it is written. */
export const optional = <Value, Input>(
  shape: Shape<Value, Input>,
): Member<Value | null, Input | null, false> => ({ shape: nullable(shape), needed: false, fallback: null });

const nullable = <Value, Input>(shape: Shape<Value, Input>): Shape<Value | null, Input | null> => ({
  read: (value, pointer, report) => (value === null ? null : shape.read(value, pointer, report)),
  write: (value) => (value === null ? null : shape.write(value)),
});

/** An object with these members and no others. */
export function closed<M extends Members>(
  members: M,
  rules: Rules<M> = {},
): Shape<ObjectValue<M>, ObjectInput<M>> {
  const names = Object.keys(members);
  const known = new Set([...names, ...Object.keys(rules.alias ?? {})]);
  return objectOf(members, rules, (given, pointer, report) => {
    for (const key of Object.keys(given)) {
      if (!known.has(key)) report(below(pointer, key), `Unknown member. Expected ${names.join(', ')}.`);
    }
    return {};
  });
}

/** An object with these members and any others, which are kept as they are. */
export function open<M extends Members>(members: M): Shape<OpenValue<M>, OpenInput<M>> {
  const shape = objectOf(members, {}, (given, pointer, report) =>
    jsonObject.read(
      Object.fromEntries(Object.entries(given).filter(([key]) => !Object.hasOwn(members, key))),
      pointer,
      report,
    ),
  );
  return shape as unknown as Shape<OpenValue<M>, OpenInput<M>>;
}
type OpenValue<M extends Members> = ObjectValue<M> & JsonObject;
type OpenInput<M extends Members> = ObjectInput<M> & { readonly [name: string]: unknown };

type Given = { readonly [name: string]: unknown };
type ReadOthers = (given: Given, pointer: string, report: Report) => JsonObject | undefined;

/** Members come out in the order they are declared in, whatever the order they were written in. */
function objectOf<M extends Members>(
  members: M,
  { check, alias = {} }: Rules<M>,
  readOthers: ReadOthers,
): Shape<ObjectValue<M>, ObjectInput<M>> {
  const shape: Shape<ObjectValue<M>, ObjectInput<M>> = {
    read: (value, pointer, report) => {
      if (!isObject(value)) return refuse(report, pointer, 'an object', value);
      checkAliases(value, alias, pointer, report);
      const found = Object.entries(members).map(([name, member]) => {
        const written = writtenName(value, name, alias);
        return [name, readMember(value, written, member, pointer, report)] as const;
      });
      const readable = found.filter(([, member]) => member !== undefined);
      check?.(Object.fromEntries(readable) as Partial<ObjectValue<M>>, pointer, report);
      const others = readOthers(value, pointer, report);
      if (readable.length < found.length || others === undefined) return undefined;
      const result = Object.freeze(Object.fromEntries([...found, ...Object.entries(others)]));
      remember(result, shape as Shape<unknown>);
      return result as ObjectValue<M>;
    },
    write: (value) =>
      Object.fromEntries(
        Object.entries(value as Given)
          // Null is how an absent member is kept; among members that are only passed on it is a value.
          .filter(([name, member]) => member !== null || !Object.hasOwn(members, name))
          .map(([name, member]) => [name, shapeIn(members, name).write(member)]),
      ),
  };
  return shape;
}

const shapeIn = (members: Members, name: string): Shape<unknown, unknown> =>
  (Object.hasOwn(members, name) ? members[name]?.shape : undefined) ?? (json as Shape<unknown, unknown>);

function readMember(
  given: Given,
  name: string,
  { shape, needed, fallback }: Member<unknown, unknown, boolean>,
  pointer: string,
  report: Report,
): unknown {
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (value !== undefined) return shape.read(value, child(pointer, name), report);
  if (!needed) return shape.read(fallback, child(pointer, name), report);
  report(child(pointer, name), 'Required, but missing.');
  return undefined;
}

type Aliases = { readonly [name: string]: string };

/** The name a member stands under: its own, or another one that it loads under. */
const writtenName = (given: Given, name: string, alias: Aliases): string =>
  Object.hasOwn(given, name)
    ? name
    : (Object.keys(alias).find((other) => alias[other] === name && Object.hasOwn(given, other)) ?? name);

function checkAliases(given: Given, alias: Aliases, pointer: string, report: Report): void {
  for (const [other, name] of Object.entries(alias)) {
    if (Object.hasOwn(given, other) && Object.hasOwn(given, name))
      report(child(pointer, other), `This is another name of ${name}, which is there too. Keep one of them.`);
  }
}

export const list = <Value, Input>(
  item: Shape<Value, Input>,
  check: (items: readonly Value[], pointer: string, report: Report) => void = () => {},
): Shape<readonly Value[], readonly Input[]> => ({
  read: (value, pointer, report) => {
    if (!Array.isArray(value)) return refuse(report, pointer, 'an array', value);
    const items = value.map((entry: unknown, index) => item.read(entry, child(pointer, index), report));
    const readable = items.filter((entry) => entry !== undefined) as Value[];
    if (readable.length < items.length) return undefined;
    check(readable, pointer, report);
    return Object.freeze(readable);
  },
  write: (items) => items.map((entry) => item.write(entry)),
});

export const mapOf = <Value, Input>(
  member: Shape<Value, Input>,
): Shape<{ readonly [key: string]: Value }, { readonly [key: string]: Input }> => ({
  read: (value, pointer, report) => {
    if (!isObject(value)) return refuse(report, pointer, 'an object', value);
    const found = Object.entries(value).map(
      ([key, entry]) => [key, member.read(entry, below(pointer, key), report)] as const,
    );
    const complete = found.every(([, entry]) => entry !== undefined);
    return complete
      ? (Object.freeze(Object.fromEntries(found)) as { readonly [key: string]: Value })
      : undefined;
  },
  write: (value) =>
    Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, member.write(entry)])),
});

/** Any JSON, kept as it is. */
export const json: Shape<Json> = {
  read: (value, pointer, report) => {
    if (keysIfSound(value) !== undefined) return frozenCopy(value as Json);
    for (const issue of soundnessIssues(value)) report(`${pointer}${issue.pointer}`, issue.message);
    return undefined;
  },
  write: (value) => value,
};

/** Any JSON object, kept as it is. */
export const jsonObject: Shape<JsonObject, { readonly [name: string]: unknown }> = {
  read: (value, pointer, report) =>
    isObject(value)
      ? (json.read(value, pointer, report) as JsonObject | undefined)
      : refuse(report, pointer, 'an object', value),
  write: (value) => value,
};

// `fromEntries` defines members instead of assigning them, so a key called `__proto__` is only a key.
function frozenCopy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  if (Array.isArray(value)) return Object.freeze(value.map((item: Json) => frozenCopy(item)));
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, frozenCopy(member as Json)])),
  );
}

/** Reads with the shape that `pick` finds fitting. */
export const oneOf = <Value, Input>(pick: (value: unknown) => Shape<Value, Input>): Shape<Value, Input> => ({
  read: (value, pointer, report) => pick(value).read(value, pointer, report),
  write: (value) => pick(value).write(value),
});

const MAX_SHOWN = 80;

/** A step to a member whose name is the author's, which may be as long as the whole file. */
export const below = (pointer: string, name: string): string =>
  child(pointer, name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name);
