import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelServer } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import {
  AGENT,
  createEval,
  echoes,
  evaluate,
  install,
  modelConfig,
  payloadsOf,
  readJson,
  startModelServer,
} from './pack-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

let server: ModelServer;
let host: WholeHost;
beforeAll(async () => {
  server = await startModelServer(echoes);
  const local = { kind: 'openai-compatible', baseUrl: server.baseUrl, tenants: ['acme'] };
  const providers = { local, hidden: { ...local, tenants: ['globex'] } };
  host = await openWholeHost(modelConfig(server, { providers, models: { bigger: 'local/large-2' } }));
  await install(host);
});
afterAll(async () => {
  await host.close();
  await server.close();
});

describe('which model answers', () => {
  it.each<[string, object, string, string]>([
    ['a name', { model: 'local/large-2' }, 'local', 'large-2'],
    ['a configured name', { model: 'bigger' }, 'local', 'large-2'],
    ['two members', { ai: { provider: 'local', model: 'a/b' } }, 'local', 'a/b'],
  ])('is asked for by %s, and recorded in plan and bracket', async (_, configurable, provider, name) => {
    const from = server.requests.length;
    const { events, snapshot } = await evaluate(host, { configurable });
    expect(new Set(server.requests.slice(from).map(({ body }) => body.model))).toEqual(new Set([name]));
    expect(snapshot.touchstone.model).toEqual({ provider, model: name });
    expect(snapshot.configurable).toEqual(configurable);
    for (const payload of payloadsOf(events, 'agent.invocation.started'))
      expect(payload).toMatchObject({ resolvedProvider: provider, resolvedModel: name });
    for (const payload of payloadsOf(events, 'provider.usage'))
      expect(payload).not.toHaveProperty('costEstimateUsd');
  });

  it('must be one that the caller was granted; one that is not looks like one that is not there', async () => {
    const ask = (name: string) => createEval(host, { configurable: { model: `${name}/x` } });
    const [hidden, absent] = [await ask('hidden'), await ask('absent')];
    expect(hidden.status).toBe(400);
    const words = (body: object) => JSON.stringify(body).replaceAll(/hidden|absent/g, '<name>');
    expect(words(hidden.body)).toBe(words(absent.body));
  });

  it.each<[string, object]>([
    ['no model', { model: 'nonsense' }],
    ['half of two members', { ai: { provider: 'local' } }],
    ['a temperature of its own scale', { temperature: 3 }],
    ['no tokens', { maxTokens: 0 }],
    ['a credential of its own', { ai: { credentialRef: 'x' } }],
    ['words for a flag', { cache: 'yes' }],
    ['overrides of the prompt', { promptOverrides: {} }],
  ])('is refused when it asks for %s', async (_, configurable) => {
    const { status, body } = await createEval(host, { configurable });
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'validation_error' });
    expect(check('error-envelope', body)).toEqual([]);
  });
});

describe('what is refused before a run exists', () => {
  const SHAPE = {
    tasks: [{ input: { ask: 'fine' } }],
    taskSchema: { type: 'object', properties: { ask: { type: 'string' } }, required: ['ask'] },
  };
  const withHost = async (shape: object, config: object, see: (other: WholeHost) => Promise<void>) => {
    const other = await openWholeHost(config);
    await install(other, shape);
    await see(other);
    expect((await readJson(other, '/v1/host/touchstone/runs')).body.items).toEqual([]);
    await other.close();
  };

  it('a task that the agent’s task schema does not admit, by its pointer', async () => {
    const tasks = [{ input: { ask: 'fine' } }, { input: { ask: 7 } }];
    await withHost({ ...SHAPE, tasks }, modelConfig(server), async (other) => {
      const { status, body } = await createEval(other);
      const { issues } = body.details as { issues: { pointer: string }[] };
      expect({ status, pointers: issues.map(({ pointer }) => pointer) }).toEqual({
        status: 400,
        pointers: ['/tasks/1/input/ask'],
      });
      const single = await readJson(other, '/v1/runs', {
        method: 'POST',
        body: { agentId: AGENT, inputs: { ask: 7 } },
      });
      expect(single).toMatchObject({
        status: 400,
        body: { details: { issues: [{ pointer: '/inputs/ask' }] } },
      });
    });
  });

  it('an agent whose class has no model here', async () => {
    await withHost(SHAPE, modelConfig(server, { modelClasses: { reasoning: 'local/x' } }), async (other) => {
      expect(await createEval(other)).toMatchObject({
        status: 400,
        body: { details: { issues: [{ pointer: '/agentId' }] } },
      });
    });
  });

  it('a provider whose credential is not there', async () => {
    const local = {
      kind: 'openai-compatible',
      baseUrl: server.baseUrl,
      tenants: ['acme'],
      apiKeyEnv: 'LOCAL_KEY',
    };
    await withHost(SHAPE, modelConfig(server, { providers: { local } }), async (other) => {
      const { status, body } = await createEval(other);
      expect({ status, text: JSON.stringify(body) }).toEqual({
        status: 400,
        text: expect.stringContaining('LOCAL_KEY'),
      });
    });
  });
});
