import { type Issue, validationError } from '@touchstone/protocol';

/** One query parameter: how it is read, and how it is described. */
export type Parameter<T> = {
  readonly description: string;
  readonly schema: { readonly [key: string]: unknown };
  /** It must be given; its reader refuses an absent one. */
  readonly required?: true;
  /** Reads the text of the parameter, undefined when it is absent; answers a sentence when it will not do. */
  read(text: string | undefined): { readonly value: T } | { readonly wrong: string };
};

export type Parameters = { readonly [name: string]: Parameter<unknown> };
export type QueryOf<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

type Bounds = { readonly min: number; readonly max?: number };

const integerIn = (
  text: string,
  { min, max }: Bounds,
): { readonly value: number } | { readonly wrong: string } => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= (max ?? value)) return { value };
  return {
    wrong:
      max === undefined
        ? `expected a whole number of at least ${min}`
        : `expected a whole number from ${min} to ${max}`,
  };
};

const integerSchema = ({ min, max }: Bounds) => ({
  type: 'integer',
  minimum: min,
  ...(max !== undefined && { maximum: max }),
});

export const optionalInteger = (description: string, bounds: Bounds): Parameter<number | undefined> => ({
  description,
  schema: integerSchema(bounds),
  read: (text) => (text === undefined ? { value: undefined } : integerIn(text, bounds)),
});

export const integerOr = (fallback: number, description: string, bounds: Bounds): Parameter<number> => ({
  description,
  schema: { ...integerSchema(bounds), default: fallback },
  read: (text) => (text === undefined ? { value: fallback } : integerIn(text, bounds)),
});

/** Text whose reader has its own words for what will not do. */
export const anyText = (description: string): Parameter<string | undefined> => ({
  description,
  schema: { type: 'string' },
  read: (text) => ({ value: text }),
});

const MAX_TEXT = 512;

export const optionalText = (description: string): Parameter<string | undefined> => ({
  description,
  schema: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
  read(text) {
    if (text === undefined || (text.length > 0 && text.length <= MAX_TEXT)) return { value: text };
    return { wrong: `expected 1 to ${MAX_TEXT} characters` };
  },
});

/** A name that has to be given. */
export const requiredName = <T extends string>(
  description: string,
  what: string,
  maxLength: number,
): Parameter<T> => ({
  description,
  schema: { type: 'string', minLength: 1, maxLength },
  required: true,
  read(text = '') {
    if (text.length > 0 && text.length <= maxLength) return { value: text as T };
    return { wrong: `expected ${what}, 1 to ${maxLength} characters` };
  },
});

/** The parameters of an operation that answers a list in pages. */
export const pageQuery = (what: string) => ({
  limit: integerOr(50, `The most ${what} of one page.`, { min: 1, max: 200 }),
  cursor: optionalText('The nextCursor of the page before.'),
});

export const optionalFraction = (description: string): Parameter<number | undefined> => ({
  description,
  schema: { type: 'number', minimum: 0, maximum: 1 },
  read(text) {
    if (text === undefined) return { value: undefined };
    const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= 0 && value <= 1 ? { value } : { wrong: 'expected a number from 0 to 1' };
  },
});

export const optionalChoice = <const T extends string>(
  description: string,
  values: readonly T[],
): Parameter<T | undefined> => ({
  description,
  schema: { type: 'string', enum: values },
  read(text) {
    if (text === undefined) return { value: undefined };
    const value = values.find((candidate) => candidate === text);
    return value === undefined ? { wrong: `expected one of ${values.join(', ')}` } : { value };
  },
});

/** A moment, as milliseconds. */
export const optionalTime = (description: string): Parameter<number | undefined> => ({
  description,
  schema: { type: 'string', format: 'date-time' },
  read(text) {
    if (text === undefined) return { value: undefined };
    const value = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(value)
      ? { wrong: 'expected a time in ISO 8601, such as 2026-07-01T12:00:00Z' }
      : { value };
  },
});
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Some of several values, with commas between them. */
export const optionalChoices = <const T extends string>(
  description: string,
  values: readonly T[],
): Parameter<readonly T[] | undefined> => ({
  description: `${description} Several with commas between them: ${values.join(', ')}.`,
  schema: { type: 'string' },
  read(text) {
    if (text === undefined) return { value: undefined };
    const found = text.split(',').map((part) => values.find((value) => value === part));
    const known = found.filter((value) => value !== undefined);
    return known.length === found.length
      ? { value: known }
      : { wrong: `expected some of ${values.join(', ')}` };
  },
});

/** Reads the parameters an endpoint knows. Others are ignored, as HTTP clients and proxies like to add their own. */
export function readQuery<P extends Parameters>(
  parameters: P,
  raw: { readonly [name: string]: unknown },
): QueryOf<P> {
  const issues: Issue[] = [];
  const values: { [name: string]: unknown } = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const text = raw[name];
    if (text !== undefined && typeof text !== 'string') {
      issues.push({ pointer: `/${name}`, message: 'given more than once' });
      continue;
    }
    const found = parameter.read(text);
    if ('value' in found) values[name] = found.value;
    else issues.push({ pointer: `/${name}`, message: found.wrong });
  }
  const [first] = issues;
  if (first) throw validationError(issues, { field: first.pointer.slice(1) });
  return values as QueryOf<P>;
}
