// Small readers that are put together to the shape of a document. Each returns the value it has checked, or undefined
// after it has said what is wrong. Objects are built anew from the members the shape names, so nothing else gets through.
import { type Id, isObject, ownMember, typeName } from '@touchstone/protocol';
import type { Reading } from './reading.js';

export type Reader<T> = (value: unknown, reading: Reading) => T | undefined;

type OptionalName<T> = {
  [Name in keyof T]-?: Partial<Pick<T, Name>> extends Pick<T, Name> ? Name : never;
}[keyof T];
type RequiredMembers<T> = { readonly [Name in Exclude<keyof T, OptionalName<T>>]: Reader<T[Name]> };
type OptionalMembers<T> = { readonly [Name in OptionalName<T>]: Reader<Exclude<T[Name], undefined>> };

/** A closed object. The compiler refuses a table that leaves out a member of the type, or takes it for optional. */
export function members<T extends object>(
  required: RequiredMembers<T>,
  optional: OptionalMembers<T>,
): Reader<T> {
  const readers = Object.entries<Reader<unknown>>({ ...required, ...optional });
  const known = new Set(readers.map(([name]) => name));
  return (value, reading) => {
    if (!isObject(value)) return reading.refuse(`Expected an object, but found ${typeName(value)}.`);
    if (Object.keys(value).some((name) => !known.has(name)))
      reading.refuse(`There is a member here that is not known. Known are: ${[...known].join(', ')}.`);
    const checked: { [name: string]: unknown } = {};
    for (const [name, read] of readers) {
      const member = ownMember(value, name);
      if (member !== undefined) checked[name] = reading.at(name, () => read(member, reading));
      else if (Object.hasOwn(required, name))
        reading.at(name, () => reading.refuse('This member is required.'));
    }
    return checked as T;
  };
}

export const list =
  <T>(item: Reader<T>, { least = 0, most = Number.POSITIVE_INFINITY } = {}): Reader<readonly T[]> =>
  (value, reading) => {
    if (!Array.isArray(value)) return reading.refuse(`Expected an array, but found ${typeName(value)}.`);
    if (value.length < least || value.length > most)
      return reading.refuse(`Expected ${bounds(least, most)} items, but found ${value.length}.`);
    return value.map((entry: unknown, index) => reading.at(index, () => item(entry, reading)) as T);
  };

/** Longer names than this are none. */
const MOST_CHARS = 1024;

/** A name of some kind. What is no name could be anything, an agent's answer included, so it goes no further. */
export const id =
  <T extends Id<string>>(pattern: RegExp, expected: string): Reader<T> =>
  (value, reading) => {
    if (typeof value !== 'string')
      return reading.refuse(`Expected ${expected}, but found ${typeName(value)}.`);
    if (value.length > MOST_CHARS || !pattern.test(value)) return reading.refuse(`Expected ${expected}.`);
    return value as T;
  };

type Range = { readonly least: number; readonly most?: number; readonly whole?: true };

export const number =
  ({ least, most = Number.MAX_SAFE_INTEGER, whole }: Range): Reader<number> =>
  (value, reading) => {
    const fits = typeof value === 'number' && value >= least && value <= most;
    if (fits && (!whole || Number.isInteger(value))) return value;
    const found = typeof value === 'number' ? 'another number' : typeName(value);
    return reading.refuse(
      `Expected a ${whole ? 'whole ' : ''}number, ${bounds(least, most)}, but found ${found}.`,
    );
  };

const bounds = (least: number, most: number): string =>
  most >= Number.MAX_SAFE_INTEGER ? `at least ${least}` : `${least} to ${most}`;

export const flag: Reader<boolean> = (value, reading) =>
  typeof value === 'boolean'
    ? value
    : reading.refuse(`Expected true or false, but found ${typeName(value)}.`);

/** A mark that is either set or absent. */
export const mark: Reader<true> = (value, reading) =>
  value === true ? value : reading.refuse('Expected true, or no such member at all.');

export const choice =
  <T extends string>(options: readonly T[]): Reader<T> =>
  (value, reading) =>
    options.find((option) => option === value) ?? reading.refuse(`Expected one of ${options.join(', ')}.`);
