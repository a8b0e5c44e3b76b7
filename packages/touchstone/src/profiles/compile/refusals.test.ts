import { isHostError, type Json, type JsonObject } from '@touchstone/protocol';
import type { MemorySeed, SuccessCriterion } from '@touchstone/protocol/bodies';
import { describe, expect, test } from 'vitest';
import { checkBounded, checkForeignSchema, createSchemaCheck } from '../../agents/index.js';
import type { DefinitionAgent, NormalRow } from '../types.js';
import { agent, criterion, profile, rowsOf, rubricAgent } from './fixtures/agents.js';
import type { CompileInput, CompileIssue, CompileOptions, Schemas } from './options.js';
import { compileProfile } from './outputs.js';

type Row = Omit<NormalRow, 'at'>;

async function refusalOf(input: CompileInput): Promise<{ code: unknown; issues: readonly CompileIssue[] }> {
  const error: unknown = await compileProfile(input).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isHostError(error) || error.code !== 'validation_error')
    throw new Error('expected a validation error');
  return { code: error.details?.code, issues: error.details?.issues as readonly CompileIssue[] };
}

const golden = { input: 'q', expected: 'A' };
const rubric = '/evaluation/grading_rubric';
const { evaluation: _, ...bare } = agent(profile());

describe('a profile that cannot become a suite', () => {
  test.each<{
    code: string;
    pointer: string;
    agent: DefinitionAgent;
    options?: CompileOptions;
    rows?: Row[];
  }>([
    { code: 'no_profile', pointer: '/evaluation', agent: bare },
    { code: 'no_tasks', pointer: '/evaluation/golden_dataset_uri', agent: agent(profile()), rows: [] },
    { code: 'invalid_version', pointer: '/metadata/version', agent: agent(profile(), { version: '1.2' }) },
    {
      code: 'negative_latency',
      pointer: '/evaluation/expected_latency_ms',
      agent: agent(profile({ expected_latency_ms: -1 })),
    },
    {
      code: 'negative_budget',
      pointer: '/policy/budget_caps/total_cost',
      agent: agent(profile(), { budgetCaps: { total_cost: -1 } }),
      options: { budget: true },
    },
    { code: 'empty_criterion_name', pointer: `${rubric}/0/name`, agent: rubricAgent(criterion('')) },
    {
      code: 'duplicate_criterion',
      pointer: `${rubric}/1/name`,
      agent: rubricAgent(criterion('a b'), criterion('A-B')),
    },
    {
      code: 'threshold_out_of_range',
      pointer: `${rubric}/0/threshold`,
      agent: rubricAgent(criterion('tone', { threshold: 1.01 })),
    },
    {
      code: 'latency_bound_missing',
      pointer: `${rubric}/0/threshold`,
      agent: rubricAgent(criterion('latency')),
    },
    {
      code: 'unsound_profile',
      pointer: '/evaluation',
      agent: rubricAgent(criterion('tone', { description: 'half \ud800' })),
    },
    {
      code: 'unsound_profile',
      pointer: '/evaluation',
      agent: rubricAgent(criterion('tone', { threshold: Number.NaN })),
    },
    {
      code: 'strict_criterion_unused',
      pointer: `${rubric}/0`,
      agent: rubricAgent(criterion('tool_usage')),
    },
    {
      code: 'strict_criterion_unused',
      pointer: `${rubric}/0`,
      agent: rubricAgent(criterion('tone')),
      rows: [{ ...golden, criteria: [] }],
    },
    { code: 'invalid_option', pointer: '/options/scope', agent: agent(profile()), options: { scope: 'a.b' } },
    { code: 'invalid_option', pointer: '/options/org', agent: agent(profile()), options: { org: '' } },
    {
      code: 'invalid_option',
      pointer: '/options/targetAgentId',
      agent: agent(profile()),
      options: { targetAgentId: '' },
    },
    {
      code: 'invalid_option',
      pointer: '/options/targetAgentId',
      agent: agent(profile()),
      options: { targetAgentId: 'local.acme.x@1.0.0' },
    },
    { code: 'invalid_option', pointer: '/options/name', agent: agent(profile()), options: { name: 'a b' } },
    {
      code: 'invalid_option',
      pointer: '/options/maxTasks',
      agent: agent(profile()),
      options: { maxTasks: 0 },
    },
    {
      code: 'invalid_option',
      pointer: '/options/sample/count',
      agent: agent(profile()),
      options: { sample: { count: 1.5, seed: '' } },
    },
    {
      code: 'too_many_criteria',
      pointer: '/evaluation/grading_rubric',
      agent: agent(
        profile({
          grading_rubric: Array.from({ length: 101 }, (_, i) => ({
            name: `c${i}`,
            description: null,
            threshold: null,
            strict: true,
          })),
        }),
      ),
    },
    {
      code: 'too_many_tasks',
      pointer: '',
      agent: agent(profile()),
      rows: [golden, golden],
      options: { maxTasks: 1 },
    },
  ])('$code at $pointer', async ({ code, pointer, agent: subject, options = {}, rows = [golden] }) => {
    const refusal = await refusalOf({ agent: subject, rows: rowsOf(...rows), options });
    expect(refusal).toMatchObject({ code, issues: [{ code, pointer }] });
    expect(refusal.issues).toHaveLength(1);
  });

  test('without rows there are no tasks, whatever the address says', async () => {
    const addressed = await refusalOf({ agent: agent(profile({ golden_dataset_uri: null })) });
    expect(addressed).toMatchObject({ code: 'no_tasks' });
  });

  test('pointers of the second form lead to the agent', async () => {
    const subject = agent(profile({ grading_rubric: [criterion('')] }), { form: 'B', id: 'a/b' });
    expect((await refusalOf({ agent: subject })).issues[0]?.pointer).toBe(
      '/definitions/a~1b/evaluation/grading_rubric/0/name',
    );
  });

  test('everything wrong with it is listed, before a row is read', async () => {
    const subject = agent(
      profile({ expected_latency_ms: -1, grading_rubric: [criterion(''), criterion('x', { threshold: 2 })] }),
    );
    const rows = (): AsyncIterable<NormalRow> => {
      throw new Error('rows were read');
    };
    const { issues } = await refusalOf({ agent: subject, rows, options: { org: '?' } });
    expect(issues.map(({ code }) => code)).toEqual([
      'invalid_option',
      'negative_latency',
      'empty_criterion_name',
      'threshold_out_of_range',
    ]);
  });
});

describe('a row that cannot become a task', () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)]);

  test.each<{ code: string; pointer: string; row: Row; criteria?: SuccessCriterion[] }>([
    { code: 'row_without_expectation', pointer: '', row: { input: 1, reference: 'A' } },
    { code: 'unknown_capability', pointer: '/capability', row: { ...golden, capability: 'other' } },
    {
      code: 'unknown_criterion',
      pointer: '/criteria/1',
      row: { ...golden, criteria: ['Tone', 'taste'] },
      criteria: [criterion('tone')],
    },
    {
      code: 'criterion_without_data',
      pointer: '/criteria/0',
      row: { input: 1, criteria: ['exact_match'] },
      criteria: [criterion('tone'), criterion('exact_match')],
    },
    { code: 'schema_missing', pointer: '', row: golden, criteria: [criterion('schema_validity')] },
    { code: 'invalid_fixture', pointer: '/tools/0/tool', row: { ...golden, tools: [{ tool: '' }] } },
    {
      code: 'invalid_fixture',
      pointer: '/memory/0',
      row: { ...golden, memory: [{} as unknown as MemorySeed] },
    },
    { code: 'unsound_row', pointer: '', row: { ...golden, input: Number.POSITIVE_INFINITY } },
    { code: 'unsound_row', pointer: '', row: { ...golden, input: '\udc00' } },
    { code: 'unsound_row', pointer: '', row: { input: 1, expected: nested(300) } },
    { code: 'duplicate_task', pointer: '/id', row: { ...golden, id: 'First One' } },
    { code: 'duplicate_task', pointer: '/id', row: { ...golden, id: 'row-0002' } },
  ])('$code at $pointer', async ({ code, pointer, row, criteria = [] }) => {
    const subject = rubricAgent(...criteria);
    const sound: Row = { ...golden, schema: { type: 'string' }, id: 'first-one' };
    const rows = rowsOf(sound, { ...golden, schema: { type: 'string' } }, row);
    const facts = { sha256: '', bytes: 0 };
    const lined = await refusalOf({ agent: subject, rows, dataset: () => ({ ...facts, format: 'jsonl' }) });
    expect(lined).toMatchObject({ code, issues: [{ code, pointer, line: 3 }] });
    expect(lined.issues).toHaveLength(1);
    const listed = await refusalOf({ agent: subject, rows, dataset: () => ({ ...facts, format: 'json' }) });
    expect(listed.issues[0]?.line).toBeUndefined();
    expect(listed.issues[0]?.message).toMatch(/^Row 3: /);
  });

  test('what fits as deep as a suite may nest is let in, and the suite is sound', async () => {
    const { parseSuite } = await import('../../suites/parse-suite.js');
    let depth = 256;
    const compileAt = () =>
      compileProfile({
        agent: agent(profile()),
        rows: rowsOf({
          input: 1,
          expected: nested(depth),
          tools: [{ tool: 'local:x', response: nested(depth - 3) }],
        }),
      });
    for (;;) {
      const compiled = await compileAt().catch(() => undefined);
      if (compiled) {
        expect(() => parseSuite(compiled.suite)).not.toThrow();
        break;
      }
      depth -= 1;
    }
    expect(depth).toBeGreaterThan(240);
  });

  test('twenty of them are listed and the others counted', async () => {
    const rows = rowsOf(...Array.from({ length: 25 }, () => ({ input: 1 })));
    const { issues } = await refusalOf({ agent: agent(profile()), rows });
    expect(issues).toHaveLength(21);
    expect(issues[20]?.message).toBe('5 more are wrong in the dataset.');
  });

  test('no message repeats what a row holds', async () => {
    const secret = 'SECRET-TEXT';
    const rows = rowsOf(
      { input: secret, reference: secret },
      { input: secret, expected: secret, criteria: [secret], capability: secret },
    );
    const { issues } = await refusalOf({ agent: agent(profile()), rows });
    expect(issues.length).toBeGreaterThan(2);
    expect(JSON.stringify(issues)).not.toContain(secret);
  });
});

describe('what is said of a row', () => {
  const facts = { sha256: '', bytes: 0 };
  const messagesOf = async (subject: DefinitionAgent, ...rows: Row[]) =>
    (await refusalOf({ agent: subject, rows: rowsOf(...rows) })).issues.map(({ message }) => message).join();

  test('that nothing could score is the reason why', async () => {
    const needy = rubricAgent(criterion('tone'), criterion('exact_match', { strict: false }));
    expect(await messagesOf(needy, { input: 1, criteria: [] })).toContain(
      'The "criteria" of this row name none',
    );
    const lacking = rubricAgent(criterion('exact_match'));
    expect(await messagesOf(lacking, { input: 1 })).toContain('exact-match would need "expected" or');
    expect(await messagesOf(agent(profile()), { input: 1 })).toContain('The profile has no criteria');
  });

  test('of a strict criterion that no row has is whether rows leave it out or lack something', async () => {
    const subject = rubricAgent(criterion('exact_match'), criterion('tone'));
    const chosen = { ...golden, criteria: ['tone'] };
    expect(await messagesOf(subject, chosen)).toContain('the "criteria" of every row leave it out');
    expect(await messagesOf(subject, { input: 1 }, chosen)).toContain(
      'of those whose "criteria" do not leave it out, none has "expected"',
    );
  });

  test('in a list stands at its place in it', async () => {
    const rows = rowsOf(golden, { input: 1 });
    const pointerIn = async (format: 'json' | 'rows', list: string) =>
      (await refusalOf({ agent: agent(profile()), rows, dataset: () => ({ ...facts, format, list }) }))
        .issues[0];
    expect(await pointerIn('json', '/cases')).toMatchObject({ pointer: '/cases/1', message: /^Row 2: / });
    const given = await pointerIn('rows', '/rows');
    expect([given?.pointer, given?.message]).toEqual(['/rows/1', expect.not.stringMatching(/^Row/)]);
  });
});

describe('a schema', () => {
  const text = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } };
  const schemas: Schemas = { issues: checkForeignSchema, check: createSchemaCheck(checkBounded) };
  const taking = (inputs: JsonObject, rest: Partial<DefinitionAgent> = {}) =>
    agent(profile(), { capabilities: [{ name: 'triage', inputs }], ...rest });
  const refusal = (subject: DefinitionAgent, ...rows: Row[]) =>
    refusalOf({ agent: subject, rows: rowsOf(...rows), schemas });

  test('of the agent that nobody can use is refused before a row is read', async () => {
    const capabilities = [
      { name: 'a', inputs: { type: 'strange' }, outputs: { pattern: '(' } },
      { name: 'b', outputs: { $ref: 'https://elsewhere.example/x' } },
    ];
    const { issues } = await refusal(agent(profile(), { capabilities }));
    expect(issues.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['invalid_schema', '/capabilities/0/inputs'],
      ['invalid_schema', '/capabilities/0/outputs'],
      ['invalid_schema', '/capabilities/1/outputs'],
    ]);
    const second = taking({ type: 'strange' }, { form: 'B', id: 'x' });
    expect((await refusal(second)).issues[0]?.pointer).toBe('/definitions/x/interface/inputs');
  });

  test('of a row that nobody can use is refused with the row, and looked into once', async () => {
    let asked = 0;
    const counting: Schemas = {
      ...schemas,
      issues: (schema) => {
        asked += 1;
        return schemas.issues(schema);
      },
    };
    const rows = rowsOf(golden, ...Array.from({ length: 3 }, () => ({ ...golden, schema: { type: 'x' } })));
    const dataset = () => ({ sha256: '', bytes: 0, format: 'jsonl' as const });
    const { code, issues } = await refusalOf({ agent: agent(profile()), rows, dataset, schemas: counting });
    expect([code, asked]).toEqual(['invalid_schema', 1]);
    expect(issues.map(({ pointer, line }) => [pointer, line])).toEqual([
      ['/schema', 2],
      ['/schema', 3],
      ['/schema', 4],
    ]);
  });

  test('of inputs is what every input is held against, and no message repeats one', async () => {
    const { code, issues } = await refusal(
      taking({ ...text, additionalProperties: false }),
      { ...golden, input: { text: 'fine' } },
      { ...golden, input: 'wrapped' },
      { ...golden, input: { text: 7, SECRET: 'SECRET' } },
      { ...golden, input: 'q', beside: { context: 'SECRET' } },
    );
    expect([code, issues.map(({ pointer, message }) => [pointer, message.slice(0, 5)])]).toEqual([
      'input_mismatch',
      [
        ['/input', 'Row 3'],
        ['/input', 'Row 4'],
      ],
    ]);
    expect(issues[1]?.message).toContain('let the schema take them, or drop them');
    expect(JSON.stringify(issues)).not.toContain('SECRET');
    const bare = await refusal(taking({ type: 'object' }), golden);
    expect(bare.issues[0]?.message).toContain('write the input as an object');
  });

  test('that calls its text what a row calls something else loses neither', async () => {
    const inputs = { type: 'object', required: ['context'], properties: { context: { type: 'string' } } };
    const { issues } = await refusal(taking(inputs), { ...golden, beside: { context: 'c' } });
    expect(issues).toMatchObject([{ code: 'input_mismatch', pointer: '/context' }]);
  });
});

test('a dataset that changes between the readings is refused', async () => {
  let reading = 0;
  const growing = async function* read() {
    reading += 1;
    for (let at = 1; at <= reading; at += 1) yield { ...golden, at };
  };
  expect(await refusalOf({ agent: agent(profile()), rows: growing })).toMatchObject({
    code: 'dataset_changed',
  });
  let hashes = 0;
  const dataset = () => ({ sha256: String(hashes++), bytes: 1, format: 'csv' as const });
  const edited = await refusalOf({ agent: agent(profile()), rows: rowsOf(golden), dataset });
  expect(edited).toMatchObject({ code: 'dataset_changed' });
});
