import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, hasPostgres, queryPostgres, startCluster } from '../setup/postgres.js';
import { KEY, kill, type Serving, serve, temporaryFolder, writeProject } from './processes.js';

// Goal: limits hold for all processes on a database together. Method: two real hosts and a provider that notes when it was asked.
// Limits are bounds from above, so a slow machine cannot break what is expected.
const TASKS = 12;
const PER_MINUTE = 60;

describe.skipIf(!hasPostgres())('limits of two hosts on one database', () => {
  let cluster: Cluster;
  const running = new Set<Serving>();
  const ends: (() => void)[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());
  afterEach(async () => {
    await Promise.all([...running].map((one) => kill(one)));
    running.clear();
    for (const end of ends.splice(0)) end();
  });

  const openTwo = async (config: object) => {
    const url = cluster.newUrl();
    const folder = temporaryFolder();
    ends.push(folder.remove);
    writeProject(folder.path, TASKS);
    const file = join(folder.path, 'touchstone.config.json');
    const project = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...project, store: 'env:DATABASE_URL', ...config }));
    const hosts: Serving[] = [];
    for (const name of ['one', 'two']) {
      const host = await serve(['--data', name], folder.path, { DATABASE_URL: url });
      running.add(host);
      hosts.push(host);
    }
    return { url, hosts };
  };

  it('requests of a key are counted over both', async () => {
    const { hosts } = await openTwo({ limits: { requestsPerMinute: PER_MINUTE } });
    const startedAt = Date.now();
    const statuses: number[] = [];
    for (let i = 0; i < 3 * PER_MINUTE; i += 1) {
      const host = hosts[i % 2] as Serving;
      const { status } = await fetch(`${host.url}/v1/agents`, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      statuses.push(status);
    }
    const refilled = ((Date.now() - startedAt) * PER_MINUTE) / 60_000;
    const answered = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(answered).toBeLessThanOrEqual(PER_MINUTE + refilled);
    expect(answered).toBeGreaterThanOrEqual(PER_MINUTE);
  });

  it('a declared limit of a provider holds for both together', async () => {
    const provider = await openProvider(() => undefined);
    ends.push(provider.close);
    const { hosts } = await openTwo(modelConfig(provider.url, { limits: { requestsPerMinute: PER_MINUTE } }));
    const runIds = await Promise.all(hosts.map((host) => create(host)));
    for (const [at, host] of hosts.entries()) await clientOf(host).waitForScorecard(runIds[at] as RunId);
    const [first = 0] = provider.asked;
    expect(provider.asked).toHaveLength(2 * TASKS);
    for (const [count, at] of provider.asked.entries()) {
      const allowed = PER_MINUTE / 10 + ((at - first) * PER_MINUTE) / 60_000;
      // Each host may have taken its second's worth a second before it asked.
      expect(count + 1).toBeLessThanOrEqual(allowed + 2 * (PER_MINUTE / 60) + 1);
    }
  });

  it('a Retry-After that one host was told holds the other', async () => {
    const waitMs = 4_000;
    const provider = await openProvider((count) => (count === 1 ? waitMs / 1000 : undefined));
    ends.push(provider.close);
    const { url, hosts } = await openTwo(modelConfig(provider.url, {}));
    const [one, two] = hosts as [Serving, Serving];
    await create(one, 1);
    const held = async () => (await queryPostgres(url, 'SELECT 1 FROM paces WHERE held_until > 0')).length;
    await expect.poll(held, { timeout: 60_000, interval: 20 }).toBe(1);
    const runId = await create(two, 1);
    await clientOf(two).waitForScorecard(runId);
    const [refused = 0, ...later] = provider.asked;
    // What a timer or a rounded clock may be off.
    for (const at of later) expect(at - refused).toBeGreaterThanOrEqual(waitMs - 50);
  });
});

const EVAL = { mode: 'eval' as const, evalSuiteRef: 'local.test.evals.numbers', agentId: 'local.test.model' };
const clientOf = (host: Serving) => createClient({ baseUrl: host.url, key: KEY });
const create = async (host: Serving, concurrency = 8): Promise<RunId> =>
  asId((await clientOf(host).runs.create({ ...EVAL, configurable: { concurrency } })).runId);

const modelConfig = (baseUrl: string, more: object) => ({
  providers: { fake: { kind: 'openai-compatible', baseUrl, tenants: ['acme'], ...more } },
  agents: [
    {
      agentId: 'local.test.model',
      version: '1.0.0',
      run: { kind: 'openai', provider: 'fake', model: 'small-1', system: 'Answer.' },
    },
  ],
  egress: { allowPrivate: true },
});

/** Answers everybody, but for those that are to come again later. */
async function openProvider(retryAfter: (count: number) => number | undefined) {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    asked.push(Date.now());
    const seconds = retryAfter(asked.length);
    response.setHeader('content-type', 'application/json');
    if (seconds !== undefined) response.writeHead(429, { 'retry-after': String(seconds) });
    const message = { role: 'assistant', content: 'answer 0' };
    const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
    response.end(JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { asked, url: `http://127.0.0.1:${port}/v1`, close: () => void server.close() };
}
