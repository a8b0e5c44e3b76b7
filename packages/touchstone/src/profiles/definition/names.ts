import { scalar, textThat } from './scalars.js';
import type { Shape } from './shape.js';

const HEX_64 = /^[0-9a-f]{64}$/i;
export const sha256Hex = textThat('64 hexadecimal digits', (value) =>
  HEX_64.test(value) ? value : undefined,
);

const UUID_DIGITS = /^[0-9a-f]{32}$/;

/** With or without hyphens, braces or `urn:uuid:`; kept in the usual notation. */
export const uuid = textThat('a UUID', (value) => {
  const bare = value
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1');
  const digits = bare.replaceAll('-', '');
  return UUID_DIGITS.test(digits)
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
const isoMoment = textThat('a date and time as in 2026-03-04T09:30:00Z', (value) =>
  isMoment(value) ? value : undefined,
);

/** Kept as written; a number counts seconds since 1970, or milliseconds when it is too large for that. */
export const moment: Shape<string, string | number> = scalar((value, pointer, report) => {
  const at =
    typeof value === 'number' ? new Date(Math.abs(value) > MAX_SECONDS ? value : value * 1000) : undefined;
  return isoMoment.read(at && !Number.isNaN(at.getTime()) ? at.toISOString() : value, pointer, report);
});
const MAX_SECONDS = 20_000_000_000;

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
