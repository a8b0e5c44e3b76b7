import type { ContractReport, EvalReport } from '@touchstone/protocol';
import { schemaIssues } from '@touchstone/protocol/schema';
import { check, vendor } from '@touchstone/protocol/wire';
import { afterEach, describe, expect, it } from 'vitest';
import { resultOf } from './judge-host.js';
import { type Evaluated, eventsOf, payloadsOf, plain, readJson, type Summary } from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import {
  compile,
  createRun,
  EMBED_MODEL,
  evaluated,
  INVOICE_AGENT,
  install,
  invoicesWith,
  openProfileHost,
  POLICY_AGENT,
  type ProfileHost,
  policiesWith,
  questionIn,
  readContractReport,
} from './profile-host.js';
import { rejudged } from './rejudge-host.js';
import { diffOf, fork } from './run-host.js';
import type { WholeHost } from './whole-host.js';

// Goal: a run under a contract is scored as its contract says, and says so wherever it speaks. Method: agents that answer
// what their rows tell them to, so that every task is met or missed by a test's choice.
const open: ProfileHost[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
async function start(options?: Parameters<typeof openProfileHost>[0]): Promise<ProfileHost> {
  const setup = await openProfileHost(options);
  open.push(setup);
  return setup;
}

const RIGHT = { queue: 'pay', amount_minor: 1 };
/** Right, and a few characters longer than the contract advises. */
const LONG = { queue: 'pay', amount_minor: 123_456_789_012 };
const WRONG = { queue: 'review', amount_minor: 1 };
const NO_JSON = 'Put it on the pile.';
/** Four rows; three of four answers must fit the schema, two of four must be right. */
const RUBRIC = [
  { name: 'json_schema_validity', threshold: 0.75 },
  { name: 'accuracy', threshold: 0.5 },
  { name: 'response_conciseness', description: 'Under 40 characters.', strict: false },
];
const invoiceRows = (...answers: readonly unknown[]) =>
  answers.map((say, index) => ({
    id: `i-${index + 1}`,
    input: { text: `invoice ${index + 1}`, say },
    expected: say === LONG ? LONG : RIGHT,
  }));
type Compiling = { readonly evaluation?: object; readonly version?: string };
const invoiceBody = (answers: readonly unknown[], { evaluation, version }: Compiling = {}) => ({
  definition: invoicesWith({ expected_latency_ms: 600_000, grading_rubric: RUBRIC, ...evaluation }, version),
  rows: invoiceRows(...answers),
});
const PASS_SCORE = 1 - (1 * 0.5 + 2 * 0.5) / 4;

type Whole = Evaluated & { readonly contract: ContractReport; readonly report: EvalReport };
async function wholeOf(host: WholeHost, run: Evaluated): Promise<Whole> {
  expect(check('eval-summary', run.summary)).toEqual([]);
  for (const event of run.events) expect(check('run-event', event)).toEqual([]);
  const { status, body } = await readJson(host, `/v1/host/touchstone/runs/${run.runId}/report`);
  expect({ status, issues: schemaIssues(vendor.evalReport, body) }).toEqual({ status: 200, issues: [] });
  const contract = await readContractReport(host, run.runId);
  return { ...run, contract, report: body as unknown as EvalReport };
}
async function ran(
  { host }: ProfileHost,
  body: object,
  wish?: Parameters<typeof evaluated>[2],
): Promise<Whole> {
  return wholeOf(host, await evaluated(host, await install(host, body), wish));
}

const scoresOf = ({ tasks }: Summary) => tasks.map(({ score, passed }) => [score, passed]);
const statusesOf = ({ criteria }: ContractReport) =>
  Object.fromEntries(criteria.map(({ id, status }) => [id, status]));
/** What anyone can work out from the suite and the summary: score, cost, latency, and nothing more. */
function formula(summary: Summary, passScore: number, maxP95LatencyMs: number): boolean {
  const scores = summary.tasks.map(({ score }) => score);
  const latencies = summary.tasks.map(({ latencyMs = 0 }) => latencyMs).sort((a, b) => a - b);
  const p95 = latencies[Math.ceil(0.95 * latencies.length) - 1] as number;
  expect(summary.aggregateScore).toBeCloseTo(scores.reduce((a, b) => a + b, 0) / scores.length, 12);
  return summary.aggregateScore >= passScore && p95 <= maxP95LatencyMs;
}

describe('a run under a contract', () => {
  it('scores the share of hard criteria that are met, and passes a task that meets them all', async () => {
    const setup = await start();
    const run = await ran(setup, invoiceBody([RIGHT, WRONG, NO_JSON, LONG]));
    expect(scoresOf(run.summary)).toEqual([
      [1, true],
      [0.5, false],
      [0, false],
      [1, true],
    ]);
    expect(run.summary.tasks.map(({ schemaValid }) => schemaValid)).toEqual([true, true, false, true]);
    expect(payloadsOf(run.events, 'eval.scored').map(({ score, passed }) => [score, passed])).toEqual(
      scoresOf(run.summary),
    );
    // Exactly as much as rates allow to miss: the lowest score with which all gates can be passed.
    expect(run.summary).toMatchObject({ aggregateScore: PASS_SCORE, passed: true, passedCount: 2 });
    expect(run.summary.passed).toBe(formula(run.summary, PASS_SCORE, 600_000));
    expect(run.contract).toEqual({
      runId: run.runId,
      suite: run.snapshot.touchstone.suite,
      agent: run.snapshot.touchstone.agent,
      contract: run.snapshot.touchstone.contract,
      verdict: 'pass',
      tasks: { total: 4, selected: 4, passed: 2 },
      criteria: [
        gate('json-schema-validity', 'schema-validity', 3, 0.75, 'pass'),
        gate('accuracy', 'reference-match', 2, 0.5, 'pass'),
        { ...gate('response-conciseness', 'conciseness', 3, 1, 'warn'), strict: false },
      ],
      sla: { expectedLatencyMs: 600_000, p95Ms: expect.any(Number), policy: 'gate', status: 'pass' },
      summary: { score: PASS_SCORE, passed: true },
      dataset: { digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), rows: 4 },
    });
    expect(run.report.criteria).toMatchObject([
      { id: 'json-schema-validity', applicable: 4, met: 0.75, weight: 0.5 },
      { id: 'accuracy', applicable: 4, met: 0.5, weight: 0.5 },
      { id: 'response-conciseness', applicable: 4, met: 0.75, weight: 0 },
    ]);
    expect(setup.models.requests).toEqual([]);
  });
  const gate = (id: string, evaluator: string, met: number, required: number, status: string) => ({
    id,
    strict: true,
    evaluator,
    applicable: 4,
    met,
    rate: met / 4,
    required,
    mean: met / 4,
    status,
  });

  it('fails the gates that it fails, which the scorecard need not notice', async () => {
    const setup = await start();
    const below = await ran(setup, invoiceBody([RIGHT, WRONG, NO_JSON, WRONG]));
    expect(below.summary).toMatchObject({ aggregateScore: 0.5, passed: false });
    expect(below.contract).toMatchObject({ verdict: 'fail', summary: { passed: false } });
    expect(statusesOf(below.contract)).toMatchObject({ 'json-schema-validity': 'pass', accuracy: 'fail' });
    expect(below.snapshot.status).toBe('completed');

    const above = await ran(setup, invoiceBody([RIGHT, WRONG, WRONG, WRONG], { version: '1.3.0' }));
    expect(above.summary).toMatchObject({ aggregateScore: PASS_SCORE, passed: true });
    expect(above.summary.passed).toBe(formula(above.summary, PASS_SCORE, 600_000));
    expect(above.contract).toMatchObject({ verdict: 'fail', summary: { passed: true } });
    expect(statusesOf(above.contract)).toMatchObject({ 'json-schema-validity': 'pass', accuracy: 'fail' });
  });

  it('is only warned by what is not strict, and rows of advice alone fail nobody', async () => {
    const setup = await start();
    const advisory = { ...RUBRIC[1], strict: false };
    const run = await ran(setup, invoiceBody([WRONG], { evaluation: { grading_rubric: [advisory] } }));
    expect(scoresOf(run.summary)).toEqual([[0, true]]);
    expect(run.summary).toMatchObject({ passed: true });
    expect(run.contract).toMatchObject({ verdict: 'pass', criteria: [{ strict: false, status: 'warn' }] });
  });

  it('that is slower than expected fails by its latency, whatever it scores', async () => {
    const setup = await start({
      answer: ({ say }) => {
        for (const until = performance.now() + 5; performance.now() < until; );
        return { output: say };
      },
    });
    const run = await ran(setup, invoiceBody([RIGHT, RIGHT], { evaluation: { expected_latency_ms: 0 } }));
    expect(run.summary).toMatchObject({ aggregateScore: 1, passedCount: 2, passed: false });
    expect(run.summary.passed).toBe(formula(run.summary, 1, 0));
    const slowest = Math.max(...run.summary.tasks.map(({ latencyMs = 0 }) => latencyMs));
    expect(run.contract).toMatchObject({
      verdict: 'fail',
      sla: { expectedLatencyMs: 0, p95Ms: slowest, policy: 'gate', status: 'fail' },
    });
    expect(new Set(Object.values(statusesOf(run.contract)))).toEqual(new Set(['pass']));
  });

  it('gives nothing for an error or a refusal, and counts it in every gate', async () => {
    const setup = await start({
      answer: ({ say }) => (say === 'crash' ? { nonsense: 1 } : { output: RIGHT, refused: say === 'refuse' }),
    });
    const run = await ran(setup, invoiceBody(['crash', 'refuse', RIGHT, RIGHT]));
    expect(scoresOf(run.summary)).toEqual([
      [0, false],
      [0, false],
      [1, true],
      [1, true],
    ]);
    expect(run.contract.criteria).toMatchObject([
      { id: 'json-schema-validity', applicable: 4, met: 2, status: 'fail' },
      { id: 'accuracy', applicable: 4, met: 2, status: 'pass' },
      { id: 'response-conciseness', applicable: 4, met: 2, status: 'warn' },
    ]);
  });

  it('leaves the return schema of the agent nothing but schemaValid to say', async () => {
    const returnSchema = { type: 'object', required: ['signed_by'] };
    const setup = await start();
    const bound = await startBound(setup, returnSchema);
    const only = { evaluation: { grading_rubric: [{ name: 'accuracy' }] } };
    const run = await ran(bound, invoiceBody([RIGHT, WRONG], only));
    expect(scoresOf(run.summary)).toEqual([
      [1, true],
      [0, false],
    ]);
    expect(run.summary.tasks.map(({ schemaValid }) => schemaValid)).toEqual([false, false]);
    expect(payloadsOf(run.events, 'agent.invocation.completed').map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
    ]);
  });
  const startBound = ({ agent }: ProfileHost, returnSchema: object) =>
    start({
      config: {
        agents: [
          {
            agentId: INVOICE_AGENT,
            version: '1.0.0',
            handoff: { returnSchema },
            run: { kind: 'http', url: agent.url },
          },
        ],
      },
    });

  it('meets a criterion when it does in every repeat', async () => {
    const asked = new Map<unknown, number>();
    const setup = await start({
      answer: ({ say, text }) => {
        const times = (asked.get(text) ?? 0) + 1;
        asked.set(text, times);
        return { output: say === 'wavers' && times === 2 ? WRONG : RIGHT };
      },
    });
    const body = invoiceBody(['wavers', RIGHT]);
    const run = await ran(setup, body, { configurable: { repeats: 4, concurrency: 1 } });
    expect(scoresOf(run.summary)).toEqual([
      [expect.closeTo((1 + 0.5 + 1 + 1) / 4, 12), false],
      [1, true],
    ]);
    expect(run.contract.criteria).toMatchObject([
      { id: 'json-schema-validity', met: 2, applicable: 2 },
      { id: 'accuracy', met: 1, applicable: 2, rate: 0.5, status: 'pass' },
      { id: 'response-conciseness', met: 2 },
    ]);
    expect(run.report.repeats).toMatchObject({ k: 4 });
  });
});

const FACTS = { name: 'factuality', description: 'Every number appears in the clause.', threshold: 0.9 };
const NEAR = { name: 'semantic_similarity', description: 'Same meaning as the reference.', threshold: 0.8 };
const SOMETHING = { name: 'non_empty', description: 'Says something.', threshold: 1 };
const TONE = { name: 'tone', description: 'Kind.', threshold: 0.5, strict: false };
const policyBody = (grading_rubric: readonly object[], version?: string, model = 'judge-large-2') => ({
  definition: policiesWith({ evaluator_model: model, grading_rubric }, version),
  rows: ['Five days.', 'Six days.'].map((say, index) => ({
    id: `p-${index + 1}`,
    input: { clause: 'Staff get 5 days.', say },
    reference: 'Five days.',
  })),
});
const asPolicies = { agentId: POLICY_AGENT };
/** Six days are half a fact, and rather far from five. */
const degreeOf = (answer: unknown): number => (answer === 'Five days.' ? 1 : 0.5);
const grades = ({ answer }: { readonly answer: unknown }) => degreeOf(answer);

describe('the judge of a contract', () => {
  it('is the model that the profile names, by the host’s own list of names; its degrees decide', async () => {
    const setup = await start({ judge: grades });
    const run = await ran(setup, policyBody([FACTS, NEAR, TONE]), asPolicies);
    expect(scoresOf(run.summary)).toEqual([
      [1, true],
      [0, false],
    ]);
    expect(run.contract).toMatchObject({
      verdict: 'fail',
      judge: { provider: 'local', model: 'judge-1', votes: 1 },
      criteria: [
        { id: 'factuality', evaluator: 'judge', met: 1, mean: 0.75, status: 'fail' },
        { id: 'semantic-similarity', evaluator: 'similarity', met: 1, mean: 0.75, status: 'fail' },
        { id: 'tone', strict: false, met: 2, mean: 0.75, status: 'pass' },
      ],
    });
    expect(run.contract).not.toHaveProperty('embedder');
    // All that only a judge can say of an answer is one question, with what it is to be compared with.
    expect(setup.askedOf('judge-1')).toHaveLength(2);
    expect(setup.models.requests).toHaveLength(2);
    const [first] = setup.askedOf('judge-1');
    expect(first?.body.temperature).toBe(0);
    const { criteria } = questionIn(first as NonNullable<typeof first>);
    expect(criteria.map(({ sentence }) => sentence.includes('Reference: Five days.'))).toEqual([
      false,
      true,
      false,
    ]);
    expect(run.report.cost).toMatchObject({
      agentUsd: expect.closeTo(0.5, 12),
      judgeUsd: expect.closeTo(2 * 0.037, 12),
    });
  });

  it('is the configured one when the host does not know the name', async () => {
    const setup = await start({ judge: grades, config: { models: {}, judge: { model: 'local/judge-9' } } });
    const run = await ran(setup, policyBody([FACTS]), asPolicies);
    expect(run.contract.judge).toMatchObject({ model: 'judge-9' });
    expect(setup.askedOf('judge-9')).toHaveLength(2);
  });

  it('is not a model that the tenant may not ask, whatever the definition says', async () => {
    const providers = (baseUrl: string) => ({
      local: { kind: 'openai-compatible', baseUrl, tenants: ['acme'] },
      dear: { kind: 'openai-compatible', baseUrl, tenants: ['globex'] },
    });
    const first = await start({ judge: grades });
    const setup = await start({
      config: { providers: providers(first.models.baseUrl), judge: { model: 'local/judge-9' } },
    });
    const run = await ran(setup, policyBody([FACTS], '0.3.0', 'dear/gold-1'), asPolicies);
    expect(run.contract.judge).toMatchObject({ provider: 'local', model: 'judge-9' });
    expect(first.askedOf('gold-1')).toEqual([]);
  });

  it('that nobody has refuses the run before there is one', async () => {
    const setup = await start({ config: { models: {} } });
    const ref = await install(setup.host, policyBody([FACTS]));
    const refused = await createRun(setup.host, ref, asPolicies);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: 'validation_error',
        details: { code: 'judge_unavailable', issues: [{ pointer: '/evalSuiteRef' }] },
      },
    });
    expect(await readJson(setup.host, '/v1/host/touchstone/runs')).toMatchObject({ body: { items: [] } });
    // Without a criterion for it, nobody misses it.
    expect((await ran(setup, policyBody([SOMETHING], '0.4.0'), asPolicies)).contract.verdict).toBe('pass');
  });

  it('that is away leaves hard criteria unmet, says error and not fail, and skips advice', async () => {
    const setup = await start({ judge: () => ({ status: 401, body: 'canary-of-the-judge' }) });
    const run = await ran(setup, policyBody([SOMETHING, FACTS, TONE]), asPolicies);
    expect(scoresOf(run.summary)).toEqual([
      [0.5, false],
      [0.5, false],
    ]);
    expect(run.snapshot.status).toBe('completed');
    expect(run.contract).toMatchObject({
      verdict: 'error',
      criteria: [
        { id: 'non-empty', met: 2, status: 'pass' },
        { id: 'factuality', applicable: 2, met: 0, unjudged: 2, status: 'error' },
        { id: 'tone', strict: false, applicable: 0, met: 0, unjudged: 2, status: 'error' },
      ],
    });
    const everything = JSON.stringify([run.events, run.contract, run.report, setup.host.logs]);
    expect(everything).not.toContain('canary-of-the-judge');
  });

  it('may be asked again, or another one; where nothing needs a judge there is nothing to ask', async () => {
    const setup = await start({
      judge: ({ model, answer }) => (model === 'judge-2' ? 1 : degreeOf(answer)),
    });
    const source = await ran(setup, policyBody([FACTS]), asPolicies);
    const again = await wholeOf(setup.host, await rejudged(setup.host, source.runId));
    expect(again.contract.judge).toEqual(source.contract.judge);
    expect(again.contract.criteria).toEqual(source.contract.criteria);
    const other = await wholeOf(
      setup.host,
      await rejudged(setup.host, source.runId, { judge: 'local/judge-2' }),
    );
    expect(other.contract).toMatchObject({
      verdict: 'pass',
      contract: source.contract.contract,
      judge: { model: 'judge-2' },
      criteria: [{ id: 'factuality', met: 2, mean: 1, status: 'pass' }],
    });
    expect(setup.agent.requests).toHaveLength(2);

    const plainly = await ran(setup, policyBody([SOMETHING], '0.4.0'), asPolicies);
    const path = `/v1/host/touchstone/runs/${plainly.runId}:rejudge`;
    expect(await readJson(setup.host, path, { method: 'POST', body: {} })).toMatchObject({ status: 400 });
  });
});

describe('the embedder of a host', () => {
  const config = { embedder: { model: `local/${EMBED_MODEL}` } };
  const embed = (text: string) => (text === 'Five days.' ? [1, 0] : [0.6, 0.8]);

  it('compares meanings, and the judge is left with the rest', async () => {
    const setup = await start({ config, embed });
    const run = await ran(setup, policyBody([FACTS, NEAR]), asPolicies);
    expect(scoresOf(run.summary)).toEqual([
      [1, true],
      [0.5, false],
    ]);
    expect(run.contract).toMatchObject({
      embedder: { provider: 'local', model: EMBED_MODEL },
      criteria: [
        { id: 'factuality', met: 2, mean: 1 },
        { id: 'semantic-similarity', met: 1, mean: expect.closeTo(0.8, 12), status: 'fail' },
      ],
    });
    expect(setup.askedOf(EMBED_MODEL)).toHaveLength(2);
    for (const request of setup.askedOf('judge-1')) expect(questionIn(request).criteria).toHaveLength(1);
  });

  it('needs no judge beside it', async () => {
    const setup = await start({ config: { ...config, models: {} }, embed });
    const run = await ran(setup, policyBody([NEAR]), asPolicies);
    expect(run.contract).not.toHaveProperty('judge');
    expect(run.contract.criteria).toMatchObject([{ met: 1, status: 'fail' }]);
  });

  it('that is away leaves the criterion open, and does not turn to the judge in the middle of a run', async () => {
    const setup = await start({ config, embed: { status: 401 } });
    const run = await ran(setup, policyBody([NEAR]), asPolicies);
    expect(run.contract).toMatchObject({ verdict: 'error', criteria: [{ unjudged: 2, status: 'error' }] });
    expect(setup.askedOf('judge-1')).toEqual([]);
  });
});

describe('afterwards', () => {
  it('a replay of the run is the same run, and calls nobody', async () => {
    const setup = await start({ judge: grades });
    const source = await ran(setup, policyBody([FACTS, TONE]), {
      ...asPolicies,
      configurable: { repeats: 2 },
    });
    const calls = setup.calls();
    const created = await fork(setup.host, source.runId, { mode: 'replay' });
    expect(created).toMatchObject({ status: 201 });
    const copy = await wholeOf(setup.host, await resultOf(setup.host, created.body.runId as string));
    expect(plain(copy.events)).toBe(plain(source.events));
    expect(copy.events.map(({ type }) => type)).not.toContain('replay.diverged');
    expect(copy.summary).toEqual(source.summary);
    expect({ ...copy.contract, runId: '' }).toEqual({ ...source.contract, runId: '' });
    expect(await diffOf(setup.host, source.runId, copy.runId)).toMatchObject({ eventDiffs: [] });
    expect(setup.calls()).toBe(calls);
  });

  it('two equal runs have equal logs', async () => {
    const setup = await start({ judge: grades });
    const first = await ran(setup, policyBody([FACTS, TONE]), asPolicies);
    const second = await evaluated(setup.host, first.contract.suite.ref, asPolicies);
    expect(plain(second.events)).toBe(plain(first.events));
  });

  it('two runs under one contract are compared, and never with one that had none', async () => {
    let broken = 0;
    const config = { judge: { model: 'local/judge-1' } };
    const setup = await start({
      config,
      answer: ({ say, text }) => ({ output: Number(String(text).slice(8)) <= broken ? WRONG : say }),
    });
    const { host } = setup;
    const body = invoiceBody(Array.from({ length: 8 }, () => RIGHT));
    const { suite } = (await compile(host, body)).body;
    await readJson(host, '/v1/host/touchstone/suites', { method: 'POST', body: suite });
    const before = await createRun(host, (suite as { suiteId: string }).suiteId);
    await eventsOf(host, before.body.runId as string);

    const good = await ran(setup, body);
    broken = 6;
    const bad = await evaluated(host, good.contract.suite.ref, {
      configurable: { baselineRunId: good.runId },
    });
    const { report } = await wholeOf(host, bad);
    expect(report.regression).toMatchObject({ verdict: 'fail', toFail: expect.arrayContaining(['i-1']) });
    expect(report.regression?.scoreDelta).toBeCloseTo(-(6 * 0.5) / 8, 12);

    const plainBaseline = { configurable: { baselineRunId: before.body.runId, allowJudgeMismatch: true } };
    const refused = await createRun(host, good.contract.suite.ref, plainBaseline);
    expect(refused).toMatchObject({
      status: 400,
      body: { details: { issues: [{ pointer: '/configurable/baselineRunId' }] } },
    });
    expect(refused.body.message).toContain('contract');
    const against = `/v1/host/touchstone/runs/${bad.runId}/report?against=${before.body.runId}&allowJudgeMismatch=true`;
    expect(await readJson(host, against)).toMatchObject({ status: 400 });
  });

  it('there is a report for its owner alone, and none for a run without a contract', async () => {
    const setup = await start({ config: { judge: { model: 'local/judge-1' } } });
    const { host } = setup;
    const { suite } = (await compile(host, invoiceBody([RIGHT]))).body;
    await readJson(host, '/v1/host/touchstone/suites', { method: 'POST', body: suite });
    const bare = await createRun(host, (suite as { suiteId: string }).suiteId);
    await eventsOf(host, bare.body.runId as string);
    const run = await ran(setup, invoiceBody([RIGHT]));
    const read = (runId: unknown, key?: string) =>
      readJson(host, `/v1/host/touchstone/runs/${runId}/contract-report`, key === undefined ? {} : { key });
    expect(await read(bare.body.runId)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(await read(run.runId, OTHER_KEY)).toEqual(await read('run-nobody-has', OTHER_KEY));
    expect(await read(run.runId, OTHER_KEY)).toMatchObject({ status: 404 });
  });
});

describe('what authors and models write', () => {
  const CANARY = {
    description: 'canary-description-1f0a',
    reference: 'canary-reference-22b7',
    input: 'canary-input-9c41',
    forbidden: 'canary-forbidden-77de',
    answer: 'canary-answer-3e58',
    reason: 'canary-reason-c06b',
  };
  const found = (value: unknown): string[] =>
    Object.values(CANARY).filter((canary) => JSON.stringify(value).includes(canary));

  it('is in the task’s view and the contract, and in nothing that says how a run went', async () => {
    const setup = await start({
      judge: () => 0,
      reason: CANARY.reason,
      answer: () => ({ output: `${CANARY.answer} ${CANARY.forbidden}` }),
    });
    const { host } = setup;
    const rubric = [
      { name: 'factuality', description: CANARY.description, threshold: 1 },
      { name: 'exact_match', description: CANARY.description, threshold: 1 },
      { name: 'forbidden_content', description: CANARY.description, threshold: 1 },
    ];
    const rows = [
      {
        id: 'secretive',
        input: { clause: CANARY.input },
        reference: CANARY.reference,
        forbidden: [CANARY.forbidden],
      },
    ];
    const body = { ...policyBody(rubric), rows };
    expect(found((await compile(host, body)).body)).toHaveLength(4);
    const run = await ran(setup, body, asPolicies);
    const view = await readJson(host, `/v1/host/touchstone/runs/${run.runId}/tasks/secretive`);
    expect(found(view)).toEqual(expect.arrayContaining([CANARY.reason, CANARY.answer, CANARY.description]));

    const free = run.events.filter(({ type }) => !type.startsWith('agent.'));
    expect(free.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['eval.started', 'eval.scored', 'eval.completed']),
    );
    expect(run.contract.criteria.map(({ status }) => status)).toEqual(['fail', 'fail', 'fail']);
    const list = await readJson(host, '/v1/host/touchstone/runs');
    expect(found([free, run.summary, run.report, run.contract, run.snapshot, list, host.logs])).toEqual([]);

    const noisy = {
      ...body,
      rows: [...rows, ...rows, { id: CANARY.reason, input: CANARY.input, match: CANARY.answer }],
    };
    const refused = await compile(host, noisy);
    expect(refused.status).toBe(400);
    expect(found([refused, host.logs])).toEqual([]);
  });
});
