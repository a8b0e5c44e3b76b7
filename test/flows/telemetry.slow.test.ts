import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startCollector } from '../../packages/touchstone/src/telemetry/testing/collector.js';
import { hasPostgres, type Server, startServer } from '../setup/postgres.js';
import { EVAL, scoresOf, setStore, untilCalled } from './database-host.js';
import {
  KEY,
  kill,
  letGo,
  type Running,
  runCli,
  type Serving,
  serve,
  startCli,
  temporaryFolder,
  writeProject,
} from './processes.js';

// Goal: whatever becomes of a process or of the collector, nothing is told twice, and no score and no exit code changes.
// Method: real processes, a collector on loopback that does what collectors do on a bad day, and `kill -9`.

type Collector = Awaited<ReturnType<typeof startCollector>>;

const RUN = ['run', 'numbers.suite.json', '--agent', 'local.test.numbers', '--json'];

function openFolder(tasks: number, options: Parameters<typeof writeProject>[2] = {}): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  writeProject(folder.path, tasks, options);
  return folder.path;
}

async function openCollector(...answer: Parameters<typeof startCollector>): Promise<Collector> {
  const collector = await startCollector(...answer);
  onTestFinished(() => collector.close());
  return collector;
}

const started = <T extends Running>(one: T): T => {
  onTestFinished(async () => void (await kill(one)));
  return one;
};

const create = async ({ url }: Serving): Promise<RunId> =>
  asId((await createClient({ baseUrl: url, key: KEY }).runs.create(EVAL)).runId);

const endpoint = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url });

const invoked = (collector: Collector): readonly string[] =>
  collector
    .spans()
    .filter(({ name }) => name.startsWith('invoke_agent'))
    .map(({ attributes }) => String(attributes['touchstone.task.id']));

const evaluations = (collector: Collector): number =>
  collector.spans().filter(({ name }) => name.startsWith('evaluate')).length;

describe('a collector that', () => {
  it.each<[string, Parameters<typeof startCollector>[0]]>([
    ['never answers', () => undefined],
    ['answers 500', (response) => response.writeHead(500).end('BODY-OF-THE-COLLECTOR')],
    ['answers 429', (response) => response.writeHead(429, { 'retry-after': '1' }).end()],
    ['closes the connection', (response) => response.socket?.destroy()],
    ['answers without end', (response) => void response.write('x'.repeat(5_000_000))],
  ])('%s costs one line', async (_, answer) => {
    const cwd = openFolder(30);
    const collector = await openCollector(answer);
    const { code, stdout, stderr } = await runCli([...RUN, '--otel'], cwd, endpoint(collector.url));
    expect([code, JSON.parse(stdout).summary.passedCount]).toEqual([0, 27]);
    expect(stderr.match(/OpenTelemetry: .* is lost\./g)).toHaveLength(1);
    expect(stderr).not.toContain('BODY-OF-THE-COLLECTOR');
    expect(collector.received.length).toBeGreaterThan(0);
  });

  it('is not there costs one line', async () => {
    const { code, stderr } = await runCli(
      [...RUN, '--otel'],
      openFolder(2_000),
      endpoint('http://127.0.0.1:9'),
    );
    expect(code).toBe(0);
    expect(stderr.match(/OpenTelemetry: http:\/\/127.0.0.1:9 .* is lost\./g)).toHaveLength(1);
  });
});

it('a run of many tasks is told completely', async () => {
  const collector = await openCollector();
  await runCli([...RUN, '--otel'], openFolder(3_000), endpoint(collector.url));
  expect(new Set(invoked(collector)).size).toBe(3_000);
  expect([invoked(collector).length, collector.results().length, evaluations(collector)]).toEqual([
    3_000, 3_000, 1,
  ]);
});

describe('kill -9', () => {
  it('of a host: the one after it tells the rest, and nothing twice', async () => {
    const cwd = openFolder(60, { delayMs: 20, holdFrom: 40 });
    const calls = join(cwd, 'calls.log');
    const collector = await openCollector();
    const env = { CALLS: calls, ...endpoint(collector.url) };
    const first = started(await serve(['--otel'], cwd, env));
    const runId = await create(first);
    await untilCalled(calls, 25);
    await kill(first);
    letGo(cwd);
    const before = new Set(invoked(collector));
    const second = started(await serve(['--otel'], cwd, env));
    await scoresOf(second, runId);
    await kill(second, 'SIGTERM');
    const all = invoked(collector);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(before.size);
    expect(evaluations(collector)).toBe(1);
  });

  it('of a command: what is resumed is told once', async () => {
    const cwd = openFolder(60, { delayMs: 20, holdFrom: 40 });
    const calls = join(cwd, 'calls.log');
    const collector = await openCollector();
    const env = { CALLS: calls, ...endpoint(collector.url) };
    const first = started(startCli([...RUN, '--otel'], cwd, env));
    await untilCalled(calls, 25);
    await kill(first);
    letGo(cwd);
    await runCli(['run', '--resume', '--otel', '--json'], cwd, env);
    const all = invoked(collector);
    expect(new Set(all).size).toBe(all.length);
    expect(evaluations(collector)).toBe(1);
  });
});

describe.skipIf(!hasPostgres())('processes on one PostgreSQL database', () => {
  let database: Server;
  beforeAll(async () => {
    database = await startServer({});
  });
  afterAll(() => database?.stop());

  it('tell what they have committed: together everything, and nothing twice', async () => {
    const cwd = openFolder(60, { delayMs: 20 });
    setStore(cwd, 'env:DATABASE_URL');
    const collector = await openCollector();
    const env = { DATABASE_URL: `${database.url}?schema=telemetry`, ...endpoint(collector.url) };
    const door = started(await serve(['--data', 'door', '--no-work', '--otel'], cwd, env));
    const workers = ['a', 'b'].map((name) =>
      started(startCli(['worker', '--data', name, '--otel'], cwd, env)),
    );
    const runId = await create(door);
    await scoresOf(door, runId);
    for (const one of [...workers, door]) await kill(one, 'SIGTERM');
    const all = invoked(collector);
    expect([all.length, new Set(all).size, evaluations(collector)]).toEqual([60, 60, 1]);
  });
});
