// Goal: judge and embedder of a contract as they are in a run, over real connections. Method: one server on loopback that
// is both, with answers that the test chooses, and the same parts that a host puts together.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { asId, HOST_OWNER, type ModelName, type TaskId } from '@touchstone/protocol';
import { type EvalContract, type Task, toBody } from '@touchstone/protocol/bodies';
import { expect, it, onTestFinished } from 'vitest';
import { createAskModel, createEmbedder, createModels, parseProviders } from '../../agents/index.js';
import { createPaces } from '../../net/index.js';
import type { Clock, Usage } from '../../ports/index.js';
import { createContractScorer, createModelJudge, judgeIdentity } from '../index.js';
import { AT_ONCE } from '../testing/at-once.js';

type Answered = { readonly status: number; readonly body: object };
type Heard = {
  readonly path: string;
  readonly body: { readonly messages?: unknown; readonly input?: unknown };
};

async function serve(answer: (heard: Heard) => Answered) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const one = { path: request.url ?? '', body: JSON.parse(await text(request)) };
    heard.push(one);
    const { status, body } = answer(one);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { heard, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

/** Nobody waits here: a retry comes at once, and no deadline ever does. */
const clock: Clock = {
  now: () => 0,
  elapsed: () => 0,
  sleep: (ms) => (ms < 50_000 ? Promise.resolve() : new Promise(() => undefined)),
};

const common = { strict: true, direction: 'max', rate: 1 } as const;
const criteria: EvalContract['criteria'] = [
  { ...common, id: 'near', name: 'near', evaluator: 'similarity', class: 'graded', degree: 0.9 },
  { ...common, id: 'tone', name: 'tone', evaluator: 'judge', class: 'graded', degree: 0.7 },
  { ...common, id: 'polite', name: 'polite', evaluator: 'judge', class: 'binary' },
  { ...common, id: 'short', name: 'short', evaluator: 'judge', class: 'binary', strict: false },
];
const taskId = asId<TaskId>('row-0001');
const contract: EvalContract = {
  contractVersion: 1,
  suiteId: asId('local.acme.evals.a'),
  suiteVersion: asId('1.0.0'),
  suiteSha256: '0',
  agent: { id: 'a', name: 'a', version: '1.0.0', sha256: '0' },
  criteria,
  tasks: { [taskId]: { criteria: criteria.map(({ id }) => id), reference: 'Five days.' } },
};
const task: Task = {
  taskId,
  input: toBody('How long?'),
  expected: {
    kind: 'rubric',
    rubric: criteria.map(({ name, strict }) => ({ criterion: toBody(name), weight: strict ? 1 / 3 : 0 })),
  },
};

/** Scores one answer with a judge and an embedder at this address. */
async function scoreAt(baseUrl: string) {
  const paceOf = createPaces(clock);
  const models = createModels({
    providers: parseProviders({ local: { kind: 'openai-compatible', baseUrl } }),
    modelClasses: {},
    models: {},
    env: {},
    baseDir: '/',
    clock,
    random: () => 0.5,
    paceOf,
    isOnlyTenant: () => true,
  });
  onTestFinished(() => models.close());
  const provider = asId<ModelName>('local');
  const identity = judgeIdentity(provider, asId<ModelName>('judge-1'), 1);
  const { ask, close } = createAskModel(await models.open(HOST_OWNER, identity), clock);
  const judge = createModelJudge(identity, ask, close);
  const pin = { provider, model: asId<ModelName>('embed-1') };
  const embedder = createEmbedder(models, pin, { owner: HOST_OWNER, clock, random: () => 0.5, paceOf });
  onTestFinished(() => embedder.close());
  const spent: Usage[] = [];
  const scorer = createContractScorer({
    contract,
    ...AT_ONCE,
    judge,
    embedder,
  });
  const transcript = { outcome: 'completed', toolCalls: [], seed: '0.0', output: toBody('5 days') } as const;
  const scored = await scorer(task, transcript, new AbortController().signal, async (usage) =>
    spent.push(...usage),
  );
  return { scored, spent, identity };
}

const verdicts = [
  { criterion: 1, reason: 'warm', met: true, score: 0.75 },
  { criterion: 2, reason: 'curt', met: false },
  { criterion: 3, reason: 'brief', met: true },
];
const completion = (content: string): Answered => ({
  status: 200,
  body: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'judge-1',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70 },
  },
});
const embeddings: Answered = {
  status: 200,
  body: {
    data: [
      { index: 0, embedding: [0.6, 0.8] },
      { index: 1, embedding: [0.8, 0.6] },
    ],
    usage: { prompt_tokens: 6, total_tokens: 6 },
  },
};

it('one embedding and one judgement decide a task', async () => {
  const judgement = completion(JSON.stringify({ verdicts }));
  const { heard, baseUrl } = await serve(({ path }) =>
    path.endsWith('/embeddings') ? embeddings : judgement,
  );
  const { scored, spent, identity } = await scoreAt(baseUrl);
  expect(heard.map(({ path }) => path)).toEqual(['/v1/embeddings', '/v1/chat/completions']);
  expect(heard[0]?.body.input).toEqual(['5 days', 'Five days.']);
  expect(scored).toMatchObject({
    score: { kind: 'scored', value: 2 / 3 },
    judge: identity.digest,
    criteria: [
      { id: 'near', met: true, value: expect.closeTo(0.96, 12) },
      { id: 'tone', met: true, value: 0.75 },
      { id: 'polite', met: false },
      { id: 'short', met: true },
    ],
  });
  expect(spent).toMatchObject([
    { model: 'embed-1', inputTokens: 6, outputTokens: 0 },
    { model: 'judge-1', inputTokens: 50, outputTokens: 20 },
  ]);
});

it('an embedder that is away and a judge in tongues leave the strict ones unmet', async () => {
  const { heard, baseUrl } = await serve(({ path }) =>
    path.endsWith('/embeddings') ? { status: 503, body: {} } : completion('Very good indeed.'),
  );
  const { scored, spent } = await scoreAt(baseUrl);
  expect(scored.score).toEqual({ kind: 'scored', value: 0, findings: [] });
  expect(scored.criteria).toMatchObject([
    { id: 'near', met: false, unjudged: 'embedder_unreachable' },
    { id: 'tone', met: false, unjudged: 'judge_unreadable' },
    { id: 'polite', met: false, unjudged: 'judge_unreadable' },
  ]);
  // Four tries, then a question that is put once more when the answer cannot be read; answers are paid, tries are not.
  expect(heard.map(({ path }) => path.split('/').at(-1))).toEqual([
    ...Array(4).fill('embeddings'),
    'completions',
    'completions',
  ]);
  expect(spent.map(({ model }) => model)).toEqual(['judge-1', 'judge-1']);
});
