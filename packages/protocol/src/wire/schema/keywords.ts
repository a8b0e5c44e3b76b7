// The few parts of JSON Schema that we define ourselves, so that the verdict and its explanation cannot differ.
import { isObject } from '../../values/object.js';

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/** RFC 3339, the calendar included: there is no 30 February. */
function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text);
  if (!parts) return false;
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return (
    within(month, 1, 12) &&
    within(day, 1, daysInMonth) &&
    within(hour, 0, 23) &&
    within(minute, 0, 59) &&
    within(second, 0, 60) &&
    within(offsetHour, 0, 23) &&
    within(offsetMinute, 0, 59)
  );
}

const within = (value: number | undefined, low: number, high: number) =>
  value !== undefined && value >= low && value <= high;

// URL parsing forgives blanks and brackets that a URI may not contain, hence the second look.
const URI = /^[a-zA-Z][a-zA-Z0-9+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;
const isUri = (text: string): boolean => URI.test(text) && URL.canParse(text);

/** The formats that our schemas use, each with its test. */
export const formats: { readonly [format: string]: (text: string) => boolean } = {
  'date-time': isDateTime,
  uri: isUri,
};

/** Whether no two items are equal. One pass, however long the list: items are never compared pair by pair. */
export function allDifferent(items: readonly unknown[]): boolean {
  const scalars = new Set<unknown>();
  const structures = new Set<string | symbol>();
  for (const item of items) {
    if (typeof item === 'object' && item !== null) structures.add(fingerprint(item));
    else scalars.add(item);
  }
  return scalars.size + structures.size === items.length;
}

/**
 * The same text for equal structures, whatever the order of their keys. A structure too deep to be written down
 * counts as different from every other; the schema of the items refuses it anyway.
 */
function fingerprint(structure: object): string | symbol {
  try {
    return JSON.stringify(structure, (_, value: unknown) => (isObject(value) ? sorted(value) : value));
  } catch {
    return Symbol('too deep');
  }
}

const sorted = (object: object): object =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
