import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, holdPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import { comparableLog, EVAL, POLL, setStore, untilCalled } from './database-host.js';
import { callsIn, KEY, kill, type Serving, serve, temporaryFolder, writeProject } from './processes.js';

// Goal: a run outlives a database that is away for less than a minute, however it is away, and executes nothing twice. Method: a
// real host, a real agent, and a real server that is crashed or frozen in the middle of the run.
const TASKS = 900;
const LOCK = 'SET LOCAL statement_timeout = 0; LOCK TABLE runs IN EXCLUSIVE MODE';

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

  const create = async (): Promise<RunId> => asId((await client().runs.create(EVAL)).runId);
  const ask = (method: string, path: string) =>
    fetch(host.url + path, { method, headers: { authorization: `Bearer ${KEY}` } });
  const refusalOf = async (response: Response) => {
    const { error, details } = (await response.json()) as { error: string; details?: object };
    return { status: response.status, again: response.headers.get('retry-after'), error, ...details };
  };
  const AWAY = { status: 503, again: '1', error: 'unavailable' };
  /** The run ends as if nothing had happened, and its host has not let go of it. */
  const expectUndisturbed = async (runId: RunId): Promise<void> => {
    await expect.poll(async () => (await client().runs.get(runId)).status, POLL).toBe('completed');
    const log = await comparableLog(host, runId);
    expect(log.filter(({ type }) => type === 'eval.scored')).toHaveLength(TASKS);
    expect(callsIn(calls())).toHaveLength(TASKS);
    expect((await kill(host)).stderr).not.toContain('run.abandoned');
  };

  it('it is down for ten seconds: nothing is executed again, and no run is let go', async () => {
    const runId = await create();
    await untilCalled(calls(), 100);
    database.crash();
    expect(await refusalOf(await ask('GET', `/v1/runs/${runId}`))).toMatchObject(AWAY);
    await wait(10_000);
    database.start();
    await expectUndisturbed(runId);
  });

  it('it stands still with its connections open: requests are refused, and what was executed is written when it goes on', async () => {
    const runId = await create();
    await untilCalled(calls(), 100);
    database.freeze();
    try {
      const answers = await Promise.all([
        ask('GET', `/v1/runs/${runId}`),
        ask('POST', `/v1/runs/${runId}/cancel`),
      ]);
      const [read, written] = await Promise.all(answers.map(refusalOf));
      expect(read).toMatchObject({ ...AWAY, reason: 'unreachable' });
      expect(written).toMatchObject(AWAY);
    } finally {
      database.thaw();
    }
    await expectUndisturbed(runId);
  });

  it('it gives up statements after its statement_timeout: they are sent again until they pass', async () => {
    await kill(host);
    await queryPostgres(url(), "ALTER DATABASE postgres SET statement_timeout = '2s'");
    host = await serve([], folder.path, { CALLS: calls(), DATABASE_URL: url() });
    const runId = await create();
    await untilCalled(calls(), 100);
    const { letGo } = await holdPostgres(url(), LOCK);
    const refused = await refusalOf(await ask('POST', `/v1/runs/${runId}:pause`));
    expect(refused).toMatchObject({ ...AWAY, reason: 'timeout' });
    await letGo();
    await queryPostgres(url(), 'ALTER DATABASE postgres RESET statement_timeout');
    await expectUndisturbed(runId);
  });

  it('it ends connections that are idle, in a transaction or not: they are replaced', async () => {
    await kill(host);
    const limits = ['idle_session_timeout', 'idle_in_transaction_session_timeout'];
    for (const limit of limits) await queryPostgres(url(), `ALTER DATABASE postgres SET ${limit} = '1s'`);
    host = await serve([], folder.path, { CALLS: calls(), DATABASE_URL: url() });
    const runId = await create();
    await expectUndisturbed(runId);
    for (const limit of limits) await queryPostgres(url(), `ALTER DATABASE postgres RESET ${limit}`);
  });
});
