import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import { comparableLog, EVAL, POLL, setStore, untilCalled } from './database-host.js';
import { callsIn, KEY, kill, type Serving, serve, temporaryFolder, writeProject } from './processes.js';

// Goal: a run outlives a database that is away for less than a minute, however it is away, and executes nothing twice. Method: a
// real host, a real agent, and a real server that is crashed or frozen in the middle of the run.
const TASKS = 900;

describe.skipIf(!hasPostgres())('a database that is away', () => {
  let database: Server;
  let folder: ReturnType<typeof temporaryFolder>;
  let host: Serving;
  let schemas = 0;
  beforeAll(async () => {
    database = await startServer({ durable: true });
  });
  afterAll(() => database?.stop());
  beforeEach(async () => {
    folder = temporaryFolder();
    writeProject(folder.path, TASKS, { delayMs: 60 });
    setStore(folder.path, 'env:DATABASE_URL');
    schemas += 1;
    host = await serve([], folder.path, { CALLS: calls(), DATABASE_URL: url() });
  });
  afterEach(async () => {
    await kill(host);
    folder.remove();
  });

  const calls = () => join(folder.path, 'calls.log');
  const url = () => `${database.url}?schema=s${schemas}`;
  const client = () => createClient({ baseUrl: host.url, key: KEY });

  it('it is down for ten seconds: nothing is executed again', async () => {
    const runId = asId<RunId>((await client().runs.create(EVAL)).runId);
    await untilCalled(calls(), 100);
    database.crash();
    await wait(10_000);
    database.start();
    await expect.poll(async () => (await client().runs.get(runId)).status, POLL).toBe('completed');
    const log = await comparableLog(host, runId);
    console.log(callsIn(calls()).length, (await kill(host)).stderr);
    expect(log.filter(({ type }) => type === 'eval.scored')).toHaveLength(TASKS);
    expect(callsIn(calls())).toHaveLength(TASKS);
  });
});
