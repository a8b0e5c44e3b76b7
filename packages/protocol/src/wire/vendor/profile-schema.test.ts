import { expect, expectTypeOf, test } from 'vitest';
import { asId } from '../../model/ids.js';
import type { EvalContract, EvaluationProfile } from '../../model/profile.js';
import { createAjv } from '../schema/compile.js';
import { type EvalContractWire, type ProfileWire, profileSchemas } from './profile-schema.js';

const SHA = 'a'.repeat(64);
const DIGEST = `sha256:${SHA}`;
const contract: EvalContractWire = {
  contractVersion: 1,
  suiteId: asId('local.acme.evals.triage'),
  suiteVersion: asId('1.2.0'),
  suiteSha256: SHA,
  agent: { id: 'triage', name: 'Triage', version: '1.2.0-rc.1', sha256: SHA },
  dataset: { uri: 'evals/a.jsonl', sha256: SHA, bytes: 10, format: 'jsonl', rows: 2 },
  sla: { expectedLatencyMs: 0, policy: 'gate' },
  judge: { model: 'judge-large-2' },
  criteria: [
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
    'inv-001': { criteria: ['response-conciseness'], reference: { queue: 'pay' }, match: 'json-match' },
  },
};
const report = {
  runId: 'run-1',
  suite: { ref: 'local.acme.evals.triage@1.2.0', digest: DIGEST },
  agent: { agentId: 'triage', version: '1.2.0', digest: DIGEST },
  contract: DIGEST,
  verdict: 'pass',
  tasks: { total: 2, selected: 2, passed: 2 },
  criteria: [
    {
      id: 'accuracy',
      strict: true,
      evaluator: 'reference-match',
      applicable: 2,
      met: 2,
      rate: 1,
      required: 0.9,
      status: 'pass',
    },
  ],
  sla: { expectedLatencyMs: 1500, p95Ms: 12.5, policy: 'gate', status: 'pass' },
  summary: { score: 1, passed: true },
  dataset: { digest: DIGEST, rows: 2 },
};

const fits = (id: keyof typeof profileSchemas, value: unknown) =>
  createAjv().compile(profileSchemas[id])(value);

test('what the house calls by these names fits their schemas', () => {
  expectTypeOf<EvalContract>().toExtend<EvalContractWire>();
  expectTypeOf<EvaluationProfile>().toExtend<ProfileWire<'a'>>();
  expectTypeOf<ProfileWire<'b'>>().toExtend<ProfileWire<'a'>>();
});

test('every schema is published under its own address and compiles', () => {
  for (const [id, schema] of Object.entries(profileSchemas)) {
    expect(schema).toMatchObject({ $id: id, additionalProperties: false });
    expect(createAjv().compile(schema)).toBeTypeOf('function');
  }
});

test.each<[string, object]>([
  ['another version', { ...contract, contractVersion: 2 }],
  ['a digest with a prefix', { ...contract, suiteSha256: DIGEST }],
  ['an evaluator nobody knows', { ...contract, criteria: [{ ...contract.criteria[0], evaluator: 'vibes' }] }],
  ['a member beyond the format', { ...contract, compiledAt: '2026-01-01T00:00:00Z' }],
  ['a criterion twice in a task', { ...contract, tasks: { a: { criteria: ['b', 'b'] } } }],
])('a contract with %s is refused', (_, value) => {
  expect(fits('urn:touchstone:eval-contract', contract)).toBe(true);
  expect(fits('urn:touchstone:eval-contract', value)).toBe(false);
});

test.each<[string, object]>([
  ['prose for an id', { ...report, criteria: [{ ...report.criteria[0], id: 'The answer is right.' }] }],
  ['a reason', { ...report, criteria: [{ ...report.criteria[0], reason: 'because' }] }],
  ['a rate above one', { ...report, criteria: [{ ...report.criteria[0], rate: 1.5 }] }],
  ['a verdict of its own', { ...report, verdict: 'maybe' }],
])('a report with %s is refused', (_, value) => {
  expect(fits('urn:touchstone:contract-report', report)).toBe(true);
  expect(fits('urn:touchstone:contract-report', value)).toBe(false);
});
