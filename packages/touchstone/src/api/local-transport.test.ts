import { asId, type Principal, type RunId } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import { type Client, createClient, createClientOver, type HostResponseError } from '@touchstone/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../app/config/config.js';
import { systemClock } from '../app/system.js';
import { ACME, createTestHost, KEYS, type TestHost } from '../app/testing/test-host.js';
import { createLocalTransport } from './local-transport.js';
import { endpointsOf } from './operations/index.js';
import { createServices } from './services.js';

// Goal: a client in process gets what a client over HTTP gets, refusals included. Method: the same calls to one host, once
// through its server and once straight to its operations.
const SUITE = {
  suiteId: 'acme.shop.evals.smoke',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    {
      taskId: 'hello',
      input: { say: 'hello' },
      expected: { kind: 'golden', match: { strategy: 'contains', value: 'hello' } },
    },
  ],
} as const;
const EVAL = {
  mode: 'eval',
  evalSuiteRef: 'acme.shop.evals.smoke@1.0.0',
  agentId: 'local.acme.echo',
} as const;
const ADMIN: Principal = { id: 'ci', owner: ACME, roles: ['admin'], scopes: new Set(['*']) };

const FAILED = {
  type: 'run.failed',
  at: 1,
  payload: { error: { code: 'agent_failed', message: 'No.' } },
} as unknown as NewEvent;

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

let host: TestHost;
const localClient = (principal = ADMIN): Client => {
  const services = createServices({
    touchstone: host.touchstone,
    config: parseConfig({}, '/'),
    log: quiet,
    clock: systemClock,
  });
  return createClientOver(createLocalTransport(endpointsOf(services, { testSeams: false }), principal));
};
const httpClient = (): Client =>
  createClient({
    baseUrl: 'http://host.example',
    key: KEYS.acme,
    fetch: async (url, init) => {
      const { status, text, headers } = await host.request(
        init.method ?? 'GET',
        url.slice('http://host.example'.length),
        { body: init.body === undefined ? undefined : JSON.parse(String(init.body)) },
      );
      return new Response(text, { status, headers: { etag: String(headers.etag) } });
    },
  });

const refusalOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no refusal',
    ({ name, status, code, message, details }: HostResponseError) => ({
      name,
      status,
      code,
      message,
      details,
    }),
  );

beforeEach(async () => {
  host = await createTestHost();
});
afterEach(() => host.close());

describe('a client in process', () => {
  it('reads what a client over HTTP reads', async () => {
    const [here, there] = [localClient(), httpClient()];
    await here.suites.install(SUITE as never);
    const { runId } = await here.runs.create(EVAL);
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    expect(plain(await here.runs.get(runId))).toEqual(await there.runs.get(runId));
    expect(plain(await here.runs.list({ limit: 5 }))).toEqual(await there.runs.list({ limit: 5 }));
    expect(plain(await here.suites.list())).toEqual(await there.suites.list());
    expect(plain(await here.runs.results(runId))).toEqual(await there.runs.results(runId));
    await host.append(runId, [FAILED], 'failed');
    expect(plain(await here.pollEvents(runId))).toEqual(await there.pollEvents(runId));
    expect(plain(await here.agents.list())).toEqual(await there.agents.list());
  });

  it('is refused in the same words', async () => {
    const [here, there] = [localClient(), httpClient()];
    const asks: readonly ((client: Client) => Promise<unknown>)[] = [
      (client) => client.runs.get(asId<RunId>('run-none')),
      (client) => client.runs.create({ mode: 'eval' } as never),
      (client) => client.runs.create({ ...EVAL, evalSuiteRef: 'acme.shop.evals.none' }),
      (client) => client.suites.get('acme.shop.evals.none@1.0.0'),
      (client) => client.runs.list({ limit: 0 }),
    ];
    for (const ask of asks) expect(await refusalOf(ask(here))).toEqual(await refusalOf(ask(there)));
  });

  it('needs the scope of an operation', async () => {
    const reader = localClient({ ...ADMIN, roles: [], scopes: new Set(['runs:read']) });
    expect(await refusalOf(reader.runs.create(EVAL))).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await reader.runs.list()).toEqual({ items: [] });
  });

  it('follows the events of a run to its end', async () => {
    const here = localClient();
    await here.suites.install(SUITE as never);
    const { runId } = await here.runs.create(EVAL);
    const types: string[] = [];
    const following = (async () => {
      for await (const { type } of here.streamEvents(runId)) types.push(type);
    })();
    await host.append(runId, [FAILED], 'failed');
    await following;
    expect(types).toEqual(['run.failed']);
  });
});
