// What each kind of scalar takes besides itself follows the lax reading that definition files are written for.
import { typeName } from '@touchstone/protocol';
import type { Report, Shape } from './shape.js';

/** A shape that is written as it stands. */
export const scalar = <Value extends string | number | boolean, Input = Value>(
  read: Shape<Value, Input>['read'],
): Shape<Value, Input> => ({ read, write: (value) => value });

// Every supported Node has this method; the ES2023 typings do not name it yet.
const wellFormed = (value: string): boolean =>
  (value as unknown as { isWellFormed(): boolean }).isWellFormed();

export const text: Shape<string> = scalar((value, pointer, report) => {
  if (typeof value !== 'string') return refuse(report, pointer, 'a string', value);
  if (wellFormed(value)) return value;
  report(pointer, 'Expected well-formed text; this string holds half a surrogate pair.');
  return undefined;
});

/** A string that `accept` turns into what is kept, or refuses by returning undefined. */
export const textThat = (expected: string, accept: (value: string) => string | undefined): Shape<string> =>
  scalar((value, pointer, report) => {
    const given = text.read(value, pointer, report);
    if (given === undefined) return undefined;
    const accepted = accept(given);
    if (accepted === undefined) report(pointer, `Expected ${expected}; got another string.`);
    return accepted;
  });

export const someText = textThat('a string with something in it', (value) =>
  value === '' ? undefined : value,
);

export const choice = <const Words extends readonly string[]>(...words: Words): Shape<Words[number]> =>
  scalar((value, pointer, report) => {
    if (words.some((word) => word === value)) return value as Words[number];
    const came = typeof value === 'string' ? 'another word' : typeName(value);
    report(pointer, `Expected ${words.length > 1 ? 'one of ' : ''}${words.join(', ')}; got ${came}.`);
    return undefined;
  });

const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...([true, 1, '1', 'true', 't', 'yes', 'y', 'on'] as const).map((word) => [word, true] as const),
  ...([false, 0, '0', 'false', 'f', 'no', 'n', 'off'] as const).map((word) => [word, false] as const),
]);

export const flag: Shape<boolean> = scalar((value, pointer, report) => {
  const known = FLAGS.get(typeof value === 'string' ? value.toLowerCase() : value);
  if (known === undefined) report(pointer, `Expected a valid boolean, true or false; got ${came(value)}.`);
  return known;
});

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+(?:\.0*)?$/;

export const number: Shape<number> = scalar((value, pointer, report) => {
  const read = numberIn(value, DECIMAL);
  if (read !== undefined && Number.isFinite(read)) return read;
  report(pointer, `Expected a valid number, finite and no larger than a double holds; got ${came(value)}.`);
  return undefined;
});

export const integer: Shape<number> = scalar((value, pointer, report) => {
  const read = numberIn(value, WHOLE);
  // Beyond this, two different integers would be one and the same here.
  if (read !== undefined && Number.isSafeInteger(read)) return read;
  report(pointer, `Expected a valid integer below 2^53; got ${came(value)}.`);
  return undefined;
});

/** A number between two bounds, both allowed. */
export const numberWithin = (low: number, high: number): Shape<number> =>
  scalar((value, pointer, report) => {
    const read = number.read(value, pointer, report);
    if (read === undefined || (read >= low && read <= high)) return read;
    report(pointer, `Expected a number from ${low} to ${high}; got one outside.`);
    return undefined;
  });

function numberIn(value: unknown, notation: RegExp): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  // Zero is added because canonical JSON knows no negative zero.
  if (typeof value === 'number') return value + 0;
  if (typeof value !== 'string') return undefined;
  const digits = value.trim();
  return notation.test(digits) ? Number(digits) + 0 : undefined;
}

const came = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `another ${typeof value}` : typeName(value);

export function refuse(report: Report, pointer: string, expected: string, value: unknown): undefined {
  report(pointer, `Expected ${expected}; got ${typeName(value)}.`);
  return undefined;
}
