import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelServer } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import {
  AGENT,
  createEval,
  type Deferred,
  deferred,
  type Event,
  evaluate,
  eventsOf,
  install,
  modelConfig,
  ofType,
  payloadsOf,
  questionIn,
  readJson,
  startModelServer,
} from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Two hosts: the far one has the pack and asks the model, the near one evaluates the far one's agent by the protocol alone.
const REMOTE = 'local.acme.remote';
const OWN = 'local.acme.own';
const SUITE = 'local.acme.evals.remote';
const suite = (extra: object = {}, taskExtra: object = {}) => ({
  suiteId: SUITE,
  version: '1.0.0',
  modes: ['golden', 'live-shadow'],
  tasks: ['one', 'no', 'two'].map((word, index) => ({
    taskId: `t-${index}`,
    input: index === 2 ? word : { input: word },
    expected: { kind: 'golden', match: { strategy: 'contains', value: word } },
    ...taskExtra,
  })),
  ...extra,
});

let model: ModelServer;
let far: WholeHost;
let near: WholeHost;
/** While it is there, the model answers only when it is settled. */
let held: Deferred | undefined;
const arrived = deferred();

beforeAll(async () => {
  model = await startModelServer(async (request) => {
    const question = questionIn(request);
    if (held) {
      arrived.resolve();
      await held.promise;
    }
    return question.includes('no') ? { refusal: 'no, never' } : { say: question };
  });
  far = await openWholeHost(modelConfig(model));
  await install(far);
  const run = { kind: 'openwop', baseUrl: far.url, agentId: AGENT, apiKeyEnv: 'FAR_KEY' };
  const provider = { kind: 'openwop', baseUrl: far.url, apiKeyEnv: 'FAR_KEY', tenants: ['acme'] };
  near = await openWholeHost(
    { agents: [{ agentId: REMOTE, version: '1.0.0', run }], providers: { far: provider } },
    { env: { FAR_KEY: KEY } },
  );
  await near.client().suites.install(suite() as never);
});
afterAll(async () => {
  held?.resolve();
  await near.close();
  await far.close();
  await model.close();
});

const body = (agentId: string, extra: object = {}) => ({ evalSuiteRef: SUITE, agentId, ...extra });
const bind = (agentId: string, run: object, key = KEY) =>
  readJson(near, `/v1/host/touchstone/agents/${agentId}`, {
    method: 'PUT',
    key,
    body: { agentId, version: '1.0.0', run },
  });

function scored(events: readonly Event[]): void {
  expect(payloadsOf(events, 'agent.invocation.completed').map(({ outcome }) => outcome)).toEqual([
    'completed',
    'refused',
    'completed',
  ]);
  const usages = payloadsOf(events, 'provider.usage');
  expect(usages).toHaveLength(3);
  for (const usage of usages)
    expect(usage).toMatchObject({ provider: 'local', model: 'small-1', inputTokens: 7, outputTokens: 3 });
}

describe('an agent on another host', () => {
  it('of the configuration is scored, and what it used there is carried over', async () => {
    const { events, summary } = await evaluate(near, body(REMOTE));
    scored(events);
    expect(summary.tasks.map(({ passed }) => passed)).toEqual([true, false, true]);
    expect(summary.totalCostUsd).toBeCloseTo(3 * 0.037, 10);
    const { body: runs } = await readJson(far, '/v1/host/touchstone/runs');
    expect(runs.items).toMatchObject([{ workflowId: AGENT }, { workflowId: AGENT }, { workflowId: AGENT }]);
  });

  it('of a tenant is reached through a provider that was granted, and through no other', async () => {
    const run = { kind: 'openwop', provider: 'far', agentId: AGENT };
    expect(await bind(OWN, run)).toMatchObject({ status: 201 });
    scored((await evaluate(near, body(OWN))).events);
    const foreign = await bind(OWN, run, OTHER_KEY);
    const absent = await bind(OWN, { ...run, provider: 'fog' }, OTHER_KEY);
    expect(foreign.status).toBe(400);
    const words = (answer: object) => JSON.stringify(answer).replaceAll(/far|fog/g, '<name>');
    expect(words(foreign)).toBe(words(absent));
    expect(await bind('local.acme.other', { ...run, provider: undefined, baseUrl: far.url })).toMatchObject({
      status: 400,
    });
    const withKey = { kind: 'openwop', baseUrl: 'https://example.com', agentId: AGENT, apiKeyEnv: 'FAR_KEY' };
    expect(await bind('local.acme.other', withKey)).toMatchObject({ status: 400 });
  });

  it('is not given fixtures, because they could not travel: refused at create, by pointer', async () => {
    const fixtures = { toolResponses: [{ tool: 'local:a', response: 1 }] };
    const other = suite({ suiteId: `${SUITE}-with` }, { fixtures });
    await near.client().suites.install(other as never);
    const refused = await createEval(near, body(REMOTE, { evalSuiteRef: `${SUITE}-with` }));
    expect(refused).toMatchObject({
      status: 400,
      body: { details: { field: 'evalSuiteRef', issues: [{ pointer: '/tasks/0/fixtures' }] } },
    });
    const live = { evalSuiteRef: `${SUITE}-with`, configurable: { evalModes: ['live-shadow'] } };
    scored((await evaluate(near, body(REMOTE, live))).events);
  });

  it('that its host does not know fails the tasks, and the run goes on', async () => {
    const run = { kind: 'openwop', provider: 'far', agentId: 'vendor.acme.none.default' };
    await bind('local.acme.lost', run);
    const { summary, snapshot, events } = await evaluate(near, body('local.acme.lost'));
    expect(snapshot.status).toBe('completed');
    expect(summary.passedCount).toBe(0);
    expect(ofType(events, 'agent.decided')).toEqual([]);
  });

  it('is stopped over there when the run is cancelled here', async () => {
    held = deferred();
    const created = await createEval(near, body(REMOTE, { configurable: { concurrency: 1 } }));
    const runId = created.body.runId as string;
    await arrived.promise;
    const { body: runs } = await readJson(far, '/v1/host/touchstone/runs?status=running');
    const [remote] = runs.items as { runId: string }[];
    expect(remote).toBeDefined();
    await near.fetch(`/v1/runs/${runId}/cancel`, { method: 'POST', body: {} });
    expect((await eventsOf(near, runId)).at(-1)?.type).toBe('run.cancelled');
    expect((await eventsOf(far, remote?.runId ?? '')).at(-1)?.type).toBe('run.cancelled');
  });
});
