import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { RunId } from '@touchstone/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import { noteKept, POLL, setStore, untilCalled } from './database-host.js';
import {
  callersIn,
  clientOf,
  configure,
  createOn,
  debugLog,
  readJson,
  type Worker,
  workerOf,
} from './fleet-processes.js';
import {
  callsIn,
  KEY,
  kill,
  OTHER_KEY,
  type Running,
  runCli,
  type Serving,
  serve,
  startCli,
  temporaryFolder,
  writeProject,
} from './processes.js';

// Goal: hosts and workers on one database share the work, and nobody can tell from a run which of them did it, or which of
// them died meanwhile. Method: real processes and a real server that flushes; logs are compared with that of one host on a file.
const TASKS = 200;
const CONCURRENCY = 8;

describe.skipIf(!hasPostgres())('workers on one PostgreSQL database', () => {
  let database: Server;
  let folder: ReturnType<typeof temporaryFolder>;
  const running = new Set<Running>();
  let schemas = 0;
  beforeAll(async () => {
    database = await startServer({ durable: true });
  });
  afterAll(() => database?.stop());
  beforeEach(() => {
    folder = temporaryFolder();
    writeProject(folder.path, TASKS, { delayMs: 40 });
    schemas += 1;
    setStore(folder.path, 'env:DATABASE_URL');
  });
  afterEach(async () => {
    await Promise.all([...running].map((one) => kill(one)));
    running.clear();
    folder.remove();
  });

  const slowDown = (delayMs = 250) => {
    writeProject(folder.path, TASKS, { delayMs });
    setStore(folder.path, 'env:DATABASE_URL');
  };
  const calls = () => join(folder.path, 'calls.log');
  const url = () => `${database.url}?schema=fleet${schemas}`;
  const env = (name: string) => ({ CALLS: calls(), CALLER: name, DATABASE_URL: url() });
  const started = <T extends Running>(one: T): T => {
    running.add(one);
    return one;
  };
  const openHost = async (name: string, ...more: readonly string[]): Promise<Serving> =>
    started(await serve(['--data', name, ...more], folder.path, env(name)));
  const openDoor = (name: string) => openHost(name, '--no-work');
  const openWorker = async (name: string, cwd = folder.path, health = ['--health', '0']): Promise<Worker> => {
    const args = ['worker', '--data', name, ...health, '--log-level', 'error'];
    return started(await workerOf(startCli(args, cwd, env(name))));
  };
  const openWorkers = (...names: readonly string[]) => Promise.all(names.map((name) => openWorker(name)));
  const stop = async (one: Running, signal?: NodeJS.Signals) => {
    running.delete(one);
    return kill(one, signal);
  };
  const calmLog = async () => {
    setStore(folder.path, undefined);
    const calm = started(await serve(['--data', 'calm'], folder.path));
    const runId = await createOn(calm);
    await clientOf(calm).waitForScorecard(runId);
    return debugLog(calm, runId);
  };

  it('runs created through a host that does not work are shared by several workers, each whole on one', async () => {
    slowDown();
    const door = await openDoor('door');
    await openWorkers('one', 'two', 'three');
    const runIds = await Promise.all(Array.from({ length: 6 }, () => createOn(door)));
    await Promise.all(runIds.map((runId) => clientOf(door).waitForScorecard(runId)));
    const made = callersIn(calls()).map(({ caller }) => caller);
    // Which of them is first depends on the machine; that no one takes everything does not.
    expect(new Set(made).size).toBeGreaterThan(1);
    expect(made).toHaveLength(runIds.length * TASKS);
    for (const name of ['one', 'two', 'three'])
      expect(made.filter((caller) => caller === name).length % TASKS).toBe(0);
  });

  it('a run of another tenant begins before the many runs that were waiting when it came', async () => {
    const door = await openDoor('door');
    const many = await Promise.all(Array.from({ length: 30 }, () => createOn(door)));
    const other = await createOn(door, { key: OTHER_KEY });
    await openWorker('one');
    await clientOf(door, OTHER_KEY).waitForScorecard(other);
    const begun = await queryPostgres(
      url(),
      'SELECT run_id FROM runs WHERE started_at IS NOT NULL ORDER BY started_at',
    );
    const names = begun.map((row) => String(row.run_id));
    expect(many).toContain(names[0]);
    // One of each in turn, and the next one may be opened sooner.
    expect(names.indexOf(other)).toBeLessThan(4);
  });

  it('kill -9 of the worker that drives a run: another goes on, and the log is that of one host on a file', async () => {
    const door = await openDoor('door');
    const workers = await openWorkers('one', 'two', 'three');
    const runId = await createOn(door);
    const executedAgain: (() => readonly number[])[] = [];
    for (const part of [1, 2]) {
      await untilCalled(calls(), (TASKS / 4) * part);
      const caller = callersIn(calls()).at(-1)?.caller;
      const driver = workers.find(({ name }) => name === caller);
      executedAgain.push(await noteKept(url(), calls()));
      if (driver) await stop(driver);
    }
    await clientOf(door).waitForScorecard(runId);
    expect(new Set(callsIn(calls()).map(({ ordinal }) => ordinal)).size).toBe(TASKS);
    expect(executedAgain.flatMap((list) => list())).toEqual([]);
    expect(await debugLog(door, runId)).toEqual(await calmLog());
  });

  it('a worker that stands still for longer than its lease loses the run, and does no harm when it goes on', async () => {
    const door = await openDoor('door');
    const workers = await openWorkers('one', 'two');
    const runId = await createOn(door);
    await untilCalled(calls(), TASKS / 4);
    const caller = callersIn(calls()).at(-1)?.caller;
    const driver = workers.find(({ name }) => name === caller);
    const executedAgain = await noteKept(url(), calls());
    driver?.child.kill('SIGSTOP');
    const others = () => callersIn(calls()).filter((call) => call.caller !== caller).length;
    await expect.poll(others, POLL).toBeGreaterThan(0);
    driver?.child.kill('SIGCONT');
    await clientOf(door).waitForScorecard(runId);
    expect(executedAgain()).toEqual([]);
    expect(await debugLog(door, runId)).toEqual(await calmLog());
  });

  it('workers that are told to end finish their tasks, and nothing is executed again', async () => {
    const door = await openDoor('door');
    const runId = await createOn(door);
    for (const [round, name] of ['one', 'two', 'three'].entries()) {
      const worker = name === 'two' ? await openHost(name, '--drain', '25') : await openWorker(name);
      await untilCalled(calls(), (TASKS / 5) * (round + 1));
      const ended = await stop(worker, 'SIGTERM');
      expect(ended).toMatchObject({ code: 0, stderr: '' });
    }
    await openWorker('last');
    await clientOf(door).waitForScorecard(runId);
    expect(callsIn(calls())).toHaveLength(TASKS);
    expect(new Set(callersIn(calls()).map(({ caller }) => caller)).size).toBe(4);
    expect(await debugLog(door, runId)).toEqual(await calmLog());
  });

  it('a worker that is told to end is not ready, and a second signal ends it at once', async () => {
    slowDown(600_000);
    const door = await openDoor('door');
    const worker = await openWorker('one');
    expect(await probe(worker.health, '/healthz')).toEqual([200, { status: 'alive' }]);
    expect(await probe(worker.health, '/readyz')).toEqual([200, { status: 'ready' }]);
    expect(await probe(door.url, '/readyz')).toEqual([200, { status: 'ready' }]);
    const metrics = await (await fetch(`${worker.health}/metrics`)).text();
    expect(metrics).toContain('touchstone_runs_at_work 0');
    expect(metrics).toMatch(/^touchstone_store_seconds_count\{kind="read"\} [1-9]/m);
    expect(metrics).toMatch(/^touchstone_store_seconds_count\{kind="write"\} [1-9]/m);
    expect(metrics).toContain('# TYPE touchstone_append_lag_seconds histogram');
    await createOn(door);
    await untilCalled(calls(), 1);
    worker.child.kill('SIGTERM');
    await expect.poll(() => probe(worker.health, '/readyz'), POLL).toEqual([503, { status: 'stopping' }]);
    expect(await probe(worker.health, '/healthz')).toEqual([200, { status: 'alive' }]);
    expect(await stop(worker, 'SIGTERM')).toMatchObject({ code: 143 });
  });

  it('a run is paused, resumed and cancelled through a host that does not work', async () => {
    slowDown();
    const door = await openDoor('door');
    await openWorkers('one', 'two');
    const client = clientOf(door);
    const runId = await createOn(door);
    const status = async () => (await client.runs.get(runId)).status;
    await untilCalled(calls(), 20);
    await client.runs.pause(runId);
    await expect.poll(status, POLL).toBe('paused');
    // The status says so at once. It is at rest, and can be resumed, when the log says so.
    for await (const { type } of client.streamEvents(runId)) if (type === 'run.paused') break;
    const atPause = callsIn(calls()).length;
    expect(atPause).toBeLessThan(TASKS);
    await client.runs.resume(runId);
    await untilCalled(calls(), atPause + 20);
    await client.runs.cancel(runId);
    await expect.poll(status, POLL).toBe('cancelled');
    expect(callsIn(calls()).length).toBeLessThan(TASKS);
  });

  it('a stream goes on at another host after the death of its own, and sees every event once', async () => {
    const [first, second] = [await openDoor('door'), await openDoor('other')];
    await openWorker('one');
    const runId = await createOn(first);
    const seen: number[] = [];
    const follow = async (host: Serving, until: number) => {
      const after = seen.at(-1);
      const from = after === undefined ? {} : { after };
      for await (const { sequence } of clientOf(host).streamEvents(runId, { ...from, streamMode: 'debug' })) {
        seen.push(Number(sequence));
        if (seen.length >= until) return;
      }
    };
    await follow(first, 60);
    await stop(first);
    await follow(second, Number.POSITIVE_INFINITY);
    const head = (await debugLog(second, runId)).length;
    expect(seen).toEqual(Array.from({ length: head }, (_, i) => i));
  });

  it('the progress of a run is shown by a host that does not drive it, task by task', async () => {
    const door = await openDoor('door');
    await openWorker('one');
    const runId = await createOn(door);
    const response = await fetch(`${door.url}/v1/host/touchstone/runs/${runId}/progress`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    const text = await response.text();
    const tasks = [...text.matchAll(/event: task\ndata: (.*)\n/g)].map(([, data]) =>
      JSON.parse(String(data)),
    );
    const progress = [...text.matchAll(/event: progress\ndata: (.*)\n/g)].map(([, data]) =>
      JSON.parse(String(data)),
    );
    expect(new Set(tasks.map(({ taskId }) => taskId)).size).toBe(tasks.length);
    expect(tasks.length).toBeGreaterThan(TASKS / 2);
    expect(progress.length).toBeGreaterThan(5);
    expect(progress.at(-1)).toMatchObject({ total: TASKS, done: TASKS });
  });

  it('an event is posted to a webhook once, whichever process has appended it', async () => {
    const hook = await openHook();
    configure(folder.path, { egress: { allowPrivate: true } });
    const [door] = [await openDoor('door'), await openDoor('other')];
    await openWorkers('one', 'two');
    const registered = await clientOf(door).webhooks.register({
      url: hook.url,
      events: ['run.started', 'run.completed'],
    });
    expect(registered).toBeDefined();
    const runId = await createOn(door);
    await clientOf(door).waitForScorecard(runId);
    await expect.poll(() => hook.types(runId), POLL).toEqual(['run.started', 'run.completed']);
    hook.server.close();
  });

  it('a worker without the files of the agent leaves its runs to one that has them', async () => {
    const door = await openDoor('door');
    const bare = join(folder.path, 'bare');
    mkdirSync(bare);
    for (const file of ['numbers.suite.json', 'agent.mjs'])
      copyFileSync(join(folder.path, file), join(bare, file));
    const { agents: _, ...config } = readJson(join(folder.path, 'touchstone.config.json'));
    writeFileSync(join(bare, 'touchstone.config.json'), JSON.stringify({ ...config, agents: [] }));
    await openWorker('bare', bare);
    const runId = await createOn(door);
    const waiting = 'SELECT worker FROM workers';
    await expect.poll(async () => (await queryPostgres(url(), waiting)).length, POLL).toBe(1);
    await openWorker('able');
    await clientOf(door).waitForScorecard(runId);
    expect(new Set(callersIn(calls()).map(({ caller }) => caller))).toEqual(new Set(['able']));
  });

  it('a crash of the database in the middle of a run loses nothing and doubles nothing', async () => {
    const door = await openDoor('door');
    // Nothing but the database keeps the second one busy.
    const workers = [await openWorker('one'), await openWorker('two', folder.path, [])];
    const runId = await createOn(door);
    await untilCalled(calls(), TASKS / 3);
    database.crash();
    await expect.poll(() => probe(door.url, '/readyz'), POLL).toEqual([503, { status: 'store' }]);
    database.start();
    await expect.poll(async () => (await clientOf(door).runs.get(runId)).status, POLL).toBe('completed');
    const log = await debugLog(door, runId);
    expect(log.filter(({ type }) => type === 'eval.scored')).toHaveLength(TASKS);
    expect(callsIn(calls()).length).toBeLessThanOrEqual(TASKS + 2 * CONCURRENCY);
    expect(await probe(door.url, '/readyz')).toEqual([200, { status: 'ready' }]);
    expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null]);
  });

  it('a worker needs a database with tables in it, and a host that does not work needs one, too', async () => {
    for (const args of [['worker'], ['serve', '--no-prepare']]) {
      const { code, stderr } = await runCli(args, folder.path, env('one'));
      expect({ args, code }).toEqual({ args, code: 3 });
      expect(stderr).toContain('touchstone store prepare');
    }
    setStore(folder.path, undefined);
    for (const args of [['worker'], ['serve', '--no-work']]) {
      const { code, stderr } = await runCli(args, folder.path, env('one'));
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain('PostgreSQL');
    }
  });
});

async function probe(host: string, path: string): Promise<readonly [number, unknown]> {
  const response = await fetch(`${host}${path}`);
  return [response.status, await response.json()];
}

async function openHook() {
  const received: { readonly runId: string; readonly type: string }[] = [];
  const server: HttpServer = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    url: `http://127.0.0.1:${port}/`,
    types: (runId: RunId) => received.filter((one) => one.runId === runId).map(({ type }) => type),
  };
}
