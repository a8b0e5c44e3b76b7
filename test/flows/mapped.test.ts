import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reply, serve } from '../../packages/touchstone/src/agents/fixtures/serve.js';
import { type Event, eventsOf, payloadsOf, readJson, startToolServer, type ToolServer } from './pack-host.js';
import { askFor, finish, installSuite, pointersOf } from './run-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// A service that knows nothing of Touchstone: it has its own request, its own answer, and tools of its own.
const DESK = 'local.acme.desk';
const SUITE = 'local.acme.evals.desk';
const MAPPING = {
  request: { message: '{{input.question}}', session: '{{conversationId}}', history: '{{messages}}' },
  response: {
    output: '/reply/text',
    usage: { model: '/model', inputTokens: '/usage/in', outputTokens: '/usage/out' },
    toolCalls: { list: '/steps', tool: '/name', inputs: '/args', outcome: '/result' },
  },
};
const called = (orderId: string) =>
  `[check:tool-called {"tool":"local:orders.get","inputs":{"orderId":"${orderId}"}}] It looks the order up.`;
const task = (taskId: string, extra: object = {}) => ({
  taskId,
  input: { question: `Where is order ${taskId}?` },
  expected: { kind: 'rubric', rubric: [{ criterion: called('1042'), weight: 1 }] },
  ...extra,
});
const suite = (version: string, ...tasks: readonly object[]) => ({
  suiteId: SUITE,
  version,
  modes: ['rubric', 'live-shadow'],
  tasks,
});

let service: ToolServer;
let host: WholeHost;

beforeAll(async () => {
  service = await startToolServer((body) => {
    const { message } = body as { readonly message: string };
    const orderId = /\d+/.exec(message)?.[0] ?? '';
    return {
      reply: { text: `${orderId} comes on Friday.` },
      model: 'desk-1',
      usage: { in: 11, out: 5 },
      steps: [{ name: 'orders.get', args: { orderId }, result: { eta: 'Friday' } }],
    };
  });
  host = await openWholeHost({
    agents: [{ agentId: DESK, version: '1.0.0', run: { kind: 'http', url: service.url, ...MAPPING } }],
    egress: { allowPrivate: true },
  });
});
afterAll(async () => {
  await host.close();
  await service.close();
});

const scoresOf = (events: readonly Event[]) =>
  payloadsOf(events, 'eval.scored').map(({ taskId, score }) => [taskId, score]);

describe('a service as it is', () => {
  it('is asked by its template, and scored by what it says it has called', async () => {
    await installSuite(host, suite('1.0.0', task('1042'), task('7')));
    const runId = await finish(host, `${SUITE}@1.0.0`, { agentId: DESK });
    expect(service.requests.map(({ body }) => body)).toContainEqual({
      message: 'Where is order 1042?',
      session: expect.stringMatching(/^inv-/),
      history: [{ role: 'user', content: '{"question":"Where is order 1042?"}' }],
    });
    const events = await eventsOf(host, runId);
    expect(scoresOf(events)).toEqual([
      ['1042', 1],
      ['7', 0],
    ]);
    expect(payloadsOf(events, 'agent.toolCalled')[0]).toMatchObject({
      toolName: 'local:orders.get',
      inputs: { orderId: '1042' },
      observed: true,
    });
    expect(payloadsOf(events, 'agent.toolReturned')[0]).toMatchObject({
      outcome: { eta: 'Friday' },
      observed: true,
    });
    expect(payloadsOf(events, 'provider.usage')[0]).toMatchObject({ model: 'desk-1', inputTokens: 11 });
    const { body } = await readJson(host, `/v1/host/touchstone/runs/${runId}/tasks/1042`);
    expect(body).toMatchObject({
      invocations: [{ toolCalls: [{ toolId: 'local:orders.get', status: 'ok', observed: true }] }],
    });
  });

  it('cannot have its tools answered by fixtures, except in live-shadow, which goes without them', async () => {
    const fixtures = { toolResponses: [{ tool: 'local:orders.get', response: 1 }] };
    await installSuite(host, suite('2.0.0', task('1042'), task('8', { fixtures })));
    const refused = await askFor(host, `${SUITE}@2.0.0`, { agentId: DESK });
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('live-shadow') } });
    expect(pointersOf(refused.body)).toEqual(['/tasks/1/fixtures/toolResponses']);
    const live = { agentId: DESK, configurable: { evalModes: ['live-shadow'] } };
    expect(await askFor(host, `${SUITE}@2.0.0`, live)).toMatchObject({ status: 201 });
  });

  it('may be given memory by fixtures', async () => {
    const fixtures = { memorySeed: [{ content: 'The customer is Ann.' }] };
    await installSuite(host, suite('3.0.0', task('1042', { fixtures })));
    expect(await askFor(host, `${SUITE}@3.0.0`, { agentId: DESK })).toMatchObject({ status: 201 });
  });

  it('is not asked with a variable that a task does not have', async () => {
    await installSuite(host, suite('4.0.0', task('1042'), task('9', { input: { query: 'x' } })));
    const refused = await askFor(host, `${SUITE}@4.0.0`, { agentId: DESK });
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/"9".*\{\{ input\.question \}\}/) },
    });
    expect(pointersOf(refused.body)).toEqual(['/tasks/1/input']);
    const plain = await readJson(host, '/v1/runs', {
      method: 'POST',
      body: { agentId: DESK, inputs: { query: 'x' } },
    });
    expect(plain).toMatchObject({ status: 400 });
    expect(pointersOf(plain.body)).toEqual(['/inputs']);
  });

  it('may be bound by a tenant', async () => {
    const agentId = 'local.acme.own-desk';
    const bound = await readJson(host, `/v1/host/touchstone/agents/${agentId}`, {
      method: 'PUT',
      body: { agentId, version: '1.0.0', run: { kind: 'http', url: service.url, ...MAPPING } },
    });
    expect(bound).toMatchObject({ status: 201 });
    const runId = await finish(host, `${SUITE}@1.0.0`, { agentId });
    expect(scoresOf(await eventsOf(host, runId))[0]).toEqual(['1042', 1]);
  });
});

describe('variables of the environment', () => {
  const KEY_VALUE = 'canary-desk-key-4f1d77';
  const RUN = {
    kind: 'http',
    url: '${DESK_URL:-http://127.0.0.1/}',
    headers: { authorization: 'Bearer ${DESK_KEY}', 'x-plain': '$${DESK_KEY}' },
    ...MAPPING,
  };

  it('reach the service, and what they hold is written down nowhere', async () => {
    const echo = await startToolServer((_body, headers) => ({
      reply: { text: `You came with ${headers.authorization} and ${headers['x-plain']}.` },
      steps: [{ name: 'open', args: { key: headers.authorization } }],
    }));
    const own = await openWholeHost(
      { agents: [{ agentId: DESK, version: '1.0.0', run: RUN }] },
      { env: { DESK_URL: echo.url, DESK_KEY: KEY_VALUE } },
    );
    try {
      await installSuite(own, suite('1.0.0', task('1042')));
      const runId = await finish(own, `${SUITE}@1.0.0`, { agentId: DESK });
      expect(echo.requests[0]?.headers).toMatchObject({
        authorization: `Bearer ${KEY_VALUE}`,
        'x-plain': '${DESK_KEY}',
      });
      const said = JSON.stringify(await eventsOf(own, runId));
      expect(said).toContain('[REDACTED:DESK_KEY]');
      expect(said + own.logs.join('')).not.toContain(KEY_VALUE);
    } finally {
      await own.close();
      await echo.close();
    }
  });

  it('are not told as the name of a refusal by a service that gives them back', async () => {
    const refusing = await serve((_body, response, { headers }) =>
      reply(response, 401, { error: { code: headers.authorization?.replace('Bearer ', '') } }),
    );
    const own = await openWholeHost(
      { agents: [{ agentId: DESK, version: '1.0.0', run: RUN }] },
      { env: { DESK_URL: refusing.url, DESK_KEY: KEY_VALUE } },
    );
    try {
      await installSuite(own, suite('1.0.0', task('1042')));
      const { body } = await askFor(own, `${SUITE}@1.0.0`, { agentId: DESK });
      const { runId } = body as { readonly runId: string };
      const events = await eventsOf(own, runId);
      const { body: snapshot } = await readJson(own, `/v1/runs/${runId}`);
      expect(snapshot).toMatchObject({
        error: { code: 'agent_denied', message: expect.stringContaining('401') },
      });
      expect(JSON.stringify([events, snapshot, own.logs])).not.toContain(KEY_VALUE);
    } finally {
      await own.close();
      await refusing.close();
    }
  });

  it('make no other agent when what they hold changes', async () => {
    const digests: unknown[] = [];
    for (const key of ['one-key-0123', 'other-key-0123']) {
      const agents = [{ agentId: DESK, version: '1.0.0', run: RUN }];
      const own = await openWholeHost({ agents }, { env: { DESK_KEY: key } });
      const { body } = await readJson(own, `/v1/host/touchstone/agents/${DESK}`);
      digests.push(JSON.stringify(body));
      await own.close();
    }
    expect(digests[0]).toBe(digests[1]);
  });

  it('that are not set keep the agent from being run, by name', async () => {
    const own = await openWholeHost({ agents: [{ agentId: DESK, version: '1.0.0', run: RUN }] });
    try {
      await installSuite(own, suite('1.0.0', task('1042')));
      expect(await askFor(own, `${SUITE}@1.0.0`, { agentId: DESK })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('DESK_KEY, which is not set') },
      });
    } finally {
      await own.close();
    }
  });

  it('are not for tenants', async () => {
    const agentId = 'local.acme.curious';
    const headers = { authorization: 'Bearer ${DESK_KEY}' };
    const refused = await readJson(host, `/v1/host/touchstone/agents/${agentId}`, {
      method: 'PUT',
      body: { agentId, version: '1.0.0', run: { kind: 'http', url: service.url, headers, ...MAPPING } },
    });
    expect(refused).toMatchObject({ status: 400 });
    expect(pointersOf(refused.body)).toEqual(['/run/headers/authorization']);
  });
});
