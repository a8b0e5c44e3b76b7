// Builders for our wire schemas: TypeBox's types, none of its code. Loading TypeBox takes longer than starting Node
// itself, and a finished schema is only a plain object, so these few functions make the objects and TypeBox's types
// read them (`Static`). `build.test.ts` holds them against the real TypeBox.
import type {
  Static,
  TArray,
  TArrayOptions,
  TBoolean,
  TEnum,
  TInteger,
  TLiteral,
  TNumber,
  TNumberOptions,
  TObject,
  TObjectOptions,
  TOptional,
  TProperties,
  TSchema,
  TSchemaOptions,
  TString,
  TStringOptions,
  TUnknown,
  TUnsafe,
} from 'typebox';
import type { Issue } from '../../model/errors.js';
import type { Id } from '../../model/ids.js';
import type { Json, JsonObject } from '../../values/json.js';

type Scalar = string | number | boolean | null | undefined;
// Names (strings with a brand) and tuples stay what they are; what holds any JSON is read-only already.
type Frozen<T> = [Json] extends [T] ? T : FrozenMember<T>;
type FrozenMember<T> = T extends Scalar ? T : { readonly [Key in keyof T]: Frozen<T[Key]> };

/** A JSON Schema that says which type its values have. */
export type Schema = TSchema & object;

/** The type of a value that fits the schema; read-only all the way down. */
export type Wire<S extends TSchema> = Frozen<Static<S>>;

/** An object that is passed on unread. */
export type AnyObject = { readonly [key: string]: unknown };

/** The optional members of an object that has none. */
type None = Record<never, never>;
/** Exported, because declaration files then keep the comments of the members. */
export type Members<R extends TProperties, O extends TProperties> = R & {
  [Key in keyof O]: TOptional<O[Key]>;
};

/** States the type of a schema: TypeBox's types are read, its code is not loaded. */
const make = <S extends TSchema>(schema: object): S => schema as S;
const prose = (description: string | undefined) => (description === undefined ? {} : { description });

/** A string. `options` takes `minLength`, `maxLength`, `pattern` and `format`. */
export const text = (description?: string, options: TStringOptions = {}): TString =>
  make({ type: 'string', ...prose(description), ...options });

/** A name of one kind, which says nothing about content; `T` keeps free text out of its place. */
export const id = <T extends Id<string>>(description?: string, options: TStringOptions = {}): TUnsafe<T> =>
  make({ type: 'string', ...prose(description), ...options });

/** A string with something in it. */
export const name = (description?: string): TString => text(description, { minLength: 1 });

/** A moment as RFC 3339 text. */
export const timestamp = (description?: string): TString => text(description, { format: 'date-time' });

/** One word of a list; its type is the union of the words. */
export const choice = <const V extends readonly string[]>(
  values: V,
  description?: string,
  options: TSchemaOptions = {},
) => make<TEnum<[...V]>>({ type: 'string', enum: [...values], ...prose(description), ...options });

/** Exactly this value. */
export const constant = <const V extends string | boolean>(
  value: V,
  options: TSchemaOptions = {},
): TLiteral<V> => make({ const: value, ...options });

/** A finite number. `options` takes `minimum` and `maximum`, both included. */
export const number = (description?: string, options: TNumberOptions = {}): TNumber =>
  make({ type: 'number', ...prose(description), ...options });

/** A whole number. `options` takes `minimum` and `maximum`, both included. */
export const integer = (description?: string, options: TNumberOptions = {}): TInteger =>
  make({ type: 'integer', ...prose(description), ...options });

/** A whole number, zero or more. */
export const count = (description?: string): TInteger => integer(description, { minimum: 0 });

/** A number from 0 to 1. */
export const fraction = (description?: string): TNumber => number(description, { minimum: 0, maximum: 1 });

/** A number, zero or more: money, mostly. */
export const amount = (description?: string): TNumber => number(description, { minimum: 0 });

/** `true` or `false`. */
export const flag = (description?: string, options: TSchemaOptions = {}): TBoolean =>
  make({ type: 'boolean', ...prose(description), ...options });

/** A flag that is either set or absent. */
export const mark = (description?: string): TUnsafe<true> =>
  make({ type: 'boolean', const: true, ...prose(description) });

/** JSON `null`. */
export const nothing = (): TUnsafe<null> => make({ type: 'null' });

/** Any value; its type is `unknown`, so that a reader has to check it. */
export const anything = (description?: string): TUnknown => make({ ...prose(description) });

/** Any JSON, which is content and is passed on as it is. */
export const json = (description?: string): TUnsafe<Json> => make({ ...prose(description) });

/** Any JSON object, passed on as it is. */
export const jsonObject = (description?: string): TUnsafe<JsonObject> =>
  make({ type: 'object', ...prose(description) });

/** Any object, passed on unread. */
export const anyObject = (description?: string, options: TSchemaOptions = {}): TUnsafe<AnyObject> =>
  make({ type: 'object', ...prose(description), ...options });

/** A list of items of one kind. `options` takes `minItems` and `maxItems`. */
export const list = <Item extends TSchema>(
  items: Item,
  description?: string,
  options: TArrayOptions = {},
): TArray<Item> => make({ type: 'array', items, ...prose(description), ...options });

/** A list without repeats. */
export const set = <Item extends TSchema>(
  items: Item,
  description?: string,
  options: TArrayOptions = {},
): TArray<Item> => list(items, description, { uniqueItems: true, ...options });

/** An object with required and optional members. Other members are allowed, and the schema does not mention them. */
export function object<R extends TProperties, O extends TProperties = None>(
  required: R,
  optional?: O,
  options: TObjectOptions = {},
): TObject<Members<R, O>> {
  const names = Object.keys(required);
  const properties = { ...required, ...optional };
  return make({ type: 'object', ...(names.length > 0 && { required: names }), properties, ...options });
}

/** An object with these members and no others. */
export const closed = <R extends TProperties, O extends TProperties = None>(
  required: R,
  optional?: O,
  options: TObjectOptions = {},
) => object(required, optional, { additionalProperties: false, ...options });

/** An object that says aloud that others may add members. */
export const open = <R extends TProperties, O extends TProperties = None>(
  required: R,
  optional?: O,
  options: TObjectOptions = {},
) => object(required, optional, { additionalProperties: true, ...options });

/** An object with members of any name, all of one kind. `names` says which names may be used. */
export const mapOf = <Member extends TSchema>(
  member: Member,
  names?: TSchema,
): TUnsafe<{ readonly [name: string]: Static<Member> }> =>
  make({ type: 'object', additionalProperties: member, ...(names && { propertyNames: names }) });

/** One or the other. A message speaks of the one that has the type of the value. */
export const either = <One extends TSchema, Other extends TSchema>(
  one: One,
  other: Other,
  description?: string,
): TUnsafe<Static<One> | Static<Other>> => make({ anyOf: [one, other], ...prose(description) });

/**
 * A schema with a rule that JSON Schema has no words for. The rule gets every value of the right type, whatever its members
 * are, and says what is wrong with it; pointers start at the value. `schemaIssues` asks it, a compiled validator cannot.
 */
export const ruled = <S extends TSchema, V = Static<S>>(schema: S, rule: (value: V) => readonly Issue[]): S =>
  make({ ...schema, rule });

/** A pointer to another schema, typed by its target. */
export const ref = <S extends TSchema>(to: string, description?: string): TUnsafe<Static<S>> =>
  make({ $ref: to, ...prose(description) });

/** A schema written out by hand, for what the other builders cannot say; the type is stated beside it. */
export const plain = <T>(schema: object): TUnsafe<T> => make(schema);

/**
 * Conditional members of a schema. Made from pairs, because an object literal with a member called `then` reads like a
 * promise to linters and to `await` alike.
 */
export const when = (
  condition: object,
  consequence: object,
  otherwise?: object,
): { [keyword: string]: object } =>
  Object.fromEntries([
    ['if', condition],
    ['then', consequence],
    ...(otherwise ? ([['else', otherwise]] as const) : []),
  ]);

/** The dialect of JSON Schema that all documents use. */
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** Root members of a published schema. */
export const published = (file: string, title: string, description: string) => ({
  $schema: DRAFT,
  $id: `https://openwop.dev/spec/v1/${file}.schema.json`,
  title,
  description,
});

/** Root members of a schema that only this project publishes. */
export const ours = (file: string, title: string, description: string) => ({
  $schema: DRAFT,
  $id: `urn:touchstone:schema:${file}`,
  title,
  description,
});
