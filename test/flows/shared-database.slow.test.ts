import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import {
  comparableLog,
  EVAL,
  noteKept,
  POLL,
  scoresOf,
  setStore,
  untilCalled,
  withoutTimes,
} from './database-host.js';
import {
  callsIn,
  KEY,
  kill,
  runCli,
  type Serving,
  serve,
  temporaryFolder,
  writeProject,
} from './processes.js';

// Goal: hosts that share a PostgreSQL database share their runs. Method: real processes and a real server that flushes, killed
// in the middle of runs; what they leave is compared with a run of one host on a file that nobody disturbed.
const TASKS = 300;
const CONCURRENCY = 8;

describe.skipIf(!hasPostgres())('hosts on one PostgreSQL database', () => {
  let database: Server;
  let folder: ReturnType<typeof temporaryFolder>;
  const running = new Set<Serving>();
  let schemas = 0;
  beforeAll(async () => {
    database = await startServer({ durable: true });
  });
  afterAll(() => database?.stop());
  beforeEach(() => {
    folder = temporaryFolder();
    writeProject(folder.path, TASKS, { delayMs: 12 });
    schemas += 1;
    setStore(folder.path, 'env:DATABASE_URL');
  });
  afterEach(async () => {
    for (const one of running) await kill(one);
    running.clear();
    folder.remove();
  });

  const calls = () => join(folder.path, 'calls.log');
  const url = () => `${database.url}?schema=s${schemas}`;
  const start = async (name: string): Promise<Serving> => {
    const host = await serve(['--data', name], folder.path, { CALLS: calls(), DATABASE_URL: url() });
    running.add(host);
    return host;
  };
  const clientOf = (host: Serving) => createClient({ baseUrl: host.url, key: KEY });
  const create = async (host: Serving): Promise<RunId> =>
    asId((await clientOf(host).runs.create(EVAL)).runId);

  it('kill -9 of the one that drives a run: the other goes on, and its log is that of an undisturbed run', async () => {
    const [first, second] = [await start('one'), await start('two')];
    const runId = await create(first);
    await untilCalled(calls(), TASKS / 3);
    const stream = scoresOf(second, runId);
    const executedAgain = await noteKept(url(), calls());
    running.delete(first);
    await kill(first);
    const summary = await clientOf(second).waitForScorecard(runId);
    expect(new Set(callsIn(calls()).map(({ ordinal }) => ordinal)).size).toBe(TASKS);
    expect(executedAgain()).toEqual([]);
    expect((await stream).sort()).toEqual(Array.from({ length: TASKS }, (_, i) => `n-${i}`).sort());

    setStore(folder.path, undefined);
    const calm = await serve(['--data', 'calm'], folder.path);
    running.add(calm);
    const calmId = await create(calm);
    expect(withoutTimes(summary)).toEqual(withoutTimes(await clientOf(calm).waitForScorecard(calmId)));
    expect(await comparableLog(second, runId)).toEqual(await comparableLog(calm, calmId));
  });

  it('a run is cancelled through a host that does not drive it', async () => {
    // So many that it is still at work whenever it hears of its end.
    writeProject(folder.path, 10 * TASKS, { delayMs: 200 });
    setStore(folder.path, 'env:DATABASE_URL');
    const [first, second] = [await start('one'), await start('two')];
    const runId = await create(first);
    await untilCalled(calls(), 20);
    await clientOf(second).runs.cancel(runId);
    await expect.poll(async () => (await clientOf(second).runs.get(runId)).status, POLL).toBe('cancelled');
    expect((await clientOf(first).runs.get(runId)).status).toBe('cancelled');
    expect(callsIn(calls()).length).toBeLessThan(10 * TASKS);
  });

  it('a crash of the database in the middle of a run loses nothing and doubles nothing', async () => {
    const host = await start('one');
    const runId = await create(host);
    await untilCalled(calls(), TASKS / 3);
    database.crash();
    const down = await fetch(`${host.url}/v1/runs/${runId}`, { headers: { authorization: `Bearer ${KEY}` } });
    expect(down.status).toBe(503);
    expect(down.headers.get('retry-after')).toBe('1');
    expect(await down.text()).not.toContain('pg-test-password');
    database.start();
    await expect.poll(async () => (await clientOf(host).runs.get(runId)).status, POLL).toBe('completed');
    const log = await comparableLog(host, runId);
    expect(log.filter(({ type }) => type === 'eval.scored')).toHaveLength(TASKS);
    expect(callsIn(calls()).length).toBeLessThanOrEqual(TASKS + 2 * CONCURRENCY);
  });

  it('the command line keeps its runs there, and a second folder reads them', async () => {
    const env = { DATABASE_URL: url() };
    const args = ['run', 'numbers.suite.json', '--agent', 'local.test.numbers', '--json'];
    const run = await runCli(args, folder.path, env);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const { runId } = JSON.parse(run.stdout);
    for (const verb of [
      ['show', runId],
      ['runs'],
      ['show', 'last'],
      ['audit', 'verify'],
      ['keys', 'list'],
      ['baseline', 'list'],
      ['usage'],
      ['doctor'],
    ]) {
      const told = await runCli([...verb, '--data', 'elsewhere'], folder.path, env);
      expect({ verb, ...told }).toMatchObject({ code: 0 });
      expect(told.stdout + told.stderr).not.toContain('pg-test-password');
    }
    expect((await runCli(['show', 'last', '--json'], folder.path, env)).stdout).toContain(runId);
    const again = JSON.parse((await runCli(args, folder.path, env)).stdout);
    const compared = await runCli(['compare', runId, again.runId, '--data', 'elsewhere'], folder.path, env);
    expect(compared).toMatchObject({ code: 0 });
  });

  it('a store is copied from a file to a database and back, and everything is the same; a fault is found', async () => {
    setStore(folder.path, undefined);
    const args = ['run', 'numbers.suite.json', '--agent', 'local.test.numbers', '--json'];
    const { runId } = JSON.parse((await runCli(args, folder.path)).stdout);
    const env = { DATABASE_URL: url() };
    const copy = (from: string, to: string) =>
      runCli(['store', 'copy', from, to, '--json'], folder.path, env);
    for (const [from, to] of [
      ['sqlite:.touchstone/touchstone.db', 'env:DATABASE_URL'],
      ['sqlite:.touchstone/touchstone.db', 'env:DATABASE_URL'],
      ['env:DATABASE_URL', 'sqlite:back/touchstone.db'],
    ] as const) {
      const copied = await copy(from, to);
      expect(copied).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(copied.stdout)).toMatchObject({ equal: true });
    }
    const shown = async (...more: readonly string[]) =>
      JSON.parse(
        (await runCli(['show', runId, '--all', '--bodies', '--json', ...more], folder.path, env)).stdout,
      );
    expect(await shown('--data', 'back')).toEqual(await shown());
    setStore(folder.path, 'env:DATABASE_URL');
    expect(await shown()).toMatchObject({ runId });
    expect(await runCli(['store', 'check'], folder.path, env)).toMatchObject({ code: 0 });
    // The database goes on with numbers of its own, and a copy of it is complete.
    expect(await runCli(args, folder.path, env)).toMatchObject({ code: 0 });
    expect(await copy('env:DATABASE_URL', 'sqlite:later/touchstone.db')).toMatchObject({ code: 0 });
    await queryPostgres(url(), 'DELETE FROM records WHERE ordinal = 7');
    const checked = await runCli(['store', 'check'], folder.path, env);
    expect(checked).toMatchObject({ code: 1 });
    expect(checked.stdout).toContain(`Its log names tasks whose records are missing: `);
    expect(checked.stdout).toContain(runId);
  });
});
