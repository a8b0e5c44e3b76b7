import { EVALUATORS } from '@touchstone/protocol';
import type { ContractCriterion, SuccessCriterion } from '@touchstone/protocol/bodies';
import { describe, expect, test } from 'vitest';
import { planCriteria } from './criteria.js';
import { criterion, profile } from './fixtures/agents.js';
import type { CompileOptions } from './options.js';
import { lengthBoundOf } from './thresholds.js';

const plan = (source: SuccessCriterion, options: CompileOptions = {}, latency: number | null = null) =>
  planCriteria(profile({ grading_rubric: [source], expected_latency_ms: latency }), '/r', options);

type Measured = Omit<ContractCriterion, 'id' | 'name' | 'description' | 'threshold' | 'strict'>;

/** How a criterion is measured, without what its author wrote. */
function measured(source: SuccessCriterion, options?: CompileOptions, latency?: number | null): Measured {
  const compiled = plan(source, options, latency).criteria[0]?.criterion;
  if (!compiled) throw new Error('expected a criterion');
  const { id: _, name: __, description: ___, threshold: ____, strict: _____, ...rest } = compiled;
  return rest;
}

const binary = (evaluator: string, rate = 1) => ({ evaluator, class: 'binary', direction: 'max', rate });
const graded = (evaluator: string, degree: number, direction = 'max') => ({
  evaluator,
  class: 'graded',
  direction,
  rate: 1,
  degree,
});

describe('every well-known name', () => {
  test.each([
    ['json_validity', binary('json-validity', 0.9)],
    ['valid_json', binary('json-validity', 0.9)],
    ['json_schema_validity', binary('schema-validity', 0.9)],
    ['schema_validity', binary('schema-validity', 0.9)],
    ['exact_match', binary('reference-match', 0.9)],
    ['accuracy', binary('reference-match', 0.9)],
    ['correctness', binary('reference-match', 0.9)],
    ['reference_match', binary('reference-match', 0.9)],
    ['normalized_match', binary('normalized-match', 0.9)],
    ['contains', binary('contains', 0.9)],
    ['forbidden_content', binary('forbidden-content', 0.9)],
    ['non_empty', binary('non-empty', 0.9)],
    ['f1_score', graded('token-f1', 0.9)],
    ['token_f1', graded('token-f1', 0.9)],
    ['semantic_similarity', graded('similarity', 0.9)],
    ['similarity', graded('similarity', 0.9)],
    ['tool_usage', binary('tool-usage', 0.9)],
    ['hallucination_rate', graded('judge', 0.9, 'min')],
    ['error_rate', graded('judge', 0.9, 'min')],
    ['toxicity', graded('judge', 0.9, 'min')],
    ['refusal_rate', graded('judge', 0.9, 'min')],
    ['latency', { ...binary('latency', 0.9), latencyMs: 700 }],
    ['latency_ms', { ...binary('latency', 0.9), latencyMs: 700 }],
    ['response_time', { ...binary('latency', 0.9), latencyMs: 700 }],
    ['factuality', graded('judge', 0.9)],
    ['constructor', graded('judge', 0.9)],
  ])('%s', (name, expected) => {
    expect(measured(criterion(name, { threshold: 0.9 }), {}, 700)).toEqual(expected);
    const spoken = name.toUpperCase().replace('_', ' ').replace('_', '-');
    expect(measured(criterion(spoken, { threshold: 0.9 }), {}, 700)).toEqual(expected);
  });

  test('the table and this test leave no evaluator out', () => {
    const names = [
      'response_conciseness',
      'latency',
      'tool_usage',
      'similarity',
      'f1_score',
      'non_empty',
      'x',
    ];
    names.push(
      'json_validity',
      'schema_validity',
      'accuracy',
      'normalized_match',
      'contains',
      'forbidden_content',
    );
    const description = 'Under 9 words.';
    const found = names.map((name) => measured(criterion(name, { description }), {}, 5).evaluator);
    expect(found.sort()).toEqual([...EVALUATORS].sort());
  });
});

describe('thresholds', () => {
  test('without one, a binary criterion must be met everywhere and a graded one by half', () => {
    expect(measured(criterion('accuracy'))).toEqual(binary('reference-match'));
    expect(measured(criterion('factuality'))).toEqual(graded('judge', 0.5));
    expect(measured(criterion('token_f1'))).toEqual(graded('token-f1', 0.5));
  });

  test.each([
    { name: 'latency', threshold: 1200, latencyMs: 1200, rate: 1 },
    { name: 'latency', threshold: 1, latencyMs: 700, rate: 1 },
    { name: 'latency', threshold: 0.95, latencyMs: 700, rate: 0.95 },
    { name: 'latency_ms', threshold: null, latencyMs: 700, rate: 1 },
  ])('$name with threshold $threshold allows $latencyMs ms', ({ name, threshold, latencyMs, rate }) => {
    expect(measured(criterion(name, { threshold }), {}, 700)).toEqual({
      ...binary('latency', rate),
      latencyMs,
    });
  });

  test.each([
    { name: 'accuracy', threshold: 1.5, code: 'threshold_out_of_range' },
    { name: 'factuality', threshold: 100, code: 'threshold_out_of_range' },
    { name: 'toxicity', threshold: -0.1, code: 'threshold_out_of_range' },
    { name: 'latency', threshold: null, code: 'latency_bound_missing' },
    { name: 'latency', threshold: 0.9, code: 'latency_bound_missing' },
  ])('$name with threshold $threshold is refused: $code', ({ name, threshold, code }) => {
    expect(plan(criterion(name, { threshold })).issues).toMatchObject([{ code, pointer: '/r/0/threshold' }]);
  });

  test.each([
    { name: 'accuracy', threshold: 0, codes: ['threshold_always_met'] },
    { name: 'factuality', threshold: -1.5, codes: ['threshold_always_met'] },
    { name: 'toxicity', threshold: 0, codes: ['lower_is_better'] },
    { name: 'toxicity', threshold: 1, codes: ['lower_is_better', 'threshold_always_met'] },
    { name: 'hallucination_rate', threshold: null, codes: ['lower_is_better'] },
    { name: 'accuracy', threshold: 1, codes: [] },
  ])('$name with threshold $threshold is remarked on: $codes', ({ name, threshold, codes }) => {
    const { issues, warnings } = plan(criterion(name, { threshold }));
    expect(issues).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });

  test('above 1 they are percentages when asked, except where they are milliseconds', () => {
    const percent = { percentThresholds: true };
    expect(measured(criterion('accuracy', { threshold: 95 }), percent)).toEqual(
      binary('reference-match', 0.95),
    );
    expect(measured(criterion('accuracy', { threshold: 0.95 }), percent).rate).toBe(0.95);
    expect(measured(criterion('latency', { threshold: 95 }), percent)).toMatchObject({
      latencyMs: 95,
      rate: 1,
    });
    expect(plan(criterion('accuracy', { threshold: 101 }), percent).issues).toHaveLength(1);
  });

  test('the contract keeps the threshold as it was written', () => {
    const { criteria } = plan(criterion('accuracy', { threshold: 95 }), { percentThresholds: true });
    expect(criteria[0]?.criterion.threshold).toBe(95);
  });
});

describe('conciseness', () => {
  const bound = { most: 50, unit: 'words', inclusive: false };

  test.each([
    {
      description: 'Ensure the response is under 50 words.',
      threshold: null,
      expected: { ...binary('conciseness'), bound },
    },
    { description: 'Under 50 words.', threshold: 1, expected: { ...binary('conciseness'), bound } },
    { description: 'Under 50 words.', threshold: 0.8, expected: { ...graded('conciseness', 0.8), bound } },
    { description: 'Under 50 words.', threshold: 50, expected: { ...binary('conciseness'), bound } },
    {
      description: null,
      threshold: 30,
      expected: { ...binary('conciseness'), bound: { most: 30, unit: 'words', inclusive: true } },
    },
    { description: 'Be brief.', threshold: 0.7, expected: graded('judge', 0.7) },
    { description: null, threshold: null, expected: graded('judge', 0.5) },
  ])('"$description" with threshold $threshold', ({ description, threshold, expected }) => {
    expect(measured(criterion('conciseness', { description, threshold }))).toEqual(expected);
    expect(measured(criterion('response_conciseness', { description, threshold }))).toEqual(expected);
  });

  test('whoever states no bound, or two, is told what counts', () => {
    const codes = (description: string, threshold: number | null) =>
      plan(criterion('conciseness', { description, threshold })).warnings.map(({ code }) => code);
    expect(codes('Be brief.', null)).toEqual(['bound_not_found']);
    expect(codes('Under 50 words.', 60)).toEqual(['bound_disagrees']);
  });

  test('a percentage of a stated bound is a degree', () => {
    const source = criterion('conciseness', { description: 'Under 50 words.', threshold: 80 });
    expect(measured(source, { percentThresholds: true })).toEqual({ ...graded('conciseness', 0.8), bound });
  });

  test.each([
    ['Answer in under 40 words.', 40, 'words', false],
    ['less than 1,500 characters', 1500, 'characters', false],
    ['AT MOST 3 Sentences', 3, 'sentences', true],
    ['up to 12 lines', 12, 'lines', true],
    ['no more than\n1 word', 1, 'words', true],
    ['Keep within 12,345,678 characters of text', 12_345_678, 'characters', true],
    ['A summary of at most 200-word length, under 5 lines', 200, 'words', true],
  ])('%s', (description, most, unit, inclusive) => {
    expect(lengthBoundOf(description)).toEqual({ most, unit, inclusive });
  });

  test.each([
    'about 50 words',
    'under fifty words',
    'under 50 tokens',
    'thunder 50 words',
    'under 50 wordsmiths',
    '',
  ])('no bound is read from "%s"', (description) => {
    expect(lengthBoundOf(description)).toBeUndefined();
  });
});

describe('options of single criteria', () => {
  test('code fences and word-by-word similarity are tolerated only when asked', () => {
    const options = { fenceTolerant: true, approximateSimilarity: true };
    expect(measured(criterion('json_validity'), options)).toEqual({
      ...binary('json-validity'),
      fenceTolerant: true,
    });
    expect(measured(criterion('similarity'), options)).toEqual({
      ...graded('similarity', 0.5),
      approximate: true,
    });
    expect(measured(criterion('accuracy'), options)).toEqual(binary('reference-match'));
  });
});

describe('names', () => {
  const idsOf = (...names: readonly string[]) =>
    planCriteria(profile({ grading_rubric: names.map((name) => criterion(name)) }), '/r', {});

  test('ids are short slugs, each its own', () => {
    const long = 'x'.repeat(100);
    const { criteria } = idsOf('Café Tone!', 'cafe.tone', '日本', long, `${long}y`);
    expect(criteria.map(({ criterion: { id } }) => id)).toEqual([
      'cafe-tone',
      'cafe-tone-2',
      'criterion',
      'x'.repeat(64),
      `${'x'.repeat(62)}-2`,
    ]);
  });

  test('the match that the compiler adds gives way to one that the author wrote', () => {
    expect(idsOf('reference_match').golden.criterion.id).toBe('reference-match-2');
  });

  test('empty and repeated names are refused, all at once', () => {
    expect(idsOf('Tone', ' ', 'accuracy', 'TONE').issues).toMatchObject([
      { code: 'empty_criterion_name', pointer: '/r/1/name' },
      { code: 'duplicate_criterion', pointer: '/r/3/name' },
    ]);
  });
});
