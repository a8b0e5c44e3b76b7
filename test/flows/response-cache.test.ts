import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelServer } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import {
  createEval,
  type Evaluated,
  evaluate,
  install,
  modelConfig,
  payloadsOf,
  plain,
  questionIn,
  readJson,
  resultsIn,
  startModelServer,
} from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import { ACME_SIDE_KEY, ECHO_AGENT, echoAgent, openWholeHost, type WholeHost } from './whole-host.js';

const TOOL = 'local:kb.search';
const fixtures = { toolResponses: [{ tool: TOOL, response: 'found' }] };
const SHAPE = {
  tasks: [
    { input: 'one', expect: 'one' },
    { input: 'two', expect: 'found', fixtures },
    { input: 'no', expect: 'yes' },
  ],
  agent: { toolAllowlist: [TOOL] },
};
/** The second task takes two questions. */
const QUESTIONS = 4;

let server: ModelServer;
let host: WholeHost;
beforeAll(async () => {
  server = await startModelServer((request) => {
    const question = questionIn(request);
    if (question === 'no') return { refusal: 'no' };
    if (question !== 'two') return { say: question };
    const [result] = resultsIn(request);
    return result
      ? { say: String(result.outcome) }
      : { reasoning: 'Hm.', calls: [{ name: 'local_kb_search', arguments: { q: 'two' } }] };
  });
});
afterAll(() => server.close());
beforeEach(async (context) => {
  host = await openWholeHost(modelConfig(server, { agents: [echoAgent()] }), {
    files: { 'echo.mjs': ECHO_AGENT },
  });
  context.onTestFinished(() => host.close());
  await install(host, SHAPE);
});

const cached = (members: object = {}) => ({ configurable: { cache: true, ...members } });

/** Evaluates, and counts how often the model was really asked. */
async function counted(extra: object, key?: string): Promise<Evaluated & { readonly asked: number }> {
  const before = server.requests.length;
  const evaluated = await evaluate(host, extra, key);
  return { ...evaluated, asked: server.requests.length - before };
}

describe('remembered answers', () => {
  it('stand in for the model the second time: same tokens, no money, and the run says so', async () => {
    const first = await counted(cached());
    expect(first.asked).toBe(QUESTIONS);
    expect(first.snapshot.touchstone).toMatchObject({ cache: true });
    expect(first.snapshot.touchstone.headline).not.toHaveProperty('cacheHits');

    const second = await counted(cached());
    expect(second.asked).toBe(0);
    const usages = payloadsOf(second.events, 'provider.usage');
    expect(usages).toHaveLength(QUESTIONS);
    for (const usage of usages)
      expect(usage).toMatchObject({ cacheHit: true, costEstimateUsd: 0, inputTokens: 7, outputTokens: 3 });
    expect(second.summary.totalCostUsd).toBe(0);
    expect(second.summary.tasks.map(({ score, costUsd }) => [score, costUsd])).toEqual(
      first.summary.tasks.map(({ score }) => [score, 0]),
    );
    expect(second.snapshot.touchstone.headline).toMatchObject({ cacheHits: QUESTIONS, totalCostUsd: 0 });
    const { body } = await readJson(host, '/v1/host/touchstone/runs');
    expect(body.items).toMatchObject([
      { runId: second.runId, touchstone: { headline: { cacheHits: QUESTIONS } } },
      { runId: first.runId },
    ]);
  });

  it('leave the log as it would have been, but for the money', async () => {
    const money = /,"(costEstimateUsd|costUsd|totalCostUsd|cacheHit)":[^,}]+/g;
    const [first, second] = [await counted(cached()), await counted(cached())];
    expect(plain(second.events).replaceAll(money, '')).toBe(plain(first.events).replaceAll(money, ''));
  });

  it('are not given to other tenants and workspaces', async () => {
    await counted(cached());
    for (const key of [OTHER_KEY, ACME_SIDE_KEY]) {
      await install(host, SHAPE, key);
      expect((await counted(cached(), key)).asked).toBe(QUESTIONS);
    }
  });

  it('are not given to runs that do not ask for them, nor taken from those', async () => {
    expect((await counted({})).asked).toBe(QUESTIONS);
    expect((await counted(cached())).asked).toBe(QUESTIONS);
    expect((await counted({})).asked).toBe(QUESTIONS);
  });

  it('answer one repeat each, and one setting each', async () => {
    await counted(cached());
    expect((await counted(cached({ repeats: 3 }))).asked).toBe(2 * QUESTIONS);
    expect((await counted(cached({ repeats: 3 }))).asked).toBe(0);
    expect((await counted(cached({ temperature: 1 }))).asked).toBe(QUESTIONS);
    expect((await counted(cached({ model: 'local/large-2' }))).asked).toBe(QUESTIONS);
  });

  it('cannot be asked for of an agent that asks its model itself', async () => {
    const { status, body } = await createEval(host, {
      ...cached({ allowTargetMismatch: true }),
      agentId: 'local.test.echo',
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('/configurable/cache');
  });
});

it('a failure is not remembered', async (context) => {
  let broken = true;
  const model = await startModelServer((request) =>
    broken ? { status: 400 } : { say: questionIn(request) },
  );
  const other = await openWholeHost(modelConfig(model));
  context.onTestFinished(async () => {
    await other.close();
    await model.close();
  });
  await install(other);
  expect((await evaluate(other, cached())).summary.passedCount).toBe(0);
  broken = false;
  expect((await evaluate(other, cached())).summary.passedCount).toBe(1);
});
