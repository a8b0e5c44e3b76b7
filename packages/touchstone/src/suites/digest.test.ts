import { createHash } from 'node:crypto';
import type { Json } from '@touchstone/protocol';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf, writeCanonical } from './digest.js';

function canonical(value: Json): string {
  const pieces: string[] = [];
  writeCanonical(value, (piece) => pieces.push(piece));
  return pieces.join('');
}

// Keys that an object reorders or treats specially, beside keys of every plane.
const key = fc.oneof(
  fc.constantFrom(
    '10',
    '9',
    '01',
    '-1',
    '__proto__',
    'constructor',
    'toJSON',
    '',
    '\u20ac',
    '\ud83d\ude00',
    '\ufb33',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries) as Json),
  ),
})).value;

describe('digest', () => {
  test('the canonical form is that of the reference implementation', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonical(value)).toBe(canonicalize(value));
      }),
      { numRuns: 2000 },
    );
  });

  test('objects whose keys read alike when run together are told apart', () => {
    const tasks = [
      {},
      { '': 1 },
      {},
      { b: 1, a: 2 },
      { 'b\na': 1 },
      { 'b,a': 1 },
      { ba: 1 },
      { b: 1, 'a\n': 2, '\na': 3 },
    ];
    expect(canonical({ tasks })).toBe(canonicalize({ tasks }));
  });

  test('integer-like keys are ordered as text, not as numbers', () => {
    expect(canonical({ tasks: [{ '9': 1, '10': 2, b: 3 }] })).toBe('{"tasks":[{"10":2,"9":1,"b":3}]}');
  });

  test('the digest is the hash of the whole form, also when it is longer than a chunk', () => {
    const value = {
      tasks: Array.from({ length: 5000 }, (_, n) => ({ taskId: `task-${n}`, input: 'é'.repeat(40) })),
      a: -0,
    };
    const hex = createHash('sha256')
      .update(canonicalize(value) as string)
      .digest('hex');
    expect(digestOf(value)).toBe(`sha256:${hex}`);
  });

  test('the order and spacing of the source do not change the digest', () => {
    expect(digestOf({ a: [1, { c: 1.0, b: 'x' }] })).toBe(
      digestOf(JSON.parse('{ "a": [1e0, {"b": "\\u0078", "c": 1}] }')),
    );
  });
});
