import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import { noteKept, POLL, untilCalled } from './database-host.js';
import {
  callersIn,
  clientOf,
  configure,
  createOn,
  debugLog,
  type Fleet,
  openFleet,
} from './fleet-processes.js';
import { callsIn, letGo, OTHER_KEY } from './processes.js';

// Goal: one run is executed by several workers, and nobody can tell from its log which of them did what, or which of them died
// meanwhile. Method: real processes and a real server that flushes; logs are compared with that of one host on a file.
const TASKS = 600;
const WIDE = { configurable: { concurrency: 48 } };

describe.skipIf(!hasPostgres())('one run on several workers', () => {
  let database: Server;
  let fleet: Fleet;
  beforeAll(async () => {
    database = await startServer({ durable: true });
  });
  afterAll(() => database?.stop());
  beforeEach(() => {
    fleet = openFleet(database, { tasks: TASKS, delayMs: 200 });
  });
  afterEach(() => fleet.close());

  const ordinals = () => callsIn(fleet.calls).map(({ ordinal }) => ordinal);
  /** The name under which the run is driven, which has the number of the process in it. */
  const driverOf = async () =>
    String((await queryPostgres(fleet.url, 'SELECT lease_holder FROM runs'))[0]?.lease_holder);
  /** The agent does this, too, with each task. */
  const agentIs = (line: string) => {
    const file = join(fleet.folder, 'agent.mjs');
    const marker = '  return input % 10';
    writeFileSync(file, readFileSync(file, 'utf8').replace(marker, `  ${line}\n${marker}`));
  };
  const again = async (project: Parameters<typeof openFleet>[1]) => {
    await fleet.close();
    return openFleet(database, project);
  };
  /** All calls of the tasks that were called more than once. Read in one go, so that it can be asked while tasks begin. */
  const calledAgain = () => {
    const calls = callersIn(fleet.calls);
    const times = new Map<number, number>();
    for (const { ordinal } of calls) times.set(ordinal, (times.get(ordinal) ?? 0) + 1);
    return calls.filter(({ ordinal }) => times.get(ordinal) !== 1);
  };
  const callers = () => new Set(callersIn(fleet.calls).map(({ caller }) => caller));
  /** However long one of them takes to begin, there is work left for it. */
  const letGoWhenAllTakePart = async (count: number) => {
    await untilCalled(fleet.calls, 1);
    await expect.poll(() => callers().size, POLL).toBe(count);
    letGo(fleet.folder);
  };
  const atRest = async () => {
    for (const table of ['work', 'assignments', 'claims'])
      expect(await queryPostgres(fleet.url, `SELECT run_no FROM ${table}`), table).toEqual([]);
  };

  it('its tasks are executed by all of them, each once, and the log is that of one host on a file', async () => {
    fleet = await again({ tasks: TASKS, delayMs: 200, holdFrom: TASKS / 2 });
    const door = await fleet.door();
    await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door, WIDE);
    await letGoWhenAllTakePart(3);
    await clientOf(door).waitForScorecard(runId);
    expect(ordinals()).toHaveLength(TASKS);
    expect(new Set(ordinals()).size).toBe(TASKS);
    await atRest();
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
  });

  /** The fewest calls of one process in half a second, before another one takes part. */
  const fewestCalls = () => {
    const [first, ...calls] = callersIn(fleet.calls).toSorted((a, b) => a.at - b.at);
    const other = calls.find(({ caller }) => caller !== first?.caller)?.at ?? 0;
    const counts = calls
      .filter(({ at }) => at + 500 <= other)
      .map(({ at: from }) => calls.filter(({ at }) => at >= from && at < from + 500).length);
    return Math.min(...counts);
  };

  it('a run of short tasks is executed by one of them, unless the machine makes them as slow as long ones', async () => {
    fleet = await again({ tasks: TASKS, delayMs: 0 });
    const door = await fleet.door();
    await fleet.workers('one', 'two', 'three');
    // A little more than one assignment carries, so that most machines execute such tasks fast enough.
    const concurrency = 17;
    const runId = await createOn(door, { configurable: { concurrency } });
    await clientOf(door).waitForScorecard(runId);
    // A task of 40 ms is long: so many of them end in half a second.
    expect(callers().size === 1 || fewestCalls() < concurrency * (500 / 40)).toBe(true);
    expect(ordinals()).toHaveLength(TASKS);
    await atRest();
  });

  it('a run whose tasks are short at first, and long from some task on, is shared with the others then', async () => {
    fleet = await again({ tasks: TASKS, delayMs: 0 });
    const long = TASKS / 4;
    agentIs(`if (input >= ${long}) await new Promise((resolve) => setTimeout(resolve, 300));`);
    const door = await fleet.door();
    await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door, WIDE);
    await clientOf(door).waitForScorecard(runId);
    expect(callers()).toEqual(new Set(['one', 'two', 'three']));
    expect(ordinals()).toHaveLength(TASKS);
    await atRest();
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
  });

  it('some of the tasks, each twice: the log is that of one host on a file', async () => {
    const onlyTasks = Array.from({ length: TASKS / 3 }, (_, i) => `n-${3 * i}`);
    const selected = { configurable: { ...WIDE.configurable, repeats: 2, onlyTasks } };
    const door = await fleet.door();
    await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door, selected);
    await clientOf(door).waitForScorecard(runId);
    expect(ordinals()).toHaveLength(2 * onlyTasks.length);
    await atRest();
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(selected));
  });

  it('kill -9 of two workers: others go on with what they had, and the log is that of one host on a file', async () => {
    const door = await fleet.door();
    const workers = await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door, WIDE);
    const executedAgain: (() => readonly number[])[] = [];
    for (const [part, worker] of workers.slice(0, 2).entries()) {
      await untilCalled(fleet.calls, (TASKS / 4) * (part + 1));
      executedAgain.push(await noteKept(fleet.url, fleet.calls));
      await fleet.stop(worker);
    }
    await clientOf(door).waitForScorecard(runId);
    expect(new Set(ordinals()).size).toBe(TASKS);
    expect(executedAgain.flatMap((list) => list())).toEqual([]);
    await atRest();
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
  });

  it('workers that are told to end finish their tasks, and nothing is executed again', async () => {
    const door = await fleet.door();
    const workers = await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door, WIDE);
    for (const [round, worker] of workers.entries()) {
      await untilCalled(fleet.calls, (TASKS / 6) * (round + 1));
      await fleet.worker(`next-${round}`);
      expect(await fleet.stop(worker, 'SIGTERM')).toMatchObject({ code: 0, stderr: '' });
    }
    await clientOf(door).waitForScorecard(runId);
    expect(ordinals()).toHaveLength(TASKS);
    await atRest();
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
  });

  it('a run that one worker began alone is shared with those that come later, and nothing is executed twice', async () => {
    const held = TASKS / 4;
    fleet = await again({ tasks: 2 * TASKS, delayMs: 200, holdFrom: held });
    const door = await fleet.door();
    await fleet.worker('one');
    const runId = await createOn(door, WIDE);
    await untilCalled(fleet.calls, held);
    expect(await queryPostgres(fleet.url, 'SELECT run_no FROM work')).toEqual([]);
    await fleet.workers('two', 'three');
    letGo(fleet.folder);
    await clientOf(door).waitForScorecard(runId);
    expect(callers()).toEqual(new Set(['one', 'two', 'three']));
    expect(ordinals()).toHaveLength(2 * TASKS);
    expect(new Set(ordinals()).size).toBe(2 * TASKS);
    await atRest();
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
  });

  it('it is paused, resumed and cancelled through a host that does not work', async () => {
    // So many that it is still at work whenever it hears of the pause, and of the end.
    const many = 10 * TASKS;
    fleet = await again({ tasks: many, delayMs: 200 });
    const door = await fleet.door();
    await fleet.workers('one', 'two');
    const client = clientOf(door);
    const runId = await createOn(door, WIDE);
    const status = async () => (await client.runs.get(runId)).status;
    await untilCalled(fleet.calls, 100);
    await client.runs.pause(runId);
    await expect.poll(status, POLL).toBe('paused');
    for await (const { type } of client.streamEvents(runId)) if (type === 'run.paused') break;
    const atPause = ordinals();
    expect(atPause.length).toBeLessThan(many);
    await atRest();
    await client.runs.resume(runId);
    await untilCalled(fleet.calls, atPause.length + 100);
    // A pause lets what runs finish: nothing of it is executed again.
    expect(calledAgain()).toEqual([]);
    await client.runs.cancel(runId);
    await expect.poll(status, POLL).toBe('cancelled');
    await atRest();
    expect(ordinals().length).toBeLessThan(many);
  });

  it('its driver stands still for longer than its lease and goes on: the log is that of one host on a file', async () => {
    const door = await fleet.door();
    const workers = await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door, WIDE);
    await untilCalled(fleet.calls, TASKS / 4);
    const first = await driverOf();
    const driver = workers.find(({ child }) => first.includes(`|${child.pid}|`));
    const executedAgain = await noteKept(fleet.url, fleet.calls);
    driver?.child.kill('SIGSTOP');
    await expect.poll(driverOf, POLL).not.toBe(first);
    driver?.child.kill('SIGCONT');
    await clientOf(door).waitForScorecard(runId);
    expect(executedAgain()).toEqual([]);
    await atRest();
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
  });

  it('a crash of the database in the middle loses nothing and doubles nothing', async () => {
    const door = await fleet.door();
    await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door, WIDE);
    await untilCalled(fleet.calls, TASKS / 3);
    const executedAgain = await noteKept(fleet.url, fleet.calls);
    database.crash();
    database.start();
    const status = () =>
      clientOf(door)
        .runs.get(runId)
        .then(
          (run) => run.status,
          () => 'away',
        );
    await expect.poll(status, POLL).toBe('completed');
    expect(executedAgain()).toEqual([]);
    expect(ordinals().length).toBeLessThanOrEqual(TASKS + 48);
    await atRest();
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
  });

  it('a ceiling on costs holds for all of them together', async () => {
    agentIs(`ctx.usage({ provider: 'p', model: 'm', inputTokens: 1, outputTokens: 1, costUsd: 0.01 });`);
    const door = await fleet.door();
    await fleet.workers('one', 'two', 'three');
    const runId = await createOn(door, { configurable: { ...WIDE.configurable, budget: { maxCostUsd: 1 } } });
    const run = () => clientOf(door).runs.get(runId);
    await expect.poll(async () => (await run()).status, POLL).toBe('failed');
    expect((await run()).error?.code).toBe('budget_exhausted');
    expect(ordinals().length).toBeGreaterThanOrEqual(100);
    // What was in flight when the ceiling was reached is finished, and nothing else.
    expect(ordinals().length).toBeLessThanOrEqual(100 + 48);
    const [ledger] = await queryPostgres(fleet.url, 'SELECT COUNT(*)::int AS calls FROM ledger');
    expect(ledger?.calls).toBe(ordinals().length);
    await atRest();
  });

  it('a task that ends its driver, and then three more workers, is given up without a score; all others have theirs', async () => {
    // With several tenants a module has a process of its own, below that of the worker.
    agentIs(`if (input === 13) process.kill(process.ppid, 'SIGKILL');`);
    const door = await fleet.door();
    await fleet.workers('one', 'two', 'three', 'four', 'five');
    const runId = await createOn(door, WIDE);
    await clientOf(door).waitForScorecard(runId);
    expect(ordinals().filter((ordinal) => ordinal === 13)).toHaveLength(4);
    const scored = (await debugLog(door, runId)).filter(({ type }) => type === 'eval.scored');
    expect(scored).toHaveLength(TASKS);
    const report = await clientOf(door).runs.report(runId);
    expect(report.tasks.unscoredTasks).toEqual([{ taskId: 'n-13', reason: 'agent_unreachable' }]);
    await atRest();
  });

  it('a run of another tenant begins on workers whose places are all taken', async () => {
    fleet = await again({ tasks: 3_000, delayMs: 4_000 });
    const door = await fleet.door();
    await fleet.workers('one', 'two');
    const widest = { configurable: { concurrency: 256 } };
    const first = await Promise.all([1, 2, 3].map(() => createOn(door, widest)));
    const taken = 'SELECT place FROM assignments WHERE holder IS NOT NULL';
    await expect.poll(async () => (await queryPostgres(fleet.url, taken)).length, POLL).toBe(32);
    const second = await createOn(door, { ...WIDE, key: OTHER_KEY });
    const claims = `SELECT c.first_unit FROM claims c JOIN runs u ON u.run_no = c.run_no WHERE u.run_id = '${second}'`;
    await expect.poll(async () => (await queryPostgres(fleet.url, claims)).length, POLL).toBeGreaterThan(0);
    const runs = await Promise.all(first.map((runId) => clientOf(door).runs.get(runId)));
    expect(runs.map(({ status }) => status)).toEqual(['running', 'running', 'running']);
  });

  it('a worker without the files of the agent takes no part', async () => {
    fleet = await again({ tasks: TASKS, delayMs: 200, holdFrom: TASKS / 2 });
    const door = await fleet.door();
    const bare = join(fleet.folder, 'bare');
    mkdirSync(bare);
    copyFileSync(join(fleet.folder, 'numbers.suite.json'), join(bare, 'numbers.suite.json'));
    copyFileSync(join(fleet.folder, 'touchstone.config.json'), join(bare, 'touchstone.config.json'));
    configure(bare, { agents: [] });
    await fleet.worker('bare', { cwd: bare });
    await fleet.workers('one', 'two');
    const runId = await createOn(door, WIDE);
    await letGoWhenAllTakePart(2);
    await clientOf(door).waitForScorecard(runId);
    expect(callers()).toEqual(new Set(['one', 'two']));
    expect(ordinals()).toHaveLength(TASKS);
    await atRest();
  });
});
