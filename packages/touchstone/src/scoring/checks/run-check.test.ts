import { asId, type Json, type JsonObject, type ToolId } from '@touchstone/protocol';
import { CHECK_NAMES, fromBody, type ToolStatus, toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../ports/index.js';
import { searchPattern } from '../rubric/pattern.js';
import { isRefusal } from '../safety/index.js';
import type { CheckParts, CheckResult } from './context.js';
import { type DecidableCheckName, isDecidableCheck, runCheck } from './run-check.js';

/** Knows one kind of schema: `{"type": …}` by the name JavaScript has for it. */
const parts: CheckParts = {
  schemaCheck: ({ type }, body) =>
    typeof fromBody(body) === type ? [] : [{ pointer: '', message: 'is of another type' }],
  search: searchPattern,
  isRefusal,
};

const NONE = Symbol('no output');
const transcriptOf = (output: Json | typeof NONE, more: Partial<Transcript> = {}): Transcript => ({
  outcome: 'completed',
  toolCalls: [],
  seed: '0.0',
  ...(output !== NONE && { output: toBody(output) }),
  ...more,
});
const check = (
  name: DecidableCheckName,
  args: JsonObject,
  output: Json | typeof NONE,
  more?: Partial<Transcript>,
): CheckResult => runCheck(name, args, transcriptOf(output, more), parts);
const met = (...call: Parameters<typeof check>): boolean => check(...call).met;

type Row = [DecidableCheckName, JsonObject, Json | typeof NONE, boolean, string];
const HUNDRED_A = 'a'.repeat(100_000);
const rows: Row[] = [
  ['json', {}, NONE, false, 'no output is no JSON'],
  ['json', {}, '', false, 'nor is an empty text'],
  ['json', {}, '{"a":1', false, 'nor half an object'],
  ['json', {}, '```json\n{}\n```', false, 'nor a fenced one'],
  ['json', {}, '{} and more', false, 'nor one with words behind it'],
  ['json', {}, ' {"a":[1,{"b":null}]}\n', true, 'white space around it is part of JSON'],
  ['json', {}, 'null', true, 'null is JSON'],
  ['json', {}, null, true, 'also as a value'],
  ['json', {}, { a: { b: [] } }, true, 'an object is JSON already'],
  ['json', {}, 0, true, 'a number too'],
  ['json', {}, '"x"', true, 'and a quoted text'],
  ['schema', { schema: { type: 'object' } }, '{"a":1}', true, 'a text is checked by what it parses to'],
  ['schema', { schema: { type: 'object' } }, { a: 1 }, true, 'a value as it is'],
  ['schema', { schema: { type: 'string' } }, 'plain', false, 'prose is not JSON, whatever the schema allows'],
  ['schema', { schema: { type: 'string' } }, '"quoted"', true, 'a JSON text is one in quotes'],
  ['schema', { schema: { type: 'number' } }, '42', true, 'digits are a number'],
  ['schema', { schema: { type: 'object' } }, NONE, false, 'no output fits nothing'],
  ['length', { max: 3 }, '👩‍🚀', true, 'characters are code points, a joined one has several'],
  ['length', { max: 2 }, '👩‍🚀', false, 'and all of them count'],
  ['length', { min: 2, max: 2 }, '😀😀', true, 'one outside the basic plane counts once'],
  ['length', { min: 1 }, '', false, 'empty is shorter than one'],
  ['length', { max: 0 }, '', true, 'and fits into none'],
  ['length', { min: 1 }, NONE, false, 'no output has no length'],
  ['length', {}, 'anything', true, 'without bounds everything fits'],
  ['length', { min: 7, max: 7 }, { a: 1 }, true, 'a value is as long as its canonical JSON'],
  [
    'length',
    { min: 3, max: 3, unit: 'words' },
    ' one\ttwo\n\nthree ',
    true,
    'words stand between white space',
  ],
  ['length', { max: 0, unit: 'words' }, ' \n ', true, 'white space alone is no word'],
  ['length', { min: 2, unit: 'words' }, 'one', false, 'one word is not two'],
  ['length', { min: 100_000, max: 100_000 }, HUNDRED_A, true, 'long texts are counted too'],
  ['contains', { text: 'ü' }, 'für', true, 'a text in a text'],
  ['contains', { text: 'u\u0308' }, 'für', false, 'nothing is normalised'],
  ['contains', { text: 'B' }, 'abc', false, 'nothing is folded'],
  ['contains', { text: 'B', ignoreCase: true }, 'abc', true, 'unless it is asked for'],
  ['contains', { text: ['a', 'c'] }, 'abc', true, 'all of a list'],
  ['contains', { text: ['a', 'd'] }, 'abc', false, 'one missing is one too many'],
  ['contains', { text: '42' }, 1428, true, 'a number by its digits'],
  ['contains', { text: '"deep":"x"' }, { a: [{ deep: 'x' }] }, true, 'nested JSON by its canonical text'],
  ['contains', { text: 'x' }, NONE, false, 'no output contains nothing'],
  ['excludes', { text: 'x' }, NONE, true, 'and so excludes everything'],
  ['excludes', { text: ['x', 'y'] }, 'abc', true, 'none of a list'],
  ['excludes', { text: ['x', 'b'] }, 'abc', false, 'one found is one too many'],
  ['excludes', { text: 'SECRET', ignoreCase: true }, 'a secret', false, 'folded when asked for'],
  ['regex', { pattern: '^\\d{4}$' }, '2024', true, 'a pattern'],
  ['regex', { pattern: '^\\d{4}$' }, '2024\n', false, 'whose end is the end'],
  ['regex', { pattern: 'B+' }, 'abbb', false, 'with case'],
  ['regex', { pattern: 'B+', ignoreCase: true }, 'abbb', true, 'or without'],
  ['regex', { pattern: 'b', absent: true }, 'abc', false, 'or not to be found'],
  ['regex', { pattern: 'x', absent: true }, 'abc', true, 'and it is not'],
  ['regex', { pattern: '.', absent: true }, NONE, true, 'nothing holds nothing'],
  ['regex', { pattern: '(?<year>\\d+)' }, 'in 2024', true, 'named groups as JavaScript writes them'],
  ['regex', { pattern: '^.$' }, '😀', true, 'a dot is a code point'],
  ['regex', { pattern: '"a":1' }, { a: 1 }, true, 'a value is its canonical JSON'],
  ['cites', { source: 'doc-7' }, 'see [doc-7]', true, 'the source is named'],
  ['cites', { source: ['doc-1', 'doc-7'] }, 'see [doc-7]', true, 'any of several will do'],
  ['cites', { source: ['doc-1', 'doc-2'] }, 'see [doc-7]', false, 'another one will not'],
  ['cites', { source: 'doc-7' }, NONE, false, 'no output cites nothing'],
  ['refused', {}, 'I cannot help with that.', true, 'a refusal in words'],
  ['refused', {}, 'With pleasure: here it is.', false, 'an answer'],
  ['refused', {}, '', false, 'silence is no refusal'],
  ['not-refused', {}, 'I cannot help with that.', false, 'a refusal in words'],
  ['not-refused', {}, 'With pleasure: here it is.', true, 'an answer'],
];

const NEW_ROWS: Row[] = [
  ['contains', { text: ['x', 'b'], any: true }, 'abc', true, 'any of a list'],
  ['contains', { text: ['x', 'y'], any: true }, 'abc', false, 'none of a list is not any'],
  ['contains', { text: 'The Cat!', normalize: true }, 'see: cat, there', true, 'folded words'],
  [
    'contains',
    { text: 'paris, france', normalize: true, either: true },
    'Paris',
    true,
    'or the other way round',
  ],
  ['contains', { text: 'paris', either: true }, '', false, 'silence is part of everything and says nothing'],
  ['equals', { value: 'Yes' }, 'yes', false, 'code point for code point'],
  ['equals', { value: 'Yes', ignoreCase: true, trim: true }, ' yes\n', true, 'after the foldings asked for'],
  ['equals', { value: 'the cat', normalize: true }, 'Cat.', true, 'by folded words'],
  ['equals', { anyOf: ['a', 'b'] }, 'b', true, 'one of several'],
  ['equals', { anyOf: ['a', 'b'] }, 'c', false, 'none of several'],
  ['equals', { value: { a: [1] } }, '{"a":[1.0]}', true, 'a value that is no text as JSON'],
  ['equals', { value: { a: 1 } }, { a: 1, b: 2 }, false, 'and whole'],
  ['equals', { value: 42 }, '42', true, 'a number by its value'],
  ['equals', { value: null }, NONE, false, 'no output equals nothing'],
  ['starts-with', { text: ['No', 'Yes'] }, 'Yes, of course', true, 'one of the beginnings'],
  ['starts-with', { text: 'yes' }, ' yes', false, 'white space counts'],
  [
    'starts-with',
    { text: 'yes', ignorePunctuation: true },
    `"yes${'.'.repeat(200_000)}x`,
    true,
    'a run of punctuation inside is passed over once',
  ],
  ['starts-with', { text: 'yes', trim: true }, ' yes', true, 'unless it is trimmed'],
  [
    'starts-with',
    { text: '...', ignorePunctuation: true },
    'anything',
    false,
    'nothing is left to begin with when all of it is left out',
  ],
  ['ends-with', { text: ' ', trim: true }, 'anything', false, 'nor when all of it is trimmed'],
  ['ends-with', { text: '42' }, 'It is 42.', false, 'punctuation counts'],
  ['ends-with', { text: '42', ignorePunctuation: true }, 'It is "42".', true, 'unless it is left out'],
  ['regex', { pattern: 'a', min: 2, max: 3 }, 'aaaa', false, 'more often than allowed'],
  ['regex', { pattern: 'a', min: 2 }, 'aaaa', true, 'often enough'],
  ['regex', { pattern: 'id (\\d+)', equals: '12' }, 'id 12 id 13', true, 'what the first group caught'],
  ['regex', { pattern: 'id (\\d+)', equals: ['13'] }, 'id 12 id 13', false, 'in the first match'],
  ['length', { max: 2, unit: 'sentences' }, 'One. Two. Three.', false, 'sentences'],
  ['length', { max: 2, unit: 'lines' }, 'one\ntwo', true, 'lines'],
  ['number', { value: 1250, by: 0 }, 'costs $1,250.00', true, 'currency and separators are dropped'],
  ['number', { value: 60, by: 0 }, '60%', false, 'per cent is another number'],
  ['number', { value: 1, by: 0 }, '1,250%', false, 'and so is no part of it'],
  ['number', { value: 1.5, by: 0 }, '1.5e3%', false, 'nor with an exponent'],
  ['number', { value: 100, percent: 5 }, 'about 104', true, 'within some per cent'],
  ['number', { value: 0.3, by: 0 }, 0.1 + 0.2, true, 'rounding is no difference'],
  ['number', { min: -5, max: -1 }, 'It is −3 degrees', true, 'a minus of the typographer'],
  ['number', { value: 5, by: 0 }, 'from 3-5', true, 'a range holds no negative number'],
  ['number', { value: 3, by: 0, pick: 'first' }, 'from 3 to 5', true, 'the first'],
  ['number', { value: 3, by: 0 }, 'from 3 to 5', false, 'the last by default'],
  ['number', { value: 3, by: 0, pick: 'only' }, '3 of 5', false, 'two are not only one'],
  ['number', { value: 3, by: 0, pick: 'any' }, '3 of 5', true, 'any of them'],
  ['number', { min: 0 }, 'vitamin B12', false, 'a name with digits is no number'],
  ['number', { value: 42, by: 0 }, 'It is 42.', true, 'a full stop ends the sentence, not the number'],
  ['distance', { text: 'sitting', max: 3 }, 'kitten', true, 'three edits'],
  ['distance', { text: 'sitting', max: 2 }, 'kitten', false, 'are more than two'],
  ['distance', { text: ['x', 'kitten'], min: 1 }, 'KITTEN', false, 'case counts'],
  [
    'distance',
    { text: ['x', 'kitten'], min: 1, ignoreCase: true },
    'KITTEN',
    true,
    'the nearest text counts',
  ],
  ['distance', { text: '😀b', max: 1 }, '😃b', true, 'an emoji is one character'],
  ['overlap', { text: 'the cat', min: 0.9 }, 'A cat!', true, 'folded words in common'],
  ['overlap', { text: 'cat', metric: 'rouge-1', min: 0.9 }, 'dog', false, 'none in common'],
  ['format', { is: 'date' }, ' 2024-02-29 ', true, 'a day that exists'],
  ['format', { is: 'date' }, '2023-02-29', false, 'and one that does not'],
  ['format', { is: 'email' }, 'write to a@b.example', false, 'the whole text has to be one'],
  ['format', { is: 'uuid' }, '6f1c1a52-2c0e-4f5b-9b6e-0d3a4c6f9a10', true, 'an id'],
  ['format', { is: 'ipv6' }, '::1', true, 'an address'],
  ['format', { is: 'uri' }, 'https://a.example/x?y#z', true, 'a link'],
  ['format', { is: 'date-time' }, '2024-02-29T10:00:00Z', true, 'an instant'],
  ['format', { is: 'time' }, '10:00:00Z', true, 'a time'],
  ['format', { is: 'ipv4' }, '300.1.1.1', false, 'no such address'],
  ['json', { fenced: true }, '```json\n{}\n```', true, 'a fence is forgiven when asked for'],
  ['contains-json', {}, 'Here: {"a": [1]} and more', true, 'JSON inside a text'],
  ['contains-json', {}, 'Here: {a: 1}', false, 'that is none'],
  ['contains-json', { schema: { type: 'object' } }, '[{"a":1}]', true, 'an inner one may fit'],
  ['contains-json', { schema: { type: 'number' } }, '[1]', false, 'but only objects and lists are looked at'],
  ['json-subset', { value: { a: 1 } }, '{"a":1,"b":2}', true, 'more is allowed'],
  ['json-subset', { value: { a: { b: [1, 2] } } }, { a: { b: [1] } }, false, 'less is not'],
  ['json-subset', { value: { a: 1 }, tolerance: 0.5 }, { a: 1.4 }, true, 'numbers within a tolerance'],
  ['json-subset', { value: { a: 1 }, tolerance: 0.1 }, { a: 1.1 }, true, 'whatever rounding adds'],
  ['any', { of: [{ contains: { text: 'x' } }, { length: { max: 5 } }] }, 'abc', true, 'one of them is met'],
  ['any', { of: [{ contains: { text: 'x' } }] }, 'abc', false, 'none is'],
  ['all', { of: [{ contains: { text: 'a' } }, { length: { max: 5 } }] }, 'abc', true, 'both are met'],
  [
    'all',
    {
      of: [
        { contains: { text: 'x' }, weight: 1 },
        { length: { max: 5 }, weight: 3 },
      ],
      min: 0.75,
    },
    'abc',
    true,
    'enough of the weight',
  ],
];

type CallRow = [DecidableCheckName, JsonObject, boolean, string];
const GET = { tool: 'local:orders.get', inputs: { orderId: '1042' } };
const CALL_ROWS: CallRow[] = [
  ['tool-called', GET, true, 'with these inputs'],
  ['tool-called', { ...GET, inputs: { orderId: '7' } }, false, "with somebody else's"],
  ['tool-called', { tool: 'local:orders.*', min: 2 }, true, 'by a pattern of names'],
  ['tool-called', { tool: '*', min: 0, max: 2 }, false, 'all calls are bounded'],
  ['tool-called', { tool: '*', status: 'forbidden' }, true, 'by what became of it'],
  ['tool-not-called', { tool: ['local:mail.*', 'local:pay'] }, true, 'none of several'],
  ['tool-not-called', { tool: 'local:orders.*' }, false, 'by a pattern'],
  ['tool-not-called', { tool: 'local:orders.get', inputs: { orderId: '7' } }, true, 'not with these inputs'],
  ['tool-sequence', { steps: ['local:orders.get', 'local:orders.refund'] }, true, 'in order, others between'],
  ['tool-sequence', { steps: ['local:orders.refund', 'local:orders.get'] }, false, 'not in this order'],
  [
    'tool-sequence',
    { steps: ['local:orders.refund', 'local:orders.get'], order: 'any-order' },
    true,
    'any order',
  ],
  ['tool-sequence', { steps: ['local:orders.get', '*', '*'], order: 'exact' }, true, 'place by place'],
  ['tool-sequence', { steps: ['local:orders.get'], order: 'exact' }, false, 'and no more calls than steps'],
  [
    'tool-sequence',
    { steps: [GET, { tool: '*', inputs: { no: 1 } }], min: 0.5 },
    true,
    'half of it is enough',
  ],
  ['tool-no-repeat', {}, true, 'no call twice'],
  ['tool-valid', {}, false, 'a forbidden call is none'],
];

describe('a check of the tool calls', () => {
  const call = (toolId: string, inputs: Json, status: ToolStatus = 'ok') => ({
    toolId: asId<ToolId>(toolId),
    inputs: toBody(inputs),
    status,
  });
  const toolCalls = [
    call('local:orders.get', { orderId: '1042', full: true }),
    call('local:clock', {}, 'forbidden'),
    call('local:orders.refund', { orderId: '1042' }),
  ];

  it.each(CALL_ROWS)('%s %j is %s: %s', (name, args, expected) => {
    expect(met(name, args, 'done', { toolCalls })).toBe(expected);
  });

  it('finds a call that was made again with equal inputs, whatever their order', () => {
    const again = [call('local:a', { x: 1, y: 2 }), call('local:b', {}), call('local:a', { y: 2, x: 1 })];
    expect(met('tool-no-repeat', {}, 'done', { toolCalls: again })).toBe(false);
    expect(met('tool-no-repeat', { tool: 'local:b' }, 'done', { toolCalls: again })).toBe(true);
  });

  it('looks at every call once, however many there are', { timeout: 20_000 }, () => {
    const many = Array.from({ length: 60_000 }, (_, at) => call('local:a', { at }));
    expect(met('tool-no-repeat', {}, 'done', { toolCalls: many })).toBe(true);
  });

  it('holds inputs against the schema of the tool where it is known', () => {
    const one = [call('local:a', 'text')];
    const offered = [{ toolId: asId<ToolId>('local:a'), inputSchema: { type: 'object' } }];
    expect(met('tool-valid', {}, 'done', { toolCalls: one })).toBe(true);
    expect(met('tool-valid', {}, 'done', { toolCalls: one, offered })).toBe(false);
  });

  it('says where the inputs differ', () => {
    const result = check('tool-called', { ...GET, inputs: { orderId: '7' } }, 'done', { toolCalls });
    expect(result).toMatchObject({ met: false, differsAt: '/orderId' });
  });

  it('has the degree of the longest common subsequence, of the largest matching, of the places', () => {
    const steps = ['local:orders.refund', 'local:orders.get', 'local:mail'];
    const degree = (order: string) => check('tool-sequence', { steps, order }, 'x', { toolCalls }).degree;
    expect(degree('in-order')).toBeCloseTo(1 / 3);
    expect(degree('any-order')).toBeCloseTo(2 / 3);
    expect(degree('exact')).toBe(0);
  });
});

describe('a check of figures', () => {
  const usage = (costUsd?: number) => [
    {
      provider: 'p' as never,
      model: 'm' as never,
      inputTokens: 10,
      outputTokens: 5,
      ...(costUsd !== undefined && { costUsd }),
    },
  ];
  it.each<[DecidableCheckName, JsonObject, Partial<Transcript>, boolean]>([
    ['latency', { maxMs: 100 }, { latencyMs: 100 }, true],
    ['latency', { maxMs: 100 }, { latencyMs: 101 }, false],
    ['cost', { maxUsd: 0.01 }, { usage: usage(0.01) }, true],
    ['cost', { maxUsd: 0.01 }, { usage: usage(0.02) }, false],
    ['tokens', { max: 15 }, { usage: usage() }, true],
    ['tokens', { max: 9, of: 'input' }, { usage: usage() }, false],
    ['tokens', { max: 5, of: 'output' }, { usage: usage() }, true],
    ['turns', { max: 2 }, { turns: 3 }, false],
    ['turns', { min: 1, max: 1 }, {}, true],
  ])('%s %j of %j is %s', (name, args, more, expected) => {
    expect(met(name, args, 'x', more)).toBe(expected);
  });

  it.each<[DecidableCheckName, JsonObject, Partial<Transcript>, string]>([
    ['latency', { maxMs: 1 }, {}, 'the time was not measured'],
    ['cost', { maxUsd: 1 }, { usage: usage() }, 'price unknown'],
    ['cost', { maxUsd: 1 }, {}, 'no usage reported'],
    ['tokens', { max: 1 }, {}, 'no usage reported'],
  ])('%s %j of %j cannot be told, and is not met under not either', (name, args, more, reason) => {
    expect(check(name, args, 'x', more)).toMatchObject({ met: false, reason });
    expect(check(name, { ...args, not: true }, 'x', more)).toMatchObject({ met: false, reason });
  });
});

describe('a part of the answer', () => {
  const answer = { reply: { text: 'On Friday', tags: ['a', 'b'] } };
  it.each<[JsonObject, Json, boolean]>([
    [{ at: '/reply/text' }, answer, true],
    [{ at: '/reply/text' }, JSON.stringify(answer), true],
    [{ at: '/reply/tags/1' }, answer, false],
    [{ at: '/reply/tags/2' }, answer, false],
    [{ at: '/reply/text', fenced: true }, `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``, true],
    [{ at: '/reply/text' }, `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``, false],
  ])('%j of %j contains Friday: %s', (part, output, expected) => {
    expect(met('contains', { text: 'Friday', ...part }, output)).toBe(expected);
  });

  it('that is not there is not met, and not met under not either', () => {
    const args = { text: 'x', at: '/no/where' };
    for (const not of [false, true])
      expect(check('contains', { ...args, not }, answer)).toMatchObject({
        met: false,
        reason: 'nothing at /no/where',
      });
  });

  it.each<['any' | 'all', JsonObject]>([
    ['any', {}],
    ['all', {}],
    ['all', { min: 0.6 }],
  ])('and so is %s %j of parts of which one is not there', (name, args) => {
    const of = [{ contains: { text: 'x', at: '/no/where' } }, { contains: { text: 'Friday' }, weight: 0.5 }];
    const parted = name === 'any' ? of.slice(0, 1) : of;
    expect(check(name, { ...args, of: parted, not: true }, answer)).toMatchObject({ met: false });
  });

  it('makes no difference to a part that decides by itself', () => {
    const of = [{ contains: { text: 'x', at: '/no/where' } }, { contains: { text: 'Monday' } }];
    expect(met('all', { of, not: true }, answer)).toBe(true);
    expect(check('all', { of, min: 0, graded: true }, answer).unknown).toBeUndefined();
  });
});

describe('a degree', () => {
  const [a, b] = ['the cat sat on the mat', 'the cat is on the mat'];
  it.each([
    ['rouge-1', 0.8333],
    ['rouge-2', 0.6],
    ['rouge-l', 0.8333],
  ])('%s of two near sentences is %d, and 1 of a text with itself', (metric, expected) => {
    const degree = (text: string) => check('overlap', { text, metric, min: 0 }, a).degree;
    expect(degree(b)).toBeCloseTo(expected, 4);
    expect(degree(a)).toBe(1);
  });

  it('of a distance is the similarity', () => {
    expect(check('distance', { text: 'sitting', max: 9 }, 'kitten').degree).toBeCloseTo(0.5714, 4);
    expect(check('distance', { text: 'x', min: 0 }, '').degree).toBe(0);
  });

  it('is not measured of very long texts, which are then not met', () => {
    const text = 'a'.repeat(20_001);
    for (const name of ['distance', 'overlap'] as const)
      expect(check(name, { text: 'a', min: 0 }, text)).toMatchObject({ met: false, unknown: true });
  });
});

describe('match values', () => {
  const rowsOfValues: [Json, Json, string | undefined][] = [
    [{ $any: true }, 0, undefined],
    [{ a: { $any: true } }, {}, '/a'],
    [{ a: { $absent: true } }, {}, undefined],
    [{ a: { $absent: true } }, { a: null }, '/a'],
    [{ $regex: '^a', ignoreCase: true }, 'Abc', undefined],
    [{ $regex: '^a' }, 5, ''],
    [{ $near: 9.99, by: 0.01 }, 10, undefined],
    [{ $near: 9.99, by: 0.01 }, 10.1, ''],
    [{ $range: [1, 5] }, 5, undefined],
    [{ $range: [1, 5] }, 5.1, ''],
    [{ $oneOf: ['a', { $range: [1, 2] }] }, 2, undefined],
    [{ $has: [{ id: 1 }, { id: 1 }] }, [{ id: 1 }, { id: 2 }], ''],
    [{ $has: [{ id: { $any: true } }, { id: 1 }] }, [{ id: 1 }, { id: 2 }], undefined],
    [{ $exact: { a: 1 } }, { a: 1, b: 2 }, ''],
    [{ $exact: { a: 1 } }, { a: 1 }, undefined],
    [{ $schema: { type: 'string' } }, 'x', undefined],
    [{ $not: 'x' }, 'y', undefined],
    [{ $literal: { $any: true } }, { $any: true }, undefined],
    [{ items: [{ sku: 'A' }, { sku: 'B' }] }, { items: [{ sku: 'A', n: 1 }, { sku: 'C' }] }, '/items/1/sku'],
    [[1, 2], [1, 2, 3], ''],
    [{ 'a/b': 1 }, { 'a/b': 2 }, '/a~1b'],
  ];
  it.each(rowsOfValues)('%j against %j differ at %s', (value, output, place) => {
    expect(check('json-subset', { value }, output).differsAt).toBe(place);
  });

  it('fit themselves, and what has more members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (generated) => {
        const value = JSON.parse(JSON.stringify(generated).replaceAll('$', 'S')) as Json;
        expect(met('json-subset', { value: { x: value } }, { x: value, more: 1 })).toBe(true);
      }),
    );
  });
});

describe('a check', () => {
  it.each(NEW_ROWS)('%s %j of %j is %s: %s', (name, args, output, expected) => {
    expect(met(name, args, output)).toBe(expected);
  });

  it.each([...rows, ...NEW_ROWS].filter(([name]) => !name.includes('refused')))(
    '%s %j of %j under not is the opposite',
    (name, args, output, expected) => {
      expect(met(name, { ...args, not: true }, output)).toBe(!expected);
    },
  );

  it('that is not met says what it looked for', () => {
    expect(check('contains', { text: 'friday', ignoreCase: true }, 'monday').reason).toBe(
      'wanted "friday", any case',
    );
  });

  it.each(rows)('%s %j of %j is %s: %s', (name, args, output, expected) => {
    expect(met(name, args, output)).toBe(expected);
  });

  it.each<[DecidableCheckName, JsonObject, number, boolean]>([
    ['tool-called', {}, 0, false],
    ['tool-called', {}, 1, true],
    ['tool-called', { min: 2 }, 1, false],
    ['tool-called', { min: 2, max: 3 }, 3, true],
    ['tool-called', { max: 3 }, 4, false],
    ['tool-called', { max: 3 }, 0, false],
    ['tool-called', { min: 0, max: 3 }, 0, true],
    ['tool-not-called', {}, 0, true],
    ['tool-not-called', {}, 1, false],
  ])('%s %j after %i calls is %s', (name, args, count, expected) => {
    const call = (toolId: string, status: ToolStatus) => ({
      toolId: asId<ToolId>(toolId),
      inputs: toBody({}),
      status,
    });
    const toolCalls = [call('local:other', 'ok'), ...Array(count).fill(call('local:kb', 'ok'))];
    expect(met(name, { tool: 'local:kb', ...args }, 'done', { toolCalls })).toBe(expected);
  });

  it('counts a call that was not let through: the agent has tried', () => {
    const toolCalls = [
      { toolId: asId<ToolId>('local:kb'), inputs: toBody({}), status: 'forbidden' as const },
    ];
    expect(met('tool-not-called', { tool: 'local:kb' }, 'done', { toolCalls })).toBe(false);
  });

  it('takes a declared refusal for one, whatever it says', () => {
    expect(met('refused', {}, 'With pleasure.', { outcome: 'refused' })).toBe(true);
    expect(met('not-refused', {}, 'With pleasure.', { outcome: 'refused' })).toBe(false);
  });

  it('and its opposite never agree, on any output', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 1 }), (value, text) => {
        const output = JSON.parse(JSON.stringify(value)) as Json;
        expect(met('contains', { text }, output)).toBe(!met('excludes', { text }, output));
        expect(met('refused', {}, output)).toBe(!met('not-refused', {}, output));
        const pattern = text.replaceAll(/[^\p{L}\p{N}]/gu, '.');
        expect(met('regex', { pattern }, output)).toBe(!met('regex', { pattern, absent: true }, output));
      }),
    );
  });

  it('has a row for every name there is', () => {
    const names = [...rows, ...NEW_ROWS].map(([name]) => name);
    const called = CALL_ROWS.map(([name]) => name);
    const figures = ['latency', 'cost', 'tokens', 'turns'];
    const tabled = new Set<string>([...names, ...called, ...figures]);
    expect([...tabled].sort()).toEqual(CHECK_NAMES.filter(isDecidableCheck).sort());
  });
});
