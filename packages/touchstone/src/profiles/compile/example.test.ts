import { createHash } from 'node:crypto';
import type { Json } from '@touchstone/protocol';
import { expect, test } from 'vitest';
import { parseSuite } from '../../suites/parse-suite.js';
import type { DefinitionAgent, NormalRow } from '../types.js';
import { agent, criterion, profile } from './fixtures/agents.js';
import { compileProfile } from './outputs.js';

// The invoice agent of the format's own description, row for row and letter for letter.
const LINES = [
  '{"id":"inv-001","input":{"text":"PO 4471 matched, total 1299.00 EUR"},"expected":{"queue":"pay","amount_minor":129900}}',
  '{"id":"inv-002","input":{"text":"Total 80.00 EUR, supplier not on file"},"expected":{"queue":"review","amount_minor":8000}}',
];
const PIN = '531bcb7384b611dfe2ba5ebc8f74e2de03646dbb4d686cb538dee3a9e14ee7fc';
const OUTPUTS = {
  type: 'object',
  required: ['queue', 'amount_minor'],
  additionalProperties: false,
  properties: { queue: { enum: ['pay', 'dispute', 'review'] }, amount_minor: { type: 'integer' } },
};
const invoiceTriage: DefinitionAgent = agent(
  profile({
    expected_latency_ms: 1500,
    golden_dataset_uri: `evals/invoices.jsonl#sha256=${PIN}`,
    grading_rubric: [
      criterion('json_schema_validity', { description: 'Output fits the declared schema.', threshold: 0.98 }),
      criterion('accuracy', { description: 'Queue and amount equal the reference.', threshold: 0.9 }),
      criterion('response_conciseness', { description: 'Answer in under 40 words.', strict: false }),
    ],
    evaluator_model: 'judge-large-2',
  }),
  {
    model: 'router-small-1',
    status: 'published',
    budgetCaps: { total_cost: 2.5 },
    capabilities: [
      {
        name: 'triage',
        inputs: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
        outputs: OUTPUTS,
      },
    ],
  },
);
const input = {
  agent: invoiceTriage,
  rows: async function* read(): AsyncIterable<NormalRow> {
    for (const [index, line] of LINES.entries()) yield { ...JSON.parse(line), at: index + 1 };
  },
  dataset: () => ({
    uri: 'evals/invoices.jsonl',
    sha256: PIN,
    bytes: LINES.join('\n').length + 1,
    format: 'jsonl' as const,
  }),
};

const FIRST_TASK =
  '{"suiteId":"local.northwind-finance.evals.invoice-triage","version":"1.2.0","targetAgentId":"7d0c1f3e-5b7a-4c1e-9a52-2f1f0c7a9b10","modes":["rubric"],"thresholds":{"passScore":1,"maxP95LatencyMs":1500},"tasks":[{"taskId":"inv-001","input":{"text":"PO 4471 matched, total 1299.00 EUR"},"expected":{"kind":"rubric","rubric":[{"criterion":"json_schema_validity: Output fits the declared schema.","weight":0.5},{"criterion":"accuracy: Queue and amount equal the reference. Reference: {\\"queue\\":\\"pay\\",\\"amount_minor\\":129900}","weight":0.5},{"criterion":"response_conciseness (advisory): Answer in under 40 words.","weight":0}]}}]}';

test('the published example compiles to its published suite, byte for byte', async () => {
  expect(
    createHash('sha256')
      .update(`${LINES.join('\n')}\n`)
      .digest('hex'),
  ).toBe(PIN);
  const { suite, warnings } = await compileProfile(input);
  expect(JSON.stringify({ ...suite, tasks: suite.tasks.slice(0, 1) })).toBe(FIRST_TASK);
  expect(suite.tasks).toHaveLength(2);
  expect(warnings).toEqual([]);
});

test('the published example has its published contract', async () => {
  const { suite, contract } = await compileProfile(input);
  const installed = parseSuite(suite);
  expect(`sha256:${contract.suiteSha256}`).toBe(installed.head.digest);
  expect(contract).toEqual({
    contractVersion: 1,
    suiteId: 'local.northwind-finance.evals.invoice-triage',
    suiteVersion: '1.2.0',
    suiteSha256: contract.suiteSha256,
    agent: {
      id: '7d0c1f3e-5b7a-4c1e-9a52-2f1f0c7a9b10',
      name: 'Invoice Triage',
      version: '1.2.0',
      sha256: 'a'.repeat(64),
    },
    dataset: { uri: 'evals/invoices.jsonl', sha256: PIN, bytes: 244, format: 'jsonl', rows: 2 },
    sla: { expectedLatencyMs: 1500, policy: 'gate' },
    judge: { model: 'judge-large-2' },
    criteria: [
      {
        id: 'json-schema-validity',
        name: 'json_schema_validity',
        description: 'Output fits the declared schema.',
        threshold: 0.98,
        strict: true,
        evaluator: 'schema-validity',
        class: 'binary',
        direction: 'max',
        rate: 0.98,
      },
      {
        id: 'accuracy',
        name: 'accuracy',
        description: 'Queue and amount equal the reference.',
        threshold: 0.9,
        strict: true,
        evaluator: 'reference-match',
        class: 'binary',
        direction: 'max',
        rate: 0.9,
      },
      {
        id: 'response-conciseness',
        name: 'response_conciseness',
        description: 'Answer in under 40 words.',
        strict: false,
        evaluator: 'conciseness',
        class: 'binary',
        direction: 'max',
        rate: 1,
        bound: { most: 40, unit: 'words', inclusive: false },
      },
    ],
    tasks: {
      'inv-001': terms({ queue: 'pay', amount_minor: 129900 }),
      'inv-002': terms({ queue: 'review', amount_minor: 8000 }),
    },
  });
});

const terms = (reference: Json) => ({
  criteria: ['json-schema-validity', 'accuracy', 'response-conciseness'],
  reference,
  match: 'json-match',
  schema: OUTPUTS,
});

test('the published example of the second form is judged where no check can decide', async () => {
  const summariser = agent(
    profile({
      expected_latency_ms: 4000,
      evaluator_model: 'judge-large-2',
      grading_rubric: [
        criterion('factuality', { description: 'Every number appears in the clause.', threshold: 0.9 }),
        criterion('semantic_similarity', { description: 'Same meaning as the reference.', threshold: 0.8 }),
        criterion('response_conciseness', { description: 'At most 120 words.', threshold: 1, strict: false }),
      ],
    }),
    {
      form: 'B',
      id: 'policy-summariser',
      name: 'Policy Summariser',
      version: '0.3.0',
      capabilities: [
        {
          name: 'default',
          inputs: { type: 'object', required: ['clause'], properties: { clause: { type: 'string' } } },
        },
      ],
    },
  );
  const { author: _, ...nobodys } = summariser;
  const { suite, contract } = await compileProfile({
    agent: nobodys,
    rows: async function* read() {
      yield { id: 'leave 1', input: 'Twelve days a year.', reference: '12 days yearly.', at: 2 };
    },
  });
  expect(suite.suiteId).toBe('local.local.evals.policy-summariser');
  expect(suite.targetAgentId).toBe('policy-summariser');
  expect(suite.tasks[0]).toEqual({
    taskId: 'leave-1',
    input: { clause: 'Twelve days a year.' },
    expected: {
      kind: 'rubric',
      rubric: [
        { criterion: 'factuality: Every number appears in the clause.', weight: 0.5 },
        {
          criterion: 'semantic_similarity: Same meaning as the reference. Reference: 12 days yearly.',
          weight: 0.5,
        },
        { criterion: 'response_conciseness (advisory): At most 120 words.', weight: 0 },
      ],
    },
  });
  expect(
    contract.criteria.map(({ evaluator, class: kind, degree, bound }) => ({
      evaluator,
      kind,
      degree,
      bound,
    })),
  ).toEqual([
    { evaluator: 'judge', kind: 'graded', degree: 0.9, bound: undefined },
    { evaluator: 'similarity', kind: 'graded', degree: 0.8, bound: undefined },
    {
      evaluator: 'conciseness',
      kind: 'binary',
      degree: undefined,
      bound: { most: 120, unit: 'words', inclusive: true },
    },
  ]);
});
