// What each kind of scalar takes besides itself follows the lax reading that definition files are written for.
import { typeName } from '@touchstone/protocol';
import { keysIfSound } from '../../suites/index.js';
import { type Reader, refuse } from './reader.js';

const came = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `another ${typeof value}` : typeName(value);

/** A value that `accept` turns into what is kept, or refuses by returning undefined. */
const scalar =
  <Value, Input = Value>(
    expected: string,
    accept: (value: unknown) => Value | undefined,
    describe: (value: unknown) => string = came,
  ): Reader<Value, Input> =>
  (value, pointer, report) => {
    const accepted = accept(value);
    if (accepted === undefined) report(pointer, `Expected ${expected}; got ${describe(value)}.`);
    return accepted;
  };

/** A second reading of what the first one gave. */
const andThen =
  <Value>(first: Reader<Value>, second: Reader<Value>): Reader<Value> =>
  (value, pointer, report) => {
    const given = first(value, pointer, report);
    return given === undefined ? undefined : second(given, pointer, report);
  };

export const text: Reader<string> = (value, pointer, report) => {
  if (typeof value !== 'string') return refuse(report, pointer, 'a string', value);
  if (keysIfSound(value) !== undefined) return value;
  report(pointer, 'Expected well-formed text; this string holds half a surrogate pair.');
  return undefined;
};

const textThat = (expected: string, accept: (value: string) => string | undefined): Reader<string> =>
  andThen(
    text,
    scalar(expected, (value) => accept(value as string)),
  );

export const someText = textThat('a string with something in it', (value) => value || undefined);

export const choice = <const Words extends readonly string[]>(...words: Words): Reader<Words[number]> =>
  scalar(
    `${words.length > 1 ? 'one of ' : ''}${words.join(', ')}`,
    (value) => words.find((word) => word === value),
    (value) => (typeof value === 'string' ? 'another word' : typeName(value)),
  );

const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...([true, 1, '1', 'true', 't', 'yes', 'y', 'on'] as const).map((word) => [word, true] as const),
  ...([false, 0, '0', 'false', 'f', 'no', 'n', 'off'] as const).map((word) => [word, false] as const),
]);

export const flag: Reader<boolean> = scalar('a valid boolean, true or false', (value) =>
  FLAGS.get(typeof value === 'string' ? value.toLowerCase() : value),
);

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+(?:\.0*)?$/;

function numberIn(value: unknown, notation: RegExp): number {
  if (typeof value === 'boolean') return Number(value);
  // Zero is added because canonical JSON knows no negative zero.
  if (typeof value === 'number') return value + 0;
  const digits = typeof value === 'string' ? value.trim() : '';
  return notation.test(digits) ? Number(digits) + 0 : Number.NaN;
}

export const number: Reader<number> = scalar(
  'a valid number, finite and no larger than a double holds',
  (value) => [numberIn(value, DECIMAL)].find(Number.isFinite),
);

// Beyond 2^53, two different integers would be one and the same here.
export const integer: Reader<number> = scalar('a valid integer below 2^53', (value) =>
  [numberIn(value, WHOLE)].find(Number.isSafeInteger),
);

/** A number between two bounds, both allowed. */
export const numberWithin = (low: number, high: number): Reader<number> =>
  andThen(
    number,
    scalar(
      `a number from ${low} to ${high}`,
      (value) => [value as number].find((read) => read >= low && read <= high),
      () => 'one outside',
    ),
  );

export const sha256Hex = textThat('64 hexadecimal digits', (value) =>
  /^[0-9a-f]{64}$/i.test(value) ? value : undefined,
);

/** With or without hyphens, braces or `urn:uuid:`; kept in the usual notation. */
export const uuid = textThat('a UUID', (value) => {
  const bare = value
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1');
  const digits = bare.replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(digits)
    ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : undefined;
});

const MAX_VERSION_LENGTH = 256;
const SEMVER =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*)?(?:\+[\da-z-]+(?:\.[\da-z-]+)*)?$/i;

export const withoutV = (version: string): string => version.replace(/^v/i, '');

export const semver = textThat('a version as in 1.2.0', (value) => {
  const version = withoutV(value);
  return version.length <= MAX_VERSION_LENGTH && SEMVER.test(version) ? version : undefined;
});

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;
const MAX_SECONDS = 20_000_000_000;
const isoMoment = textThat('a date and time as in 2026-03-04T09:30:00Z', (value) =>
  isMoment(value) ? value : undefined,
);

/** Kept as written; a number counts seconds since 1970, or milliseconds when it is too large for that. */
export const moment: Reader<string, string | number> = (value, pointer, report) => {
  const at =
    typeof value === 'number' ? new Date(Math.abs(value) > MAX_SECONDS ? value : value * 1000) : undefined;
  return isoMoment(at && !Number.isNaN(at.getTime()) ? at.toISOString() : value, pointer, report);
};

function isMoment(value: string): boolean {
  const parts = MOMENT.exec(value)?.slice(1);
  if (!parts) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) =>
    Number(part ?? 0),
  );
  // Years below 100 mean another century to `Date`, and leap years repeat every 400.
  const daysInMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return (
    month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth && hour < 24 && minute < 60 && second < 60
  );
}
