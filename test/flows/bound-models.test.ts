import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelServer } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { createEval, echoes, evaluate, modelConfig, readJson, startModelServer } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import { echoSuite, openWholeHost, type WholeHost } from './whole-host.js';

// A tenant's own agent of kind openai: where it may connect to, and which credential goes where.
const CREDENTIAL = 'canary-provider-key-40d2';
const SUITE = 'local.test.evals.echo';
let granted: ModelServer;
let own: ModelServer;
let guarded: WholeHost;
let open: WholeHost;
beforeAll(async () => {
  granted = await startModelServer(echoes);
  own = await startModelServer(echoes);
  const local = {
    kind: 'openai-compatible',
    baseUrl: granted.baseUrl,
    apiKeyEnv: 'LOCAL_KEY',
    tenants: ['acme'],
  };
  const config = modelConfig(granted, { providers: { local } });
  const env = { LOCAL_KEY: CREDENTIAL };
  guarded = await openWholeHost(config, { env });
  open = await openWholeHost({ ...config, egress: { allowPrivate: true } }, { env });
  for (const host of [guarded, open])
    for (const key of [KEY, OTHER_KEY]) await host.client(key).suites.install(echoSuite(2) as never);
});
afterAll(async () => {
  await guarded.close();
  await open.close();
  await granted.close();
  await own.close();
});

let bound = 0;
async function bind(host: WholeHost, run: object, key = KEY) {
  const agentId = `local.acme.bound${bound++}`;
  const body = { agentId, version: '1.0.0', run: { kind: 'openai', model: 'small-1', ...run } };
  return {
    agentId,
    ...(await readJson(host, `/v1/host/touchstone/agents/${agentId}`, { method: 'PUT', key, body })),
  };
}
const pointersOf = ({ body }: { readonly body: { readonly [member: string]: unknown } }) =>
  ((body.details as { issues?: { pointer: string }[] }).issues ?? []).map(({ pointer }) => pointer);
const authorizations = ({ requests }: ModelServer) =>
  new Set(requests.map(({ headers }) => headers.authorization));

describe('a tenant’s agent that is a chat endpoint', () => {
  it.each([
    'http://127.0.0.1:9/v1',
    'https://127.0.0.1/v1',
    'https://[::ffff:127.0.0.1]/v1',
    'https://169.254.169.254/latest',
    'https://localhost/v1',
    'http://example.com/v1',
    'https://user:pass@example.com/v1',
  ])('may not be at %s', async (baseUrl) => {
    const answer = await bind(guarded, { baseUrl });
    expect({ status: answer.status, pointers: pointersOf(answer) }).toEqual({
      status: 400,
      pointers: ['/run/baseUrl'],
    });
  });

  it('may not name a variable of this machine, nor be in two places or none', async () => {
    const baseUrl = 'https://example.com/v1';
    expect(pointersOf(await bind(open, { baseUrl, apiKeyEnv: 'LOCAL_KEY' }))).toEqual(['/run/apiKeyEnv']);
    expect(pointersOf(await bind(open, { baseUrl, provider: 'local' }))).toEqual(['/run/baseUrl']);
    expect((await bind(open, {})).status).toBe(400);
  });

  it('is asked through a granted provider with that provider’s credential', async () => {
    const { agentId, status } = await bind(guarded, { provider: 'local', system: 'Repeat what you hear.' });
    expect(status).toBe(201);
    const { summary } = await evaluate(guarded, { evalSuiteRef: SUITE, agentId });
    expect(summary.passedCount).toBe(2);
    expect(authorizations(granted)).toEqual(new Set([`Bearer ${CREDENTIAL}`]));
    expect(granted.requests.at(-1)?.body.messages[0]).toEqual({
      role: 'system',
      content: 'Repeat what you hear.',
    });
  });

  it('does not learn whether a provider exists that was not granted', async () => {
    const foreign = await bind(guarded, { provider: 'local' }, OTHER_KEY);
    const absent = await bind(guarded, { provider: 'nobody' }, OTHER_KEY);
    const words = (body: object) => JSON.stringify(body).replaceAll(/local|nobody/g, '<name>');
    expect([foreign.status, words(foreign.body)]).toEqual([400, words(absent.body)]);
  });

  it('at an address of its own is asked without anybody’s credential, where private ones are allowed', async () => {
    const { agentId, status } = await bind(open, { baseUrl: own.baseUrl });
    expect(status).toBe(201);
    const { summary } = await evaluate(open, { evalSuiteRef: SUITE, agentId });
    expect(summary.passedCount).toBe(2);
    expect(own.requests).toHaveLength(2);
    expect(authorizations(own)).toEqual(new Set([undefined]));
  });

  it('asked for another model goes to that model’s provider, credential and all, and nowhere else', async () => {
    const { agentId } = await bind(open, { baseUrl: own.baseUrl });
    const [before, there] = [own.requests.length, granted.requests.length];
    const other = { evalSuiteRef: SUITE, agentId, configurable: { model: 'local/large-2' } };
    expect((await evaluate(open, other)).summary.passedCount).toBe(2);
    expect(own.requests).toHaveLength(before);
    expect(granted.requests.slice(there).map(({ body }) => body.model)).toEqual(['large-2', 'large-2']);
    const theirs = await bind(open, { baseUrl: own.baseUrl }, OTHER_KEY);
    const refused = await createEval(open, { ...other, agentId: theirs.agentId }, OTHER_KEY);
    expect(refused.status).toBe(400);
    expect(authorizations(own)).toEqual(new Set([undefined]));
  });

  it('is not followed to where its endpoint sends us', async () => {
    const trap = await startModelServer(() => ({
      status: 307,
      headers: { location: `${granted.baseUrl}/chat/completions` },
    }));
    const there = granted.requests.length;
    const { agentId } = await bind(open, { baseUrl: trap.baseUrl });
    const { summary, snapshot } = await evaluate(open, { evalSuiteRef: SUITE, agentId });
    expect([snapshot.status, summary.passedCount]).toEqual(['completed', 0]);
    expect(granted.requests).toHaveLength(there);
    await trap.close();
  });
});
