import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@touchstone/protocol';
import { type GoldenMatch, toBody } from '@touchstone/protocol/bodies';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scoreGolden } from './golden.js';

const score = (strategy: GoldenMatch['strategy'], output: Json, value: Json) =>
  scoreGolden({ strategy, value: toBody(value) }, toBody(output));

const rows: [GoldenMatch['strategy'], Json, Json, 0 | 1, string][] = [
  ['exact', '', '', 1, 'empty equals empty'],
  ['exact', ' a', 'a', 0, 'nothing is trimmed'],
  ['exact', 'é', 'e\u0301', 0, 'nothing is normalised'],
  ['exact', 'A', 'a', 0, 'nothing is folded'],
  ['exact', { b: 1, a: 2 }, '{"a":2,"b":1}', 1, 'an object is its canonical text'],
  ['exact', 42, '42', 1, 'a number is its text'],
  ['exact', '42', 42, 1, 'so is an expected number'],
  ['exact', null, 'null', 1, 'null is its text'],
  ['contains', 'the answer is 42.', '42', 1, 'substring'],
  ['contains', 'anything', '', 1, 'everything contains the empty text'],
  ['contains', [1, { a: [2] }], { a: [2] }, 1, 'an element of an array'],
  ['contains', ['ab'], 'b', 1, 'or the text of the array'],
  ['contains', { note: 'ok' }, '"note":"ok"', 1, 'an object by its canonical text'],
  [
    'json-match',
    '{"b":[1,2],"a":null}',
    { a: null, b: [1, 2] },
    1,
    'key order and white space do not matter',
  ],
  ['json-match', '[2,1]', [1, 2], 0, 'arrays are ordered'],
  ['json-match', '1.0', 1, 1, 'numbers compare by value'],
  ['json-match', 0, -0, 1, 'zero is zero'],
  ['json-match', 'not json', 'not json', 1, 'a string may also equal a string'],
  ['json-match', '"x"', 'x', 1, 'or hold one as JSON'],
  ['json-match', 'not json', {}, 0, 'text that is not JSON matches nothing else'],
  [
    'json-match',
    '{"constructor":{"a":1},"valueOf":2}',
    { constructor: { a: 1 }, valueOf: 2 } as unknown as Json,
    1,
    'any key is an ordinary key',
  ],
  ['json-match', '{"__proto__":{"a":1}}', {}, 0, 'even the odd ones'],
  ['json-match', {}, { a: null }, 0, 'absent is not null'],
];

describe('golden scoring', () => {
  it.each(rows)('%s: %j against %j is %d (%s)', (strategy, output, value, expected) => {
    expect(score(strategy, output, value)).toBe(expected);
  });

  it('agrees with an independent model on random JSON', () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
    const near = json.chain((a) =>
      fc.tuple(fc.constant(a), fc.oneof(json, fc.constant(a), fc.constant(JSON.stringify(a)))),
    );
    fc.assert(
      fc.property(near, fc.constantFrom('exact', 'contains', 'json-match'), ([value, output], strategy) => {
        expect(score(strategy as GoldenMatch['strategy'], output as Json, value)).toBe(
          model(strategy, output as Json, value),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

// Written from the rule, with other tools: canonicalize for text, node's deep equality for values (0 and -0 cannot differ
// here, because the values have been through JSON text).
function model(strategy: string, output: Json, value: Json): 0 | 1 {
  const text = (v: Json) => (typeof v === 'string' ? v : (canonicalize(v) as string));
  if (strategy === 'exact') return text(output) === text(value) ? 1 : 0;
  if (strategy === 'contains') {
    const element = Array.isArray(output) && output.some((item) => isDeepStrictEqual(item, value));
    return element || text(output).indexOf(text(value)) >= 0 ? 1 : 0;
  }
  const readings = [output];
  try {
    if (typeof output === 'string') readings.push(JSON.parse(output));
  } catch {}
  return readings.some((reading) => isDeepStrictEqual(reading, value)) ? 1 : 0;
}
