import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJson } from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import {
  compile,
  evaluated,
  INVOICE_AGENT,
  INVOICE_ROWS,
  INVOICE_SUITE,
  install,
  invoices,
  invoicesWith,
  openProfileHost,
  POLICY_SUITE,
  type ProfileHost,
  policies,
  policiesWith,
  type Refusal,
} from './profile-host.js';
import { ACME_SIDE_KEY, RUNNER_KEY } from './whole-host.js';

// Goal: definitions come in by HTTP and leave as suite and contract, or with everything that keeps them from it. Method:
// one host with a folder that stands for a bucket, granted to one of two tenants, and a server that must not be reached.
const CSV =
  'id,clause,reference\nleave-1,"Staff get 5 days, paid.",Five paid days.\nleave-2,None on Sundays.,No leave on Sundays.\n';
const READER_KEY = 'test-key-of-acme-reader-0123456789';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let setup: ProfileHost;
let bait: Server;
let baitUrl: string;
let reached = 0;
beforeAll(async () => {
  bait = createServer((_, response) => {
    reached += 1;
    response.end('[]');
  });
  await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
  baitUrl = `//127.0.0.1:${(bait.address() as AddressInfo).port}/rows.json`;
  setup = await openProfileHost({
    config: {
      datasets: { prefixes: { 's3://hr-evals/': './bucket/' }, tenants: ['acme'] },
      evalSuite: { maxTasksPerSuite: 3 },
    },
    files: { 'bucket/leave-v2.csv': CSV.replace('clause', 'input'), 'secret.jsonl': '{"input":"x"}\n' },
  });
});
afterAll(async () => {
  await setup.close();
  await new Promise((resolve) => bait.close(resolve));
});

async function refused(body: object, key?: string): Promise<Refusal> {
  const answer = await compile(setup.host, body, key);
  expect(answer.status).toBe(400);
  expect(check('error-envelope', answer.body)).toEqual([]);
  expect(answer.body.error).toBe('validation_error');
  return answer.body as unknown as Refusal;
}
const placesOf = ({ details }: Refusal) =>
  (details.issues ?? []).map(({ pointer, line }) => (line === undefined ? pointer : `${pointer}:${line}`));
const dataUri = (text: string, type = 'application/x-ndjson') =>
  `data:${type};base64,${Buffer.from(text).toString('base64')}`;
const lines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const accuracy = { name: 'accuracy', threshold: 0.9 };
const naming = (golden_dataset_uri: string) =>
  invoicesWith({ golden_dataset_uri, grading_rubric: [accuracy] });

describe('a definition of form A', () => {
  it('compiles with the rows sent along, instead of the dataset that it names', async () => {
    const { status, body } = await compile(setup.host, { definition: invoices(), rows: INVOICE_ROWS });
    expect(status).toBe(200);
    expect(check('agent-eval-suite', body.suite)).toEqual([]);
    expect(body).toMatchObject({
      suite: {
        suiteId: INVOICE_SUITE,
        version: '1.2.0',
        modes: ['rubric'],
        thresholds: { passScore: 1, maxP95LatencyMs: 1500 },
        tasks: [{ taskId: 'inv-001', input: INVOICE_ROWS[0]?.input }, { taskId: 'inv-002' }],
      },
      contract: {
        suiteVersion: '1.2.0',
        judge: { model: 'judge-large-2' },
        dataset: { format: 'rows', rows: 2 },
      },
      warnings: [],
    });
    expect(body).not.toHaveProperty('suiteRef');
  });

  it('compiles with its rows in the URI, pinned or not, and to the same bytes each time', async () => {
    const text = lines(INVOICE_ROWS);
    const pinned = naming(`${dataUri(text)}#sha256=${sha256(text)}`);
    const first = await compile(setup.host, { definition: pinned });
    expect(first).toMatchObject({ status: 200 });
    expect(first.body.contract).toMatchObject({
      dataset: { sha256: sha256(text), bytes: text.length, format: 'jsonl', rows: 2 },
    });
    // The rows are in the suite; a second copy of them in the contract would be one too many.
    expect(JSON.stringify(first.body.contract)).not.toContain('data:');
    expect(await compile(setup.host, { definition: pinned })).toEqual(first);
    const loose = await compile(setup.host, { definition: naming(dataUri(text)) });
    expect(loose.body.suite).toEqual(first.body.suite);
  });

  it('names the agent of this host that it means, when asked to', async () => {
    const body = { definition: invoices(), rows: INVOICE_ROWS, targetAgentId: INVOICE_AGENT };
    expect((await compile(setup.host, body)).body.suite).toMatchObject({ targetAgentId: INVOICE_AGENT });
  });
});

describe('a manifest of form B', () => {
  it('compiles with a dataset of the operator’s folder, and says that nothing pins it', async () => {
    const { status, body } = await compile(setup.host, { definition: policies() });
    expect({ status, warnings: body.warnings }).toMatchObject({
      status: 200,
      warnings: [{ code: 'dataset_unpinned' }],
    });
    expect(check('agent-eval-suite', body.suite)).toEqual([]);
    expect(body).toMatchObject({
      suite: {
        suiteId: POLICY_SUITE,
        version: '0.3.0',
        thresholds: { passScore: 1, maxP95LatencyMs: 4000 },
        tasks: [{ taskId: 'leave-1', input: { clause: 'Staff get 5 days, paid.' } }, { taskId: 'leave-2' }],
      },
      contract: {
        dataset: { uri: 's3://hr-evals/leave-v2.csv', format: 'csv', rows: 2 },
        criteria: [
          { id: 'factuality', evaluator: 'judge', class: 'graded', degree: 0.9 },
          { id: 'semantic-similarity', evaluator: 'similarity', degree: 0.8 },
          { id: 'response-conciseness', strict: false, bound: { most: 120, unit: 'words' } },
        ],
        tasks: { 'leave-1': { reference: 'Five paid days.' } },
      },
    });
  });

  it('of a tenant without the grant does not find the folder, nor learn that there is one', async () => {
    const [granted, unknown] = [
      await refused({ definition: policies() }, OTHER_KEY),
      await refused({ definition: policiesWith({ golden_dataset_uri: 's3://nobody/x.csv' }) }, OTHER_KEY),
    ];
    expect(granted).toEqual(unknown);
    expect(granted.details).toMatchObject({ code: 'scheme_unsupported', scheme: 's3' });
    expect(placesOf(granted)).toEqual(['/definitions/policy-summariser/evaluation/golden_dataset_uri']);
  });

  it('with several agents is compiled for the one that is named', async () => {
    const manifest = policies() as { readonly definitions: { readonly [id: string]: object } };
    const second = { ...manifest.definitions['policy-summariser'], id: 'second', name: 'Second' };
    const definition = { ...manifest, definitions: { ...manifest.definitions, second } };
    const torn = await refused({ definition });
    expect(torn.message).toContain('policy-summariser, second');
    const { body } = await compile(setup.host, { definition, agent: 'second' });
    expect(body.suite).toMatchObject({ suiteId: 'local.local.evals.second' });
    expect(placesOf(await refused({ definition, agent: 'third' }))).toEqual(['/agent']);
  });
});

describe('installing', () => {
  const invoice = (version: string) => {
    const definition = invoices() as { readonly metadata: object };
    return { ...definition, metadata: { ...definition.metadata, version } };
  };
  const put = (body: object, key?: string) => compile(setup.host, { install: true, ...body }, key);

  it('is 201 the first time, 200 the second, and 409 for another suite or another contract', async () => {
    const body = { definition: invoice('2.0.0'), rows: INVOICE_ROWS };
    expect(await put(body)).toMatchObject({ status: 201, body: { suiteRef: `${INVOICE_SUITE}@2.0.0` } });
    expect(await put(body)).toMatchObject({ status: 200, body: { suiteRef: `${INVOICE_SUITE}@2.0.0` } });
    const otherSuite = await put({ ...body, rows: INVOICE_ROWS.slice(1) });
    expect(otherSuite).toMatchObject({ status: 409, body: { error: 'conflict' } });
    // The rate is nowhere in the suite: two rows allow no miss at 0.9, nor at 0.8.
    const { evaluation } = invoices() as { readonly evaluation: { readonly grading_rubric: object[] } };
    const lower = evaluation.grading_rubric.map((one, index) =>
      index === 1 ? { ...one, threshold: 0.8 } : one,
    );
    const otherContract = { ...body.definition, evaluation: { ...evaluation, grading_rubric: lower } };
    const compiled = await compile(setup.host, { ...body, definition: otherContract });
    expect(compiled.body.suite).toEqual((await compile(setup.host, body)).body.suite);
    expect(await put({ ...body, definition: otherContract })).toMatchObject({ status: 409 });
  });

  it('holds a second agent to the same contract under a name of its own', async () => {
    const body = { definition: invoice('5.0.0'), rows: INVOICE_ROWS };
    expect(await put({ ...body, targetAgentId: INVOICE_AGENT })).toMatchObject({ status: 201 });
    const second = { ...body, targetAgentId: 'local.northwind.other' };
    expect(await put(second)).toMatchObject({
      status: 409,
      body: { error: 'conflict', details: { code: 'other_agent' } },
    });
    expect(await put({ ...second, suiteName: 'other-triage' })).toMatchObject({
      status: 201,
      body: { suiteRef: 'local.northwind-finance.evals.other-triage@5.0.0' },
    });
  });

  it('gives a suite that was there before its contract; it ran as a plain one until then', async () => {
    const body = { definition: invoice('3.0.0'), rows: INVOICE_ROWS };
    const { suite } = (await compile(setup.host, body)).body;
    expect(
      await readJson(setup.host, '/v1/host/touchstone/suites', { method: 'POST', body: suite }),
    ).toMatchObject({
      status: 201,
    });
    const plain = await readJson(setup.host, '/v1/runs', {
      method: 'POST',
      body: {
        mode: 'eval',
        evalSuiteRef: `${INVOICE_SUITE}@3.0.0`,
        agentId: INVOICE_AGENT,
        configurable: { allowTargetMismatch: true },
      },
    });
    // Its criteria are prose to whoever has no contract, and this host has no judge of its own.
    expect(plain).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(await put(body)).toMatchObject({ status: 201 });
    const { snapshot } = await evaluated(setup.host, `${INVOICE_SUITE}@3.0.0`);
    expect(snapshot).toMatchObject({ status: 'completed', touchstone: { contract: expect.any(String) } });
  });

  it('is for one workspace: others neither see it nor are kept from installing their own', async () => {
    const body = { definition: invoice('4.0.0'), rows: INVOICE_ROWS };
    await install(setup.host, body);
    const ref = `/v1/host/touchstone/suites/${INVOICE_SUITE}@4.0.0`;
    for (const key of [ACME_SIDE_KEY, OTHER_KEY])
      expect(await readJson(setup.host, ref, { key })).toMatchObject({ status: 404 });
    const other = { ...body, rows: INVOICE_ROWS.slice(1) };
    expect(await put(other, ACME_SIDE_KEY)).toMatchObject({ status: 201 });
  });
});

describe('a definition is refused', () => {
  const rubric = (...grading_rubric: object[]) => ({
    definition: invoicesWith({ grading_rubric }),
    rows: INVOICE_ROWS,
  });
  const rows = (...given: unknown[]) => ({
    definition: invoicesWith({ grading_rubric: [accuracy] }),
    rows: given,
  });
  const wrong = { ...invoices(), evaluation: { grading_rubric: [{ name: 3 }, { strict: null }], extra: 1 } };
  const dataset = (text: string, type?: string) => ({ definition: naming(dataUri(text, type)) });
  const at = '/evaluation/grading_rubric';

  it.each<[string, object, string | undefined, readonly string[]]>([
    ['that is none', { definition: { hello: 1 } }, undefined, ['/definition']],
    [
      'with wrong members, all of them listed',
      { definition: wrong },
      undefined,
      [`${at}/0/name`, `${at}/1/name`, `${at}/1/strict`, '/evaluation/extra'],
    ],
    ['without a profile', { definition: { ...invoices(), evaluation: null } }, 'no_profile', ['/definition']],
    [
      'without rows and a dataset',
      { definition: invoicesWith({}) },
      'no_tasks',
      ['/evaluation/golden_dataset_uri'],
    ],
    ['with no rows at all', rows(), 'no_tasks', ['/rows']],
    [
      'with two criteria of one name',
      rubric({ name: 'tone' }, { name: 'Tone' }),
      'duplicate_criterion',
      [`${at}/1/name`],
    ],
    ['with a criterion without a name', rubric({ name: '' }), 'empty_criterion_name', [`${at}/0/name`]],
    [
      'with a threshold of 90',
      rubric({ name: 'tone', threshold: 90 }),
      'threshold_out_of_range',
      [`${at}/0/threshold`],
    ],
    [
      'with a negative latency',
      {
        definition: invoicesWith({ expected_latency_ms: -1, grading_rubric: [accuracy] }),
        rows: INVOICE_ROWS,
      },
      'negative_latency',
      ['/evaluation/expected_latency_ms'],
    ],
    [
      'with a hard criterion that no row can meet',
      rubric({ name: 'tool_usage' }),
      'strict_criterion_unused',
      [`${at}/0`],
    ],
    [
      'with rows that are none',
      rows({ id: 'a' }, { input: 'x', match: 'near' }),
      'invalid_rows',
      ['/rows/0', '/rows/1/match'],
    ],
    [
      'with two rows of one id',
      rows({ id: 'a', input: 'x', expected: 1 }, { id: 'A', input: 'y', expected: 2 }),
      'duplicate_task',
      ['/rows/1/id'],
    ],
    [
      'with an agent id that is none',
      { ...rubric(accuracy), targetAgentId: 'local.acme.desk@1.0.0' },
      'invalid_option',
      ['/targetAgentId'],
    ],
    [
      'with inputs that the agent does not take, and a schema that nobody can use',
      rows(
        { input: { text: 1 }, expected: 1 },
        { input: { text: 'x' }, expected: 1, schema: { type: 'strange' } },
      ),
      'input_mismatch',
      ['/rows/0/input/text', '/rows/1/schema'],
    ],
    [
      'with more rows than the host takes',
      rows(...Array.from({ length: 4 }, (_, index) => ({ input: `${index}`, expected: 1 }))),
      'too_many_tasks',
      [''],
    ],
    [
      'with a broken line, by its number',
      dataset('{"input":"x","expected":1}\n\n{"input":\n'),
      'invalid_rows',
      ['/1/input:3'],
    ],
    [
      'with a broken row of a table, by its line',
      dataset('id,input,match\na,x,exact\nb,y,near\n', 'text/csv'),
      'invalid_rows',
      ['/1/match:3'],
    ],
    [
      'with a row that nothing could score, by its line',
      {
        definition: invoicesWith({
          golden_dataset_uri: dataUri('{"input":"x","expected":1}\n{"input":"y"}\n'),
        }),
      },
      'row_without_expectation',
      [':2'],
    ],
    [
      'with a dataset that is not the pinned one',
      { definition: naming(`${dataUri('[]', 'application/json')}#sha256=${'0'.repeat(64)}`) },
      'dataset_mismatch',
      ['/evaluation/golden_dataset_uri'],
    ],
    [
      'with a pin that is none',
      { definition: naming('https://data.example/x.jsonl#sha256=12') },
      'invalid_uri',
      ['/evaluation/golden_dataset_uri'],
    ],
  ])('%s', async (_what, body, code, places) => {
    const refusal = await refused(body);
    expect({ code: refusal.details.code, places: placesOf(refusal) }).toEqual({ code, places });
  });

  it.each<[string, string, string]>([
    ['relative', 'secret.jsonl', 'scheme_unsupported'],
    ['relative and climbing', '../secret.jsonl', 'dataset_refused'],
    ['from a pack it did not come in', 'pack:secret.jsonl', 'scheme_unsupported'],
    ['a file of the host', 'file:///etc/passwd', 'scheme_unsupported'],
    ['this machine, by http', 'http:LOOPBACK', 'dataset_refused'],
    ['this machine, by https', 'https:LOOPBACK', 'dataset_refused'],
    ['this machine, by its name', 'https://localhost:1/x.json', 'dataset_refused'],
    ['the metadata of a cloud', 'https://169.254.169.254/x.json', 'dataset_refused'],
    ['a private address', 'https://10.0.0.1/x.json', 'dataset_refused'],
    ['a private address in other clothes', 'https://[::ffff:10.0.0.1]/x.json', 'dataset_refused'],
    ['with credentials', 'https://me:hunter2@data.example/x.json', 'credentials_in_uri'],
    ['with a key in its query', 'https://data.example/x.json?token=hunter2', 'credentials_in_uri'],
    ['of a scheme nobody knows', 'gopher://data.example/x.json', 'scheme_unsupported'],
    ['out of the bucket', 's3://hr-evals/../secret.jsonl', 'dataset_refused'],
  ])('whose dataset is %s', async (_what, uri, code) => {
    const before = reached;
    const refusal = await refused({ definition: naming(uri.replace('LOOPBACK', baitUrl)) });
    expect(refusal.details.code).toBe(code);
    expect(placesOf(refusal)).toEqual(['/evaluation/golden_dataset_uri']);
    expect(JSON.stringify(refusal)).not.toContain('hunter2');
    expect(reached).toBe(before);
  });

  it('by a body that is not of the shape', async () => {
    for (const body of [
      {},
      { definition: 'x' },
      { definition: invoices(), rows: {} },
      { definition: {}, more: 1 },
    ])
      expect((await refused(body)).details.code).toBeUndefined();
  });
});

describe('who may compile', () => {
  const body = { definition: invoices(), rows: INVOICE_ROWS };

  it('is whoever may write suites', async () => {
    expect(await compile(setup.host, body, RUNNER_KEY)).toMatchObject({ status: 200 });
    const anonymous = await setup.host.fetch('/v1/host/touchstone/profiles:compile', {
      method: 'POST',
      key: null,
      body,
    });
    expect(anonymous.status).toBe(401);
  });

  it('is not whoever may only read, who may read contract reports', async () => {
    const reading = await openProfileHost({
      config: {
        keys: [
          { key: READER_KEY, tenant: 'acme', roles: ['reader'] },
          { key: 'test-key-of-acme-0123456789', tenant: 'acme', roles: ['admin'] },
        ],
        roles: { reader: ['runs:read'] },
      },
    });
    try {
      expect(await compile(reading.host, body, READER_KEY)).toMatchObject({ status: 403 });
      const { runId } = await evaluated(reading.host, await install(reading.host, body));
      const path = `/v1/host/touchstone/runs/${runId}/contract-report`;
      expect(await readJson(reading.host, path, { key: READER_KEY })).toMatchObject({ status: 200 });
    } finally {
      await reading.close();
    }
  });
});
