import { afterEach, describe, expect, it } from 'vitest';
import {
  inTurn,
  type ModelScript,
  type ModelServer,
} from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import {
  createEval,
  deferred,
  echoes,
  evaluate,
  eventsOf,
  install,
  modelConfig,
  payloadsOf,
  questionIn,
  readJson,
  startModelServer,
} from './pack-host.js';
import { createSkippingClock } from './skipping-clock.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

const tasks = ['one', 'two', 'three'].map((input) => ({ input, expect: input }));
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(
  script: ModelScript,
  clock: Clock = systemClock,
): Promise<{ readonly host: WholeHost; readonly model: ModelServer }> {
  const model = await startModelServer(script);
  open.push(model);
  const host = await openWholeHost(modelConfig(model), { clock });
  open.push(host);
  await install(host, { tasks });
  return { host, model };
}

const HOUR = 3_600;
/** A wait of an hour or so is over at once. */
const skippingClock = (): Clock => createSkippingClock(HOUR * 900);

const later = { status: 429, headers: { 'retry-after': String(HOUR) }, body: 'canary-in-an-error' };
type View = { readonly invocations: readonly { readonly attempts?: number; readonly reason?: string }[] };
const invocationOf = async (host: WholeHost, runId: string, taskId: string) => {
  const { body } = await readJson(host, `/v1/host/touchstone/runs/${runId}/tasks/${taskId}`);
  return (body as unknown as View).invocations[0];
};

describe('a model that is busy', () => {
  it('is asked again when it said, for as long as it says so; the waiting is nobody’s latency', async () => {
    const busy: ModelScript = (request, index) => (index < 3 ? later : echoes(request, index));
    const { host, model } = await start(busy, skippingClock());
    const { summary, snapshot, events, runId } = await evaluate(host, { configurable: { concurrency: 1 } });
    expect(snapshot.status).toBe('completed');
    expect(summary.tasks.map(({ score }) => score)).toEqual([1, 1, 1]);
    expect(model.requests.map(questionIn)).toEqual(['one', 'one', 'one', 'one', 'two', 'three']);
    expect(payloadsOf(events, 'provider.usage')).toHaveLength(3);
    expect(await invocationOf(host, runId, 't-0')).toMatchObject({ attempts: 4 });
    expect(await invocationOf(host, runId, 't-1')).not.toHaveProperty('attempts');
    for (const { latencyMs } of summary.tasks) expect(latencyMs).toBeLessThan(HOUR * 1000);
  });

  it('for longer than the run may take ends the run, not the waiting', async () => {
    const { host } = await start(() => later);
    const { body } = await createEval(host, { configurable: { runTimeoutMs: 300 } });
    const events = await eventsOf(host, body.runId as string);
    expect(events.at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'run_timeout' } },
    });
    expect(JSON.stringify(events)).not.toContain('canary-in-an-error');
  });
});

describe('a model that does not answer', () => {
  it('leaves tasks unscored, and the run goes on to its end', async () => {
    const broken: ModelScript = (request, index) =>
      questionIn(request) === 'two' ? { status: 500, body: 'canary-in-an-error' } : echoes(request, index);
    const { host, model } = await start(broken);
    const { summary, snapshot, runId, events } = await evaluate(host);
    expect(snapshot.status).toBe('completed');
    expect(snapshot.touchstone.headline).toMatchObject({ unscored: 1, passedCount: 2, taskCount: 3 });
    expect(summary.tasks.map(({ score, passed }) => [score, passed])).toEqual([
      [1, true],
      [0, false],
      [1, true],
    ]);
    expect(model.requests.filter((request) => questionIn(request) === 'two')).toHaveLength(4);
    const invocation = await invocationOf(host, runId, 't-1');
    expect(invocation).toMatchObject({ attempts: 4, reason: expect.stringContaining('HTTP 500') });
    expect(JSON.stringify([invocation, events])).not.toContain('canary-in-an-error');
  });

  it('is asked again after a lost connection, within one invocation', async () => {
    const { host, model } = await start((request, index) => (index === 0 ? 'reset' : echoes(request, index)));
    const { summary } = await evaluate(host, { configurable: { concurrency: 1 } });
    expect(summary.passedCount).toBe(3);
    expect(model.requests).toHaveLength(4);
  });
});

describe('a model whose answer is none', () => {
  it.each<[string, ModelScript]>([
    ['broken JSON', () => ({ status: 200, body: '{"choices": [' })],
    ['another kind of JSON', () => ({ status: 200, body: '{"hello":"canary-in-an-error"}' })],
    ['a refusal of the request', () => ({ status: 422, body: 'canary-in-an-error' })],
    ['an empty page', () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' })],
    ['an answer without end', () => 'endless'],
    ['its token limit', inTurn({ say: '', finish: 'length' })],
  ])('fails its tasks by %s, once each', async (_, script) => {
    const { host, model } = await start(script);
    const { summary, snapshot, events, runId } = await evaluate(host);
    expect(snapshot.touchstone.headline).toMatchObject({ unscored: 0, passedCount: 0, aggregateScore: 0 });
    expect(summary.tasks.map(({ score }) => score)).toEqual([0, 0, 0]);
    expect(payloadsOf(events, 'agent.invocation.completed').map(({ outcome }) => outcome)).toEqual(
      Array(3).fill('failed'),
    );
    expect(model.requests).toHaveLength(3);
    const text = JSON.stringify([events, await invocationOf(host, runId, 't-0'), host.logs]);
    expect(text).not.toContain('canary-in-an-error');
  });
});

describe('a run that is stopped', () => {
  it('by its budget starts no further task, and has paid for every call it made', async () => {
    const { host, model } = await start(echoes);
    const configurable = { concurrency: 1, budget: { maxCostUsd: 0.05 } };
    const { events, snapshot } = await evaluate(host, { configurable });
    expect(events.at(-1)).toMatchObject({ payload: { error: { code: 'budget_exhausted' } } });
    expect(payloadsOf(events, 'cap.breached')).toMatchObject([{ kind: 'budget-cost', limit: 0.05 }]);
    expect(payloadsOf(events, 'provider.usage')).toHaveLength(2);
    expect(model.requests).toHaveLength(2);
    const { metrics } = snapshot as unknown as { metrics: { openwopCost: { usd: number } } };
    expect(metrics.openwopCost.usd).toBeCloseTo(2 * 0.037, 10);
  });

  it('by its owner lets go of the model at once, and leaves no half of a task', async () => {
    const arrived = deferred();
    const held = deferred();
    const { host } = await start(async () => {
      arrived.resolve();
      await held.promise;
      return { say: 'too late' };
    });
    const runId = (await createEval(host)).body.runId as string;
    await arrived.promise;
    await host.fetch(`/v1/runs/${runId}/cancel`, { method: 'POST', body: {} });
    const types = (await eventsOf(host, runId)).map(({ type }) => type);
    held.resolve();
    expect(types).toEqual(['run.started', 'eval.started', 'run.cancelled']);
  });
});
