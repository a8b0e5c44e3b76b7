import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@touchstone/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/touchstone/src/agents/fixtures/free-port.js';
import { hasPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import { type ComposeProcess, createComposeRunner, inOrder, readCompose } from './compose-processes.js';
import { temporaryFolder } from './processes.js';

// Goal: what the compose files start works together. Method: no container engine is needed; the very commands of the files, in their
// order, with their health checks, run as plain processes on loopback, and a run is followed through the very proxy.

const AGENT = 'local.demo.gated';
const SUITE = 'local.demo.evals.gated';
const POLL = { timeout: 60_000, interval: 100 };

let folder: ReturnType<typeof temporaryFolder>;
let runner: ReturnType<typeof createComposeRunner> | undefined;
let database: Server | undefined;
beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['touchstone', 'secrets']) mkdirSync(join(folder.path, name));
});
afterEach(async () => {
  await runner?.stop();
  await database?.stop();
  [runner, database] = [undefined, undefined];
  folder.remove();
});

const goFile = () => join(folder.path, 'go');

/** An agent that answers when the test lets it: what is seen before that cannot have waited for the end. */
function writeConfig(config: object): void {
  const write = (name: string, text: string) => writeFileSync(join(folder.path, 'touchstone', name), text);
  write(
    'agent.mjs',
    `import { existsSync } from 'node:fs';
export default async (input) => {
  while (!existsSync(${JSON.stringify(goFile())})) await new Promise((resolve) => setTimeout(resolve, 20));
  return input;
};`,
  );
  const tasks = Array.from({ length: 30 }, (_, at) => ({
    taskId: `t-${at}`,
    input: at,
    expected: { kind: 'golden', match: { strategy: 'exact', value: at } },
  }));
  write('gated.suite.json', JSON.stringify({ suiteId: SUITE, version: '1.0.0', modes: ['golden'], tasks }));
  const agents = [{ agentId: AGENT, version: '1.0.0', run: { kind: 'module', path: './agent.mjs' } }];
  write('touchstone.config.json', JSON.stringify({ agents, suites: ['.'], ...config }));
}

/** Creates a run at an address, reads its events as they come, and lets the agent answer when the first one is there. */
async function followRun(baseUrl: string, key: string): Promise<readonly string[]> {
  const client = createClient({ baseUrl, key });
  const { runId } = await client.runs.create({ mode: 'eval', evalSuiteRef: SUITE, agentId: AGENT });
  const types: string[] = [];
  for await (const { type } of client.streamEvents(runId, { streamMode: 'debug' })) {
    if (types.length === 0) writeFileSync(goFile(), '');
    types.push(type);
  }
  expect(await client.runs.get(runId)).toMatchObject({ status: 'completed' });
  return types;
}

const healthy = (one: ComposeProcess) => expect.poll(one.checkHealth, POLL).toBe(0);
const keyIn = (text: string) => /^ts_\S+$/m.exec(text)?.[0] ?? '';

it('compose.yaml: one host on a file, with a key made beside it and its variables from a secret', async () => {
  const file = readCompose('compose.yaml');
  runner = createComposeRunner(file, folder.path);
  writeConfig({ store: 'env:STORE' });
  writeFileSync(
    runner.secretFile('touchstone.env'),
    `STORE=sqlite:${join(folder.path, 'volumes/data/own.db')}\n`,
  );
  const create = ['keys', 'create', '--tenant', 'acme', '--data', '/data'];
  const key = keyIn(
    await runner.runOnce('touchstone', [...create, '--env-file', '/run/secrets/touchstone.env']),
  );
  const [host] = await runner.startAll('touchstone');
  await healthy(host as ComposeProcess);
  const types = await followRun(`http://127.0.0.1:${host?.port}`, key);
  expect(types.at(-1)).toBe('run.completed');
  host?.child.kill('SIGTERM');
  expect(await host?.ended).toMatchObject({ code: 0 });
});

function hasCaddy(): boolean {
  if (spawnSync('caddy', ['version']).status === 0) return true;
  const words =
    'Caddy is not here, so compose.fleet.yaml is not tried. Install it (Debian: apt-get install caddy).';
  if (process.env.TOUCHSTONE_REQUIRE_ALL) throw new Error(words);
  console.warn(words);
  return false;
}

describe.skipIf(!hasPostgres() || !hasCaddy())('compose.fleet.yaml', () => {
  it('two hosts behind the proxy and three workers on a database that was prepared', async () => {
    const file = readCompose('compose.fleet.yaml');
    const fleet = createComposeRunner(file, folder.path);
    runner = fleet;
    writeConfig({ store: 'env:DATABASE_URL' });
    expect(inOrder(file)).toEqual(['postgres', 'prepare', 'host-1', 'host-2', 'worker', 'proxy']);

    // The server of the tests stands for the image, with the database that the file asks for.
    database = await startServer();
    const { POSTGRES_USER: user, POSTGRES_DB: name } = file.services.postgres?.environment ?? {};
    await queryPostgres(database.url, `CREATE DATABASE ${name}`);
    const { port } = new URL(database.url);
    writeFileSync(
      fleet.secretFile('touchstone.env'),
      `DATABASE_URL=postgres://${user}:pg-test-password@127.0.0.1:${port}/${name}\n`,
    );

    await fleet.runOnce('prepare');
    const create = ['keys', 'create', '--tenant', 'acme', '--data', '/data'];
    const key = keyIn(
      await fleet.runOnce('prepare', [...create, '--env-file', '/run/secrets/touchstone.env']),
    );
    const hosts = [...(await fleet.startAll('host-1')), ...(await fleet.startAll('host-2'))];
    const workers = await fleet.startAll('worker');
    expect([hosts.length, workers.length]).toEqual([2, 3]);
    for (const one of [...hosts, ...workers]) await healthy(one);

    const listen = await freePort();
    const env = {
      TOUCHSTONE_BIND: '127.0.0.1',
      TOUCHSTONE_LISTEN: `http://127.0.0.1:${listen}`,
      TOUCHSTONE_HOSTS: hosts.map((host) => `127.0.0.1:${host.port}`).join(' '),
    };
    await fleet.start('proxy', { env });
    const url = `http://127.0.0.1:${listen}`;
    const answers = () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(answers, POLL).toBe(200);
    const types = await followRun(url, key);
    expect(types.filter((type) => type === 'eval.scored')).toHaveLength(30);
    expect(types.at(-1)).toBe('run.completed');

    // One host after the other is replaced: callers notice nothing.
    hosts[0]?.child.kill('SIGTERM');
    expect(await hosts[0]?.ended).toMatchObject({ code: 0 });
    expect((await followRun(url, key)).at(-1)).toBe('run.completed');
    for (const worker of workers) worker.child.kill('SIGTERM');
    for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0 });
  });
});
