import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { readFileText } from '../../suites/index.js';
import { type Assertion, type Converter, isScalar, lost, textsOf } from './assertion.js';
import { asRe2, countsUnits } from './patterns.js';

const NO_TEXT = 'without a text as its value';
const UNITS = 'an emoji or another rare character counts as one here, and there as two';

const text =
  (check: string, more: JsonObject = {}): Converter =>
  ({ value }) =>
    isScalar(value) && value !== '' ? { check, args: { text: String(value), ...more } } : lost(NO_TEXT);

const texts =
  (more: JsonObject): Converter =>
  ({ value }) => {
    const list = textsOf(value);
    return list && list.length > 0
      ? { check: 'contains', args: { text: list, ...more } }
      : lost('without texts');
  };

const equals: Converter = ({ value }) => {
  if (value === undefined) return lost('without a value');
  return { check: 'equals', args: { value: typeof value === 'object' ? value : String(value) } };
};

const regex: Converter = ({ value }) => {
  if (typeof value !== 'string' || value === '') return lost(NO_TEXT);
  const pattern = asRe2(value);
  if (pattern === undefined) return lost('with a pattern that RE2 does not have');
  return { check: 'regex', args: { pattern }, ...(countsUnits(value) && { changed: UNITS }) };
};

/** A schema is an object, or the YAML of one. */
function schemaOf(value: Json | undefined): JsonObject | 'none' | undefined {
  if (value === undefined || value === '' || value === null) return 'none';
  const read =
    typeof value === 'string' ? readFileText(value, { format: 'yaml', mergeKeys: true }).value : value;
  if (!isObject(read)) return undefined;
  // What the older draft says otherwise is refused by the newer one.
  const { $schema, ...rest } = read as JsonObject;
  return typeof $schema === 'string' && !/draft-0[67]/.test($schema) ? (read as JsonObject) : rest;
}

const NO_SCHEMA = 'with a value that is no JSON Schema';

const isJson: Converter = ({ value }) => {
  const schema = schemaOf(value);
  if (schema === undefined) return lost(NO_SCHEMA);
  if (schema === 'none') return { check: 'json', args: {} };
  const hasFormat = JSON.stringify(schema).includes('"format":');
  const changed = 'formats of texts in a schema are not checked here';
  return { check: 'schema', args: { schema }, ...(hasFormat && { changed }) };
};

const containsJson: Converter = ({ value }) => {
  const schema = schemaOf(value);
  if (schema === undefined) return lost(NO_SCHEMA);
  const changed = 'there broken JSON may pass, here only JSON that parses';
  return { check: 'contains-json', args: schema === 'none' ? {} : { schema }, changed };
};

const wordCount: Converter = ({ value }) => {
  const unit = 'words';
  if (isObject(value)) {
    const { min, max } = value as JsonObject;
    const bounds = Object.fromEntries(
      Object.entries({ min, max }).filter(([, bound]) => typeof bound === 'number'),
    ) as JsonObject;
    return { check: 'length', args: { ...bounds, unit } };
  }
  const count = Number(value);
  if (value === '' || !Number.isInteger(count)) return lost('without a count');
  return { check: 'length', args: { min: count, max: count, unit } };
};

const DEFAULT_EDITS = 5;

const levenshtein: Converter = ({ value, threshold = DEFAULT_EDITS }) =>
  typeof value === 'string'
    ? { check: 'distance', args: { text: value, max: Math.floor(threshold) }, changed: UNITS }
    : lost(NO_TEXT);

const DEFAULT_OVERLAP = 0.75;

const rouge =
  (metric: string): Converter =>
  ({ value, threshold = DEFAULT_OVERLAP }) =>
    typeof value === 'string'
      ? {
          check: 'overlap',
          args: { text: value, metric, min: threshold },
          changed: 'the words are told apart in another way',
        }
      : lost(NO_TEXT);

const atMost =
  (check: string, argument: string, round: (value: number) => number): Converter =>
  ({ threshold }) =>
    threshold === undefined ? lost('without a threshold') : { check, args: { [argument]: round(threshold) } };

const refusal: Converter = ({ not }) => ({
  check: not ? 'not-refused' : 'refused',
  args: {},
  turned: true,
  changed: 'there silence and what is no text are refusals as well, and other words are looked for',
});

const DEFAULT_SIMILARITY = 0.75;

const similar: Converter = ({ value, threshold = DEFAULT_SIMILARITY }: Assertion) => {
  const list = typeof value === 'string' ? [value] : textsOf(value);
  if (!list || list.length === 0) return lost(NO_TEXT);
  const [only] = list;
  return {
    check: 'similar',
    args: { text: list.length === 1 ? (only as string) : list, min: threshold },
    changed: "this host's embedder decides, which has to be configured",
  };
};

/** Assertions that a program decides by the answer, the time or the cost alone. */
export const PLAIN_CHECKS: { readonly [type: string]: Converter } = {
  equals,
  contains: text('contains'),
  icontains: text('contains', { ignoreCase: true }),
  'contains-any': texts({ any: true }),
  'icontains-any': texts({ any: true, ignoreCase: true }),
  'contains-all': texts({}),
  'icontains-all': texts({ ignoreCase: true }),
  'starts-with': text('starts-with'),
  regex,
  'is-json': isJson,
  'contains-json': containsJson,
  'word-count': wordCount,
  levenshtein,
  'rouge-n': rouge('rouge-1'),
  'rouge-l': rouge('rouge-l'),
  latency: atMost('latency', 'maxMs', Math.floor),
  cost: atMost('cost', 'maxUsd', (value) => value),
  'is-refusal': refusal,
  similar,
  'similar:cosine': similar,
};
