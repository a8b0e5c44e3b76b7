import { asId, type Json, type JsonObject, type ToolId, validationError } from '@touchstone/protocol';
import {
  type ContractTask,
  fromBody,
  type LengthBound,
  type ToolStatus,
  toBody,
} from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import type { AppliedCriterion } from './applied.js';
import { type DecidableEvaluator, type EvaluatorParts, evaluate } from './evaluators.js';

/** Knows one kind of schema, `{"type": …}` by the name JavaScript has for it, and refuses those without a type. */
const parts: EvaluatorParts = {
  schemaCheck({ type }, body) {
    if (type === undefined) throw validationError([{ pointer: '', message: 'is no schema' }]);
    return typeof fromBody(body) === type ? [] : [{ pointer: '/x', message: 'is of another type' }];
  },
};

type More = {
  readonly criterion?: Partial<AppliedCriterion['criterion']>;
  readonly task?: Partial<ContractTask>;
  readonly calls?: readonly (readonly [string, ToolStatus])[];
  readonly latencyMs?: number;
  readonly parts?: Partial<EvaluatorParts>;
};

function degreeOf(evaluator: DecidableEvaluator, output: Json, more: More = {}): number {
  const criterion: AppliedCriterion['criterion'] = {
    id: 'c',
    name: 'c',
    strict: true,
    evaluator,
    class: 'binary',
    direction: 'max',
    rate: 1,
    ...more.criterion,
  };
  const toolCalls = (more.calls ?? []).map(([tool, status]) => ({
    toolId: asId<ToolId>(tool),
    inputs: toBody({}),
    status,
  }));
  const transcript = { toolCalls, ...(more.latencyMs !== undefined && { latencyMs: more.latencyMs }) };
  const held = { criterion, task: { criteria: ['c'], ...more.task }, transcript, output };
  return evaluate(evaluator, held, { ...parts, ...more.parts }).degree;
}

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const reference = (value: Json, match?: ContractTask['match']): More => ({
  task: { reference: value, ...(match && { match }) },
});
const schema = (type: string): More => ({ task: { schema: { type } } });
const forbidden = (...words: readonly string[]): More => ({ task: { forbidden: words } });
const bound = (most: number, unit: LengthBound['unit'], inclusive: boolean, more: object = {}): More => ({
  criterion: { bound: { most, unit, inclusive }, ...more },
});
const fenced: More = { criterion: { fenceTolerant: true } };

type Row = [DecidableEvaluator, Json, More, number, string];
const rows: readonly Row[] = [
  ['json-validity', '', {}, 0, 'an empty text is no JSON'],
  ['json-validity', '{"a":1', {}, 0, 'nor is half an object'],
  ['json-validity', '{} {}', {}, 0, 'nor two'],
  ['json-validity', ' {"a":[null]}\n', {}, 1, 'the whole text is'],
  ['json-validity', 'null', {}, 1, 'null is'],
  ['json-validity', { a: 1 }, {}, 1, 'a value is JSON already'],
  ['json-validity', null, {}, 1, 'null too'],
  ['json-validity', deep(5_000), {}, 1, 'however deep'],
  ['json-validity', '```json\n{}\n```', {}, 0, 'a fence is not part of JSON'],
  ['json-validity', '```json\n{}\n```', fenced, 1, 'unless the contract tolerates one'],
  ['json-validity', '```\n```json\n{}\n```\n```', fenced, 0, 'but not two'],
  ['json-validity', 'See:\n```json\n{}\n```', fenced, 0, 'nor words before it'],
  ['json-validity', '```', fenced, 0, 'nor half of one'],

  ['schema-validity', '{"a":1}', schema('object'), 1, 'a text is checked by what it parses to'],
  ['schema-validity', 'prose', schema('string'), 0, 'prose is not JSON, whatever the schema allows'],
  ['schema-validity', '7', schema('object'), 0, 'and must fit'],
  ['schema-validity', { a: 1 }, schema('object'), 1, 'a value as it is'],
  ['schema-validity', deep(5_000), schema('object'), 0, 'nothing without end is worked with'],
  ['schema-validity', 7, { parts: { returnSchema: { type: 'number' } } }, 1, 'what the agent promises'],
  [
    'schema-validity',
    7,
    { task: { schema: { type: 'string' } }, parts: { returnSchema: { type: 'number' } } },
    0,
    'the row goes before the agent',
  ],
  ['schema-validity', {}, {}, 0, 'without a schema nothing fits'],
  ['schema-validity', {}, { task: { schema: {} } }, 0, 'nor does anything fit one that cannot be used'],

  ['reference-match', 'Paris', reference('Paris'), 1, 'a text is compared exactly'],
  ['reference-match', 'paris', reference('Paris'), 0, 'so case counts'],
  ['reference-match', '', reference(''), 1, 'nothing may be expected'],
  ['reference-match', '{"b":2,"a":1}', reference({ a: 1, b: 2 }), 1, 'anything else as JSON'],
  ['reference-match', 'It is Paris.', reference('Paris', 'contains'), 1, 'the row may say how'],
  ['reference-match', 'Rome', reference(['Paris', 'Rome']), 1, 'a list is a choice'],
  ['reference-match', '1', reference(['Paris', 1]), 1, 'of whatever kind'],
  ['reference-match', ['Paris'], reference([['Paris']], 'json-match'), 1, 'a list inside it is an answer'],
  ['reference-match', 'Paris', reference([['Paris']], 'json-match'), 0, 'and not a choice again'],
  ['reference-match', ['Paris', 'Rome'], reference(['Paris', 'Rome']), 0, 'all of a choice is none of it'],
  ['reference-match', '', reference([]), 0, 'an empty choice has no right answer'],
  ['reference-match', '', {}, 0, 'nor has a row without one'],
  ['reference-match', null, reference(null), 1, 'null may be expected'],

  ['normalized-match', 'The  PARIS.', reference('paris'), 1, 'but for folding'],
  ['normalized-match', 'In Paris, France', reference('paris', 'contains'), 1, 'as the row says'],
  ['normalized-match', 'In Paris', reference('paris'), 0, 'the whole answer otherwise'],
  ['normalized-match', '{"b":"X","a":1}', reference({ a: 1, b: 'x' }), 1, 'JSON by its canonical text'],
  ['normalized-match', true, reference('True'), 1, 'a value by its text'],
  ['normalized-match', 'x', reference(['y', 'X!']), 1, 'any of a list'],
  ['normalized-match', '', {}, 0, 'not without a reference'],

  ['contains', 'It is Paris.', reference('Paris'), 1, 'a text in a text'],
  ['contains', 'It is paris.', reference('Paris'), 0, 'as it is written'],
  ['contains', ['Paris', 'Rome'], reference('Rome'), 1, 'an element of a list'],
  ['contains', { city: 'Paris' }, reference('"city":"Paris"'), 1, 'a value by its canonical text'],
  ['contains', 'Rome', reference(['Paris', 'Rome']), 1, 'any of a list'],
  ['contains', 'Rome', {}, 0, 'not without a reference'],

  ['forbidden-content', 'All fine.', forbidden('secret'), 1, 'nothing of it is there'],
  ['forbidden-content', 'A SECRET.', forbidden('x', 'Secret'), 0, 'in whatever case'],
  ['forbidden-content', 'ΟΔΟΣΑ', forbidden('ΟΔΟΣ'), 0, 'also where a letter has two small forms'],
  ['forbidden-content', 'cafe\u0301', forbidden('caf\u00e9'), 0, 'however an accent is encoded'],
  ['forbidden-content', { a: ['say "no"'] }, forbidden('say "NO"'), 0, 'inside a value, without its escapes'],
  ['forbidden-content', { secret: 1 }, forbidden('secret'), 0, 'names of members included'],
  ['forbidden-content', '{"a":"s\\u0065cret"}', forbidden('secret'), 0, 'and inside JSON in a text'],
  ['forbidden-content', '', forbidden('secret'), 1, 'an empty answer holds nothing'],
  ['forbidden-content', 'x', forbidden(''), 1, 'nothing is forbidden by nothing'],
  ['forbidden-content', 'x', {}, 1, 'nor where the row forbids nothing'],

  ['non-empty', '', {}, 0, 'an empty text'],
  ['non-empty', ' \t\n\u00a0', {}, 0, 'white space'],
  ['non-empty', '\u200b\ufeff', {}, 0, 'and what nobody can see'],
  ['non-empty', '.', {}, 1, 'a mark is something'],
  ['non-empty', null, {}, 0, 'null is nothing'],
  ['non-empty', {}, {}, 0, 'so is an empty object'],
  ['non-empty', [], {}, 0, 'and an empty list'],
  ['non-empty', [''], {}, 1, 'but not one with an item'],
  ['non-empty', 0, {}, 1, 'a number is something'],
  ['non-empty', false, {}, 1, 'so is no'],

  ['token-f1', 'cat sat mat', reference('the cat sat'), 0.8, 'the share of common words'],
  ['token-f1', 'cat', reference(['dog', 'cat']), 1, 'with the nearest of a list'],
  ['token-f1', { pet: 'cat' }, reference('cat pet'), 1, 'a value by its words'],
  ['token-f1', 'cat', {}, 0, 'not without a reference'],

  ['conciseness', 'one two', bound(2, 'words', true), 1, 'at most two'],
  ['conciseness', 'one two', bound(2, 'words', false), 0, 'fewer than two'],
  ['conciseness', 'one', bound(2, 'words', false), 1, 'one is fewer'],
  ['conciseness', 'one two three', bound(2, 'words', true), 0, 'three are more'],
  ['conciseness', '', bound(2, 'words', true), 1, 'nothing is short'],
  ['conciseness', { a: 1 }, bound(7, 'characters', true), 1, 'a value by its canonical text'],
  ['conciseness', 'a b c d', bound(2, 'words', true, { class: 'graded' }), 0.5, 'twice as long is half'],
  ['conciseness', 'a', bound(2, 'words', true, { class: 'graded' }), 1, 'shorter is no more than all of it'],
  ['conciseness', '', bound(0, 'words', true, { class: 'graded' }), 1, 'nothing fits into nothing'],
  ['conciseness', 'a', {}, 0, 'without a bound nothing is within it'],

  ['latency', '', { latencyMs: 100, criterion: { latencyMs: 100 } }, 1, 'at the bound'],
  ['latency', '', { latencyMs: 101, criterion: { latencyMs: 100 } }, 0, 'above it'],
  ['latency', '', { latencyMs: 0, criterion: { latencyMs: 0 } }, 1, 'no time is a bound too'],
  ['latency', '', { latencyMs: 10, parts: { expectedLatencyMs: 20 } }, 1, 'the bound of the profile'],
  [
    'latency',
    '',
    { latencyMs: 10, criterion: { latencyMs: 5 }, parts: { expectedLatencyMs: 20 } },
    0,
    'its own goes first',
  ],
  ['latency', '', { criterion: { latencyMs: 100 } }, 0, 'what nobody measured is not short'],
  ['latency', '', { latencyMs: 1 }, 0, 'nor is anything without a bound'],

  [
    'tool-usage',
    '',
    {
      task: { tools: ['a', 'b'] },
      calls: [
        ['a', 'ok'],
        ['b', 'error'],
      ],
    },
    1,
    'all were called',
  ],
  [
    'tool-usage',
    '',
    {
      task: { tools: ['a', 'b'] },
      calls: [
        ['a', 'ok'],
        ['c', 'ok'],
      ],
    },
    0,
    'one was not',
  ],
  ['tool-usage', '', { task: { tools: ['a'] }, calls: [['a', 'forbidden']] }, 0, 'a refused call is none'],
  ['tool-usage', '', { task: { tools: [] } }, 1, 'none were expected'],
];

describe('an evaluator', () => {
  it.each(rows)('%s of %j with %j gives %d: %s', (evaluator, output, more, degree) => {
    expect(degreeOf(evaluator, output, more)).toBeCloseTo(degree, 12);
  });

  it('does not swallow trouble that is not the schema’s', () => {
    const schemaCheck = (_: JsonObject): never => {
      throw new TypeError('a mistake of ours');
    };
    const more = { ...schema('object'), parts: { schemaCheck } };
    expect(() => degreeOf('schema-validity', {}, more)).toThrow(TypeError);
  });
});
