import type { Json, JsonObject } from '@touchstone/protocol';
import type { SuccessCriterion } from '@touchstone/protocol/bodies';
import { describe, expect, test } from 'vitest';
import { agent, criterion, profile, rubricAgent } from './fixtures/agents.js';
import { codesOf, compile, type Row, rubricOf } from './fixtures/compiling.js';

const tone = criterion('tone', { description: 'Polite.' });
const soft = criterion('style', { strict: false });

describe('the kind of a task', () => {
  test('a row without criteria is compared with its expected value', async () => {
    const { suite, contract } = await compile(agent(profile()), [
      { input: 'a', expected: 'A' },
      { input: 'b', expected: { n: 1 }, reference: 'ignored' },
      { input: 'c', expected: ['x', 'y'], match: 'contains' },
    ]);
    expect(suite.modes).toEqual(['golden']);
    expect(suite.thresholds).toEqual({ passScore: 1 });
    expect(suite.tasks.map(({ taskId, expected }) => [taskId, expected])).toEqual([
      ['row-0001', { kind: 'golden', match: { strategy: 'exact', value: 'A' } }],
      ['row-0002', { kind: 'golden', match: { strategy: 'json-match', value: { n: 1 } } }],
      ['row-0003', { kind: 'golden', match: { strategy: 'contains', value: ['x', 'y'] } }],
    ]);
    expect(contract.criteria).toEqual([
      {
        id: 'reference-match',
        name: 'reference_match',
        strict: true,
        evaluator: 'reference-match',
        class: 'binary',
        direction: 'max',
        rate: 1,
        implicit: true,
      },
    ]);
    expect(contract.tasks['row-0003']).toEqual({
      criteria: ['reference-match'],
      reference: [['x', 'y']],
      match: 'contains',
    });
  });

  test('an expected value that no criterion reads is matched besides, as the option says', async () => {
    const rows = [{ id: 'a', input: 'q', expected: 'A' }];
    const weights = async (implicitReference: 'strict' | 'advisory' | 'off') => {
      const compiled = await compile(rubricAgent(tone), rows, { implicitReference });
      const rubric = rubricOf(compiled);
      return [rubric.map(({ weight }) => weight), compiled.contract.tasks.a?.criteria, rubric[1]?.criterion];
    };
    expect(await weights('strict')).toEqual([
      [0.5, 0.5],
      ['tone', 'reference-match'],
      'reference_match: The answer equals the reference, character for character. Reference: A',
    ]);
    expect(await weights('advisory')).toEqual([
      [1, 0],
      ['tone', 'reference-match-advisory'],
      'reference_match (advisory): The answer equals the reference, character for character. Reference: A',
    ]);
    expect(await weights('off')).toEqual([[1], ['tone'], undefined]);
    expect(codesOf(await compile(rubricAgent(tone), rows, { implicitReference: 'off' }))).toEqual([
      'expected_unused',
    ]);
  });

  test('where a criterion reads the reference, or a judge is told to, nothing is added', async () => {
    const readers = [
      criterion('accuracy'),
      criterion('contains'),
      criterion('token_f1'),
      criterion('similarity', { strict: false }),
      criterion('completeness', { description: 'Every point of the reference is made.' }),
    ];
    for (const reader of readers) {
      const { contract, suite } = await compile(rubricAgent(reader), [
        { id: 'a', input: 'q', expected: 'A' },
      ]);
      expect(contract.tasks.a).toMatchObject({ criteria: [contract.criteria[0]?.id], reference: 'A' });
      expect(JSON.stringify(suite.tasks[0]?.expected)).toContain('Reference: A');
    }
  });

  test('split, a row becomes a golden and a rubric task', async () => {
    const { suite, contract } = await compile(
      rubricAgent(tone, criterion('accuracy')),
      [
        { id: 'a', input: 'q', expected: 'A', tools: [{ tool: 'local:x', response: 1 }] },
        { id: 'b', input: 'q' },
      ],
      { split: true },
    );
    expect(suite.modes).toEqual(['golden', 'rubric']);
    expect(
      suite.tasks.map(({ taskId, expected, fixtures }) => [taskId, expected.kind, fixtures !== undefined]),
    ).toEqual([
      ['a', 'golden', true],
      ['a-rubric', 'rubric', true],
      ['b', 'rubric', false],
    ]);
    expect(contract.tasks['a-rubric']?.criteria).toEqual(['tone', 'accuracy']);
  });
});

describe('weights', () => {
  const weightsOf = async (rows: readonly Row[], ...criteria: readonly SuccessCriterion[]) => {
    const compiled = await compile(rubricAgent(...criteria), rows);
    return rows.map((_, index) => rubricOf(compiled, index).map(({ weight }) => weight));
  };

  test('hard criteria share the weight, soft ones have none unless they are alone', async () => {
    const rows = [
      { input: 1 },
      { input: 2, criteria: ['tone'] },
      { input: 3, criteria: ['style', 'humour'] },
    ];
    const humour = criterion('humour', { strict: false });
    expect(await weightsOf(rows, tone, soft, criterion('factuality'), humour)).toEqual([
      [0.5, 0, 0.5, 0],
      [1],
      [0.5, 0.5],
    ]);
  });

  test('a suite that only warns blocks nothing, and says so', async () => {
    const compiled = await compile(rubricAgent(soft), [{ input: 1 }]);
    expect(compiled.suite.thresholds.passScore).toBe(0);
    expect(codesOf(compiled)).toEqual(['nothing_blocks']);
  });

  test.each([
    ['no criterion is strict', soft, null, /^No criterion is strict .* every run passes\.$/],
    [
      'the latency is a threshold',
      soft,
      500,
      /^No criterion is strict .* only the latency can fail a run, whatever its answers\.$/,
    ],
    [
      'a strict one may be missed throughout',
      criterion('non_empty', { threshold: 0 }),
      null,
      /^What is strict may be missed in every task, .* every run passes\.$/,
    ],
  ])('what blocks is told as it is where %s', async (_, rule, expected_latency_ms, told) => {
    const promising = agent(profile({ grading_rubric: [rule], expected_latency_ms }));
    const { warnings } = await compile(promising, [{ input: 1 }]);
    expect(warnings.find(({ code }) => code === 'nothing_blocks')?.message).toMatch(told);
  });

  test('rows that only warn lower the pass score by what they could lose', async () => {
    const rows = [
      { input: 1, criteria: ['tone'] },
      ...[2, 3, 4].map((input) => ({ input, criteria: ['style'] })),
    ];
    expect((await compile(rubricAgent(tone, soft), rows)).suite.thresholds.passScore).toBe(0.25);
  });
});

describe('references', () => {
  const rowReference = async (row: Row) => {
    const compiled = await compile(rubricAgent(criterion('accuracy')), [{ ...row, id: 'a' }]);
    return { ...compiled.contract.tasks.a, text: rubricOf(compiled)[0]?.criterion };
  };

  test.each<{ row: Partial<Row>; reference: Json; match: string; text: string }>([
    { row: { reference: 'A' }, reference: 'A', match: 'exact', text: 'Reference: A' },
    {
      row: { reference: ['A', 'B'] },
      reference: ['A', 'B'],
      match: 'exact',
      text: 'Reference (any of these): ["A","B"]',
    },
    {
      row: { expected: ['A', 'B'] },
      reference: [['A', 'B']],
      match: 'json-match',
      text: 'Reference: ["A","B"]',
    },
    { row: { expected: null }, reference: null, match: 'json-match', text: 'Reference: null' },
    {
      row: { expected: 'A', reference: 'B' },
      reference: ['A', 'B'],
      match: 'exact',
      text: 'Reference (any of these): ["A","B"]',
    },
    {
      row: { expected: { n: 1 }, reference: 'B', match: 'contains' },
      reference: [{ n: 1 }, 'B'],
      match: 'contains',
      text: 'Reference (any of these): [{"n":1},"B"]',
    },
  ])('$row is held against $reference', async ({ row, reference, match, text }) => {
    expect(await rowReference({ input: 'q', ...row })).toEqual({
      criteria: ['accuracy'],
      reference,
      match,
      text: `accuracy: ${text}`,
    });
  });

  test('accuracy is judged where there is nothing to compare with, and only there', async () => {
    const accuracy = criterion('accuracy', { threshold: 0.9 });
    const mixed = await compile(rubricAgent(accuracy), [
      { id: 'a', input: 1, reference: 'A' },
      { id: 'b', input: 2 },
    ]);
    expect(mixed.contract.criteria[0]).toMatchObject({
      evaluator: 'reference-match',
      class: 'binary',
      rate: 0.9,
    });
    expect(mixed.contract.tasks).toEqual({
      a: { criteria: ['accuracy'], reference: 'A', match: 'exact' },
      b: { criteria: ['accuracy'], evaluators: { accuracy: 'judge' } },
    });
    expect(codesOf(mixed)).toEqual(['judged_without_reference']);
    const judged = await compile(rubricAgent(accuracy), [{ id: 'b', input: 2 }]);
    expect(judged.contract.criteria[0]).toMatchObject({ evaluator: 'judge', class: 'binary', rate: 0.9 });
    expect(judged.contract.tasks).toEqual({ b: { criteria: ['accuracy'] } });
  });

  test('context and files reach an agent beside its text, by the name that it has for it', async () => {
    const inputs = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } };
    const row: Row = { id: 'a', input: 'q', beside: { context: 'c', files: ['f'] }, expected: 1 };
    const inputTo = async (capability: { name: string; inputs?: JsonObject }, given = row) =>
      (await compile(agent(profile(), { capabilities: [capability] }), [given])).suite.tasks[0]?.input;
    expect(await inputTo({ name: 'x', inputs })).toEqual({ text: 'q', context: 'c', files: ['f'] });
    expect(await inputTo({ name: 'x' })).toEqual({ prompt: 'q', context: 'c', files: ['f'] });
    expect(await inputTo({ name: 'x', inputs }, { ...row, input: [1] })).toMatchObject({ prompt: [1] });
  });

  test('folded matching keeps the strategy of the row too', async () => {
    const { contract } = await compile(rubricAgent(criterion('normalized_match')), [
      { id: 'a', input: 'q', reference: 'A', match: 'contains' },
    ]);
    expect(contract.tasks.a).toEqual({ criteria: ['normalized-match'], reference: 'A', match: 'contains' });
  });

  test('criteria that need what a row lacks do not apply to it, and the author is told', async () => {
    const compiled = await compile(
      rubricAgent(tone, criterion('exact_match'), criterion('forbidden_content'), criterion('tool_usage')),
      [
        { id: 'a', input: 1 },
        {
          id: 'b',
          input: 2,
          reference: 'A',
          forbidden: ['B'],
          tools: [{ tool: 'local:x' }, { tool: 'local:x' }],
        },
      ],
    );
    expect(compiled.contract.tasks).toEqual({
      a: { criteria: ['tone'] },
      b: {
        criteria: ['tone', 'exact-match', 'forbidden-content', 'tool-usage'],
        reference: 'A',
        match: 'exact',
        forbidden: ['B'],
        tools: ['local:x'],
      },
    });
    expect(codesOf(compiled)).toEqual(Array(3).fill('criterion_not_applicable'));
  });
});
