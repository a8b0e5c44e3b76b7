import { Type } from 'typebox';
import { expect, expectTypeOf, test } from 'vitest';
import {
  anything,
  choice,
  closed,
  constant,
  count,
  flag,
  fraction,
  integer,
  list,
  number,
  object,
  open,
  set,
  text,
  type Wire,
} from './build.js';

/** The schema as it travels: TypeBox keeps private marks that JSON does not show. */
const travelled = (schema: object): unknown => JSON.parse(JSON.stringify(schema));

test.each([
  ['text', text('Words.', { minLength: 1 }), Type.String({ minLength: 1, description: 'Words.' })],
  ['choice', choice(['a', 'b']), Type.Enum(['a', 'b'], { type: 'string' })],
  ['constant', constant('eval', { type: 'string' }), Type.Literal('eval')],
  ['number', number(undefined, { maximum: 2 }), Type.Number({ maximum: 2 })],
  ['integer', integer(), Type.Integer()],
  ['count', count(), Type.Integer({ minimum: 0 })],
  ['fraction', fraction(), Type.Number({ minimum: 0, maximum: 1 })],
  ['flag', flag('Yes or no.'), Type.Boolean({ description: 'Yes or no.' })],
  ['anything', anything(), Type.Unknown()],
  [
    'list',
    list(text(), 'Many.', { minItems: 1 }),
    Type.Array(Type.String(), { minItems: 1, description: 'Many.' }),
  ],
  ['set', set(text()), Type.Array(Type.String(), { uniqueItems: true })],
  ['object without members', object({}), Type.Object({})],
  [
    'closed object',
    closed({ a: text() }, { b: flag() }, { title: 'T' }),
    Type.Object(
      { a: Type.String(), b: Type.Optional(Type.Boolean()) },
      { additionalProperties: false, title: 'T' },
    ),
  ],
  [
    'open object of options',
    open({}, { b: flag() }),
    Type.Object({ b: Type.Optional(Type.Boolean()) }, { additionalProperties: true }),
  ],
])('%s is the schema that TypeBox makes', (_, ours, theirs) => {
  expect(travelled(ours)).toEqual(travelled(theirs));
});

test('the type of a wire value is read from its schema and cannot be written to', () => {
  const shape = closed({ kind: choice(['a', 'b']), names: list(text()) }, { size: integer() });
  expectTypeOf<Wire<typeof shape>>().toEqualTypeOf<{
    readonly kind: 'a' | 'b';
    readonly names: readonly string[];
    readonly size?: number;
  }>();
});
