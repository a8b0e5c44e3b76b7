import { asId, type Json, type JsonObject, type ToolId } from '@touchstone/protocol';
import { CHECK_NAMES, type CheckName, fromBody, type ToolStatus, toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAtOnce, type Transcript } from '../../ports/index.js';
import { type CheckParts, decideChecks } from './checks.js';

/** Knows one kind of schema: `{"type": …}` by the name JavaScript has for it. */
const parts: CheckParts = {
  schemaCheck: ({ type }, body) =>
    typeof fromBody(body) === type ? [] : [{ pointer: '', message: 'is of another type' }],
  check: checkAtOnce,
};

const NONE = Symbol('no output');
const transcriptOf = (output: Json | typeof NONE, more: Partial<Transcript> = {}): Transcript => ({
  outcome: 'completed',
  toolCalls: [],
  seed: '0.0',
  ...(output !== NONE && { output: toBody(output) }),
  ...more,
});
const met = async (
  name: CheckName,
  args: JsonObject,
  output: Json | typeof NONE,
  more?: Partial<Transcript>,
): Promise<boolean | undefined> =>
  (await decideChecks([{ name, args }], transcriptOf(output, more), parts))[0];

type Row = [CheckName, JsonObject, Json | typeof NONE, boolean, string];
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

describe('a check', () => {
  it.each(rows)('%s %j of %j is %s: %s', async (name, args, output, expected) => {
    expect(await met(name, args, output)).toBe(expected);
  });

  it.each<[CheckName, JsonObject, number, boolean]>([
    ['tool-called', {}, 0, false],
    ['tool-called', {}, 1, true],
    ['tool-called', { min: 2 }, 1, false],
    ['tool-called', { min: 2, max: 3 }, 3, true],
    ['tool-called', { max: 3 }, 4, false],
    ['tool-called', { max: 3 }, 0, false],
    ['tool-called', { min: 0, max: 3 }, 0, true],
    ['tool-not-called', {}, 0, true],
    ['tool-not-called', {}, 1, false],
  ])('%s %j after %i calls is %s', async (name, args, count, expected) => {
    const call = (toolId: string, status: ToolStatus) => ({
      toolId: asId<ToolId>(toolId),
      inputs: toBody({}),
      status,
    });
    const toolCalls = [call('local:other', 'ok'), ...Array(count).fill(call('local:kb', 'ok'))];
    expect(await met(name, { tool: 'local:kb', ...args }, 'done', { toolCalls })).toBe(expected);
  });

  it('counts a call that was not let through: the agent has tried', async () => {
    const toolCalls = [
      { toolId: asId<ToolId>('local:kb'), inputs: toBody({}), status: 'forbidden' as const },
    ];
    expect(await met('tool-not-called', { tool: 'local:kb' }, 'done', { toolCalls })).toBe(false);
  });

  it('takes a declared refusal for one, whatever it says', async () => {
    expect(await met('refused', {}, 'With pleasure.', { outcome: 'refused' })).toBe(true);
    expect(await met('not-refused', {}, 'With pleasure.', { outcome: 'refused' })).toBe(false);
  });

  it('and its opposite never agree, on any output', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string({ minLength: 1 }), async (value, text) => {
        const output = JSON.parse(JSON.stringify(value)) as Json;
        expect(await met('contains', { text }, output)).toBe(!(await met('excludes', { text }, output)));
        expect(await met('refused', {}, output)).toBe(!(await met('not-refused', {}, output)));
        const pattern = text.replaceAll(/[^\p{L}\p{N}]/gu, '.');
        expect(await met('regex', { pattern }, output)).toBe(
          !(await met('regex', { pattern, absent: true }, output)),
        );
      }),
    );
  });

  it('has a row for every name there is', () => {
    const tabled = new Set<string>([...rows.map(([name]) => name), 'tool-called', 'tool-not-called']);
    expect([...tabled].sort()).toEqual([...CHECK_NAMES].sort());
  });
});
