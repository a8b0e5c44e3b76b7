import type { Json, JsonObject } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import { CheckOverLimit } from '../ports/index.js';
import { checkBounded, checkForeignSchema, createSchemaCheck } from './schema-check.js';

const schemaCheck = createSchemaCheck(checkBounded);
const check = (schema: JsonObject, value: Json) => schemaCheck(schema, toBody(value));

/** Definitions that each refer to the one before, so and so many times. */
function linked(levels: number, times: number): JsonObject {
  const $defs: { [name: string]: Json } = { d0: { type: 'object' } };
  for (let level = 1; level <= levels; level += 1)
    $defs[`d${level}`] = { allOf: Array.from({ length: times }, () => ({ $ref: `#/$defs/d${level - 1}` })) };
  return { $ref: `#/$defs/d${levels}`, $defs };
}

/** As many members, each with as many members of its own, in few words. */
function repeating(count: number): JsonObject {
  const members = (member: Json) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, member]));
  return {
    properties: members({ $ref: '#/$defs/each' }),
    $defs: { each: { properties: members({ type: 'string' }) } },
  };
}

describe('a body', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', prefixItems: [{ const: 'a' }], items: { $ref: '#/$defs/count' } } },
    $defs: { count: { type: 'integer', 'x-unknown': true } },
  };

  it('that fits has no issues', () => expect(check(schema, { items: ['a', 1, 2] })).toEqual([]));

  it('that does not fit has its issue where it is, without being quoted', () => {
    const issues = check(schema, { items: ['a', 'SECRET'] });
    expect(issues).toEqual([{ pointer: '/items/1', message: 'must be integer' }]);
    expect(check(schema, {})).toEqual([{ pointer: '', message: "must have required property 'items'" }]);
  });

  it('is the same through either path, bounded or not', () => {
    const plain = { type: 'array', items: { type: 'integer' } };
    const large = Array.from({ length: 5_000 }, (_, index) => index);
    expect(check(plain, [1, 2])).toEqual([]);
    expect(check(plain, large)).toEqual([]);
    expect(check(plain, [...large, 'x'])).toEqual([{ pointer: '/5000', message: 'must be integer' }]);
  });

  it('is matched against patterns in linear time', () => {
    const pattern = { type: 'string', pattern: '^(a+)+$' };
    expect(check(pattern, `${'a'.repeat(5_000)}!`)).toHaveLength(1);
    expect(check(pattern, 'aaa')).toEqual([]);
    expect(check({ patternProperties: { '^n_': { type: 'number' } } }, { n_a: 'x' })).toHaveLength(1);
  });

  it('that a schema takes for ever to check is not decided', () => {
    expect(() => check(linked(40, 2), {})).toThrow(CheckOverLimit);
  });

  it('that a schema can be followed into without end does not match', () => {
    expect(check({ $ref: '#' }, {})).toHaveLength(1);
  });
});

describe('a schema', () => {
  it.each<[string, JsonObject, string]>([
    ['of an unknown type', { type: 'objekt' }, 'type'],
    ['of another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'draft-07'],
    ['with a remote reference', { $ref: 'https://schemas.example/a.json' }, 'resolve reference'],
    ['with a reference to nothing', { $ref: '#/$defs/absent' }, 'resolve reference'],
    ['with a pattern that cannot be linear', { type: 'string', pattern: '(?=a)b' }, 'regexp'],
    ['that is too large', { description: 'x'.repeat(300_000) }, 'bytes'],
    ['of too many subschemas', { allOf: Array.from({ length: 3_000 }, () => ({})) }, '3000 objects'],
    ['that takes for ever to compile', repeating(300), 'takes too long to compile'],
    ['that the compiler drowns in', linked(1_400, 1), 'too large to compile'],
  ])('%s is refused', (_name, schema, words) => {
    expect(checkForeignSchema(schema)).toEqual([{ pointer: '', message: expect.stringContaining(words) }]);
    expect(() => check(schema, {})).toThrow(words);
  });

  it('that nests without end is refused rather than followed', () => {
    let deep: Json = {};
    for (let level = 0; level < 100_000; level += 1) deep = { not: deep };
    expect(checkForeignSchema(deep)).toEqual([
      { pointer: '', message: expect.stringContaining('64 levels') },
    ]);
  });

  it('that was refused is refused again without being compiled again', () => {
    const [words] = checkForeignSchema({ type: 'objekt' });
    expect(checkForeignSchema({ type: 'objekt' })[0]).toBe(words);
    expect(checkForeignSchema({ type: 'object' })).toEqual([]);
  });

  it('of everyday size is not held up', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`p${index}`, { anyOf: [{ type: 'string' }, { const: 1 }] }]),
    );
    expect(check({ properties }, { p7: 1 })).toEqual([]);
    expect(check({ properties }, { p7: 2 })).not.toEqual([]);
  });

  it('may have the id of another one, and does not see it', () => {
    const $id = 'https://schemas.example/mine';
    const one = { $id, properties: { a: { $id: 'https://schemas.example/inner', type: 'string' } } };
    const two = { $id, properties: { a: { $id: 'https://schemas.example/inner', type: 'number' } } };
    expect(check(one, { a: 'x' })).toEqual([]);
    expect(check(two, { a: 1 })).toEqual([]);
    expect(checkForeignSchema({ $ref: 'https://schemas.example/inner' })).toHaveLength(1);
    expect(checkForeignSchema({ $id: 'https://json-schema.org/draft/2020-12/schema' })).toEqual([]);
    expect(check({ type: 'string' }, 1)).toHaveLength(1);
  });
});
