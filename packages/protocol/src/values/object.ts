import type { Json, JsonObject } from './json.js';

/** An object with any members, of which nothing is known yet. */
export type UnknownObject = { readonly [key: string]: unknown };

/** Whether a value is an object, as JSON understands it: neither null nor a list. */
export function isObject(value: Json | undefined): value is JsonObject;
export function isObject(value: unknown): value is UnknownObject;
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of the object itself. What every object inherits (`constructor`, say) is not in the document. */
export const ownMember = (object: UnknownObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** The type of a value in words for a message, such as `an array`. Never the value: it may be content. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** `T` with an optional member for each member that may be undefined. */
export type Defined<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/**
 * The object without members that are undefined: `defined({ a, b })` has `b` only when there is one. An optional member
 * that is absent and one that is undefined are different things, to JSON and to the compiler.
 */
export function defined<T extends object>(object: T): Defined<T> {
  const members: { [name: string]: unknown } = {};
  for (const name of Object.keys(object)) {
    const member = (object as UnknownObject)[name];
    if (member !== undefined) members[name] = member;
  }
  return members as Defined<T>;
}
