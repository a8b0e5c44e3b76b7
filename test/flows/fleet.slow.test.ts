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
  type Fleet,
  openFleet,
  type Project,
  readJson,
} from './fleet-processes.js';
import { callsIn, KEY, letGo, OTHER_KEY, runCli, type Serving } from './processes.js';

// Goal: hosts and workers on one database share the work, and nobody can tell from a run which of them did it, or which of
// them died meanwhile. Method: real processes and a real server that flushes; logs are compared with that of one host on a file.
const TASKS = 200;
const CONCURRENCY = 8;

describe.skipIf(!hasPostgres())('workers on one PostgreSQL database', () => {
  let database: Server;
  let fleet: Fleet;
  beforeAll(async () => {
    database = await startServer({ durable: true });
  });
  afterAll(() => database?.stop());
  beforeEach(() => {
    fleet = openFleet(database, { tasks: TASKS, delayMs: 40 });
  });
  afterEach(() => fleet.close());

  const again = async (project: Partial<Project>) => {
    await fleet.close();
    fleet = openFleet(database, { tasks: TASKS, delayMs: 250, ...project });
  };

  it('runs created through a host that does not work are shared by several workers, each whole on one', async () => {
    await again({});
    const door = await fleet.door('door');
    await fleet.workers('one', 'two', 'three');
    const runIds = await Promise.all(Array.from({ length: 6 }, () => createOn(door)));
    await Promise.all(runIds.map((runId) => clientOf(door).waitForScorecard(runId)));
    const made = callersIn(fleet.calls).map(({ caller }) => caller);
    // Which of them is first depends on the machine; that no one takes everything does not.
    expect(new Set(made).size).toBeGreaterThan(1);
    expect(made).toHaveLength(runIds.length * TASKS);
    for (const name of ['one', 'two', 'three'])
      expect(made.filter((caller) => caller === name).length % TASKS).toBe(0);
  });

  it('a run of another tenant begins before the many runs that were waiting when it came', async () => {
    const door = await fleet.door('door');
    await Promise.all(Array.from({ length: 30 }, () => createOn(door)));
    const other = await createOn(door, { key: OTHER_KEY });
    await fleet.worker('one');
    await clientOf(door, OTHER_KEY).waitForScorecard(other);
    const begun = await queryPostgres(
      fleet.url,
      'SELECT run_id FROM runs WHERE started_at IS NOT NULL ORDER BY started_at',
    );
    const names = begun.map((row) => String(row.run_id));
    // One of each in turn, and the next one may be opened sooner. Which of the first two begins first is not promised.
    expect(names.slice(0, 4)).toContain(other);
  });

  it('kill -9 of the worker that drives a run: another goes on, and the log is that of one host on a file', async () => {
    const door = await fleet.door('door');
    const workers = await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door);
    const executedAgain: (() => readonly number[])[] = [];
    for (const part of [1, 2]) {
      await untilCalled(fleet.calls, (TASKS / 4) * part);
      const caller = callersIn(fleet.calls).at(-1)?.caller;
      const driver = workers.find(({ name }) => name === caller);
      executedAgain.push(await noteKept(fleet.url, fleet.calls));
      if (driver) await fleet.stop(driver);
    }
    await clientOf(door).waitForScorecard(runId);
    expect(new Set(callsIn(fleet.calls).map(({ ordinal }) => ordinal)).size).toBe(TASKS);
    expect(executedAgain.flatMap((list) => list())).toEqual([]);
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog());
  });

  it('a worker that stands still for longer than its lease loses the run, and does no harm when it goes on', async () => {
    await again({ delayMs: 40, holdFrom: TASKS / 2 });
    const door = await fleet.door('door');
    const workers = await fleet.workers('one', 'two');
    const runId = await createOn(door);
    await untilCalled(fleet.calls, TASKS / 4);
    const caller = callersIn(fleet.calls).at(-1)?.caller;
    const driver = workers.find(({ name }) => name === caller);
    const executedAgain = await noteKept(fleet.url, fleet.calls);
    driver?.child.kill('SIGSTOP');
    letGo(fleet.folder);
    const others = () => callersIn(fleet.calls).filter((call) => call.caller !== caller).length;
    await expect.poll(others, POLL).toBeGreaterThan(0);
    driver?.child.kill('SIGCONT');
    await clientOf(door).waitForScorecard(runId);
    expect(executedAgain()).toEqual([]);
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog());
  });

  it('workers that are told to end finish their tasks, and nothing is executed again', async () => {
    await again({});
    const door = await fleet.door('door');
    const runId = await createOn(door);
    for (const [round, name] of ['one', 'two', 'three'].entries()) {
      const worker = name === 'two' ? await fleet.host(name, '--drain', '25') : await fleet.worker(name);
      await untilCalled(fleet.calls, (TASKS / 5) * (round + 1));
      const ended = await fleet.stop(worker, 'SIGTERM');
      expect(ended).toMatchObject({ code: 0, stderr: '' });
    }
    await fleet.worker('last');
    await clientOf(door).waitForScorecard(runId);
    expect(callsIn(fleet.calls)).toHaveLength(TASKS);
    expect(new Set(callersIn(fleet.calls).map(({ caller }) => caller)).size).toBe(4);
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog());
  });

  it('a worker that is told to end is not ready, and a second signal ends it at once', async () => {
    await again({ delayMs: 600_000 });
    const door = await fleet.door('door');
    const worker = await fleet.worker('one');
    expect(await probe(worker.health, '/healthz')).toEqual([200, { status: 'alive' }]);
    expect(await probe(worker.health, '/readyz')).toEqual([200, { status: 'ready' }]);
    expect(await probe(door.url, '/readyz')).toEqual([200, { status: 'ready' }]);
    const metrics = async () => (await fetch(`${worker.health}/metrics`)).text();
    expect(await metrics()).toContain('touchstone_runs_at_work 0');
    await expect.poll(metrics, POLL).toMatch(/^touchstone_store_seconds_count\{kind="read"\} [1-9]/m);
    await expect.poll(metrics, POLL).toMatch(/^touchstone_store_seconds_count\{kind="write"\} [1-9]/m);
    expect(await metrics()).toContain('# TYPE touchstone_append_lag_seconds histogram');
    await createOn(door);
    await untilCalled(fleet.calls, 1);
    worker.child.kill('SIGTERM');
    await expect.poll(() => probe(worker.health, '/readyz'), POLL).toEqual([503, { status: 'stopping' }]);
    expect(await probe(worker.health, '/healthz')).toEqual([200, { status: 'alive' }]);
    expect(await fleet.stop(worker, 'SIGTERM')).toMatchObject({ code: 143 });
  });

  it('a run is paused, resumed and cancelled through a host that does not work', async () => {
    // So many that it is still at work whenever it hears of the pause, and of the end.
    const many = 20 * TASKS;
    await again({ tasks: many });
    const door = await fleet.door('door');
    await fleet.workers('one', 'two');
    const client = clientOf(door);
    const runId = await createOn(door);
    const status = async () => (await client.runs.get(runId)).status;
    await untilCalled(fleet.calls, 20);
    await client.runs.pause(runId);
    await expect.poll(status, POLL).toBe('paused');
    // The status says so at once. It is at rest, and can be resumed, when the log says so.
    for await (const { type } of client.streamEvents(runId)) if (type === 'run.paused') break;
    const atPause = callsIn(fleet.calls).length;
    expect(atPause).toBeLessThan(many);
    await client.runs.resume(runId);
    await untilCalled(fleet.calls, atPause + 20);
    await client.runs.cancel(runId);
    await expect.poll(status, POLL).toBe('cancelled');
    expect(callsIn(fleet.calls).length).toBeLessThan(many);
  });

  it('a stream goes on at another host after the death of its own, and sees every event once', async () => {
    const [first, second] = [await fleet.door('door'), await fleet.door('other')];
    await fleet.worker('one');
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
    await fleet.stop(first);
    await follow(second, Number.POSITIVE_INFINITY);
    const head = (await debugLog(second, runId)).length;
    expect(seen).toEqual(Array.from({ length: head }, (_, i) => i));
  });

  it('the progress of a run is shown by a host that does not drive it, task by task', async () => {
    // Long enough to be looked at more than a few times, however seldom the host gets to it.
    await again({});
    const door = await fleet.door('door');
    const runId = await createOn(door);
    const response = await fetch(`${door.url}/v1/host/touchstone/runs/${runId}/progress`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    // Whoever looks in from the beginning sees everything.
    await fleet.worker('one');
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
    configure(fleet.folder, { egress: { allowPrivate: true } });
    const [door] = [await fleet.door('door'), await fleet.door('other')];
    await fleet.workers('one', 'two');
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
    const door = await fleet.door('door');
    const bare = join(fleet.folder, 'bare');
    mkdirSync(bare);
    for (const file of ['numbers.suite.json', 'agent.mjs'])
      copyFileSync(join(fleet.folder, file), join(bare, file));
    const { agents: _, ...config } = readJson(join(fleet.folder, 'touchstone.config.json'));
    writeFileSync(join(bare, 'touchstone.config.json'), JSON.stringify({ ...config, agents: [] }));
    await fleet.worker('bare', { cwd: bare });
    const runId = await createOn(door);
    const waiting = 'SELECT worker FROM workers';
    await expect.poll(async () => (await queryPostgres(fleet.url, waiting)).length, POLL).toBe(1);
    await fleet.worker('able');
    await clientOf(door).waitForScorecard(runId);
    expect(new Set(callersIn(fleet.calls).map(({ caller }) => caller))).toEqual(new Set(['able']));
  });

  it('a crash of the database in the middle of a run loses nothing and doubles nothing', async () => {
    const door = await fleet.door('door');
    // Nothing but the database keeps the second one busy.
    const workers = [await fleet.worker('one'), await fleet.worker('two', { health: [] })];
    const runId = await createOn(door);
    await untilCalled(fleet.calls, TASKS / 3);
    database.crash();
    await expect.poll(() => probe(door.url, '/readyz'), POLL).toEqual([503, { status: 'store' }]);
    database.start();
    await expect.poll(async () => (await clientOf(door).runs.get(runId)).status, POLL).toBe('completed');
    const log = await debugLog(door, runId);
    expect(log.filter(({ type }) => type === 'eval.scored')).toHaveLength(TASKS);
    expect(callsIn(fleet.calls).length).toBeLessThanOrEqual(TASKS + 2 * CONCURRENCY);
    expect(await probe(door.url, '/readyz')).toEqual([200, { status: 'ready' }]);
    expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null]);
  });

  it('a worker needs a database with tables in it, and a host that does not work needs one, too', async () => {
    for (const args of [['worker'], ['serve', '--no-prepare']]) {
      const { code, stderr } = await runCli(args, fleet.folder, fleet.env('one'));
      expect({ args, code }).toEqual({ args, code: 3 });
      expect(stderr).toContain('touchstone store prepare');
    }
    setStore(fleet.folder, undefined);
    for (const args of [['worker'], ['serve', '--no-work']]) {
      const { code, stderr } = await runCli(args, fleet.folder, fleet.env('one'));
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
