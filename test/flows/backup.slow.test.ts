import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { taskScore } from '@touchstone/protocol';
import { afterEach, expect, it } from 'vitest';
import { openSqlite } from '../../packages/touchstone/src/store/sqlite/open-sqlite.js';
import { clientOf, untilStatus } from './deployment-host.js';
import { readJson } from './pack-host.js';
import { kill, letGo, type Running, runCli, serve, temporaryFolder, writeProject } from './processes.js';

// Goal: what docs/backup.md and docs/upgrading.md promise. Method: real processes on real folders, as an operator has them.

const folders: ReturnType<typeof temporaryFolder>[] = [];
const running: Running[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await kill(one);
  for (const folder of folders.splice(0)) folder.remove();
});
function newFolder(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder.path;
}
async function openHost(cwd: string) {
  const host = await serve([], cwd);
  running.push(host);
  return clientOf(host.url);
}
type Host = Awaited<ReturnType<typeof openHost>>;

async function begin(host: Host): Promise<string> {
  const body = { mode: 'eval', evalSuiteRef: 'local.test.evals.numbers', agentId: 'local.test.numbers' };
  return (await readJson(host, '/v1/runs', { method: 'POST', body })).body.runId as string;
}

async function events(host: Host, runId: string): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (let isComplete = false; !isComplete; ) {
    const after = all.length === 0 ? '' : `?lastSequence=${all.length - 1}`;
    const { body } = await readJson(host, `/v1/runs/${runId}/events/poll${after}`);
    all.push(...(body.events as readonly unknown[]));
    isComplete = body.isComplete === true;
  }
  return all;
}

/** Everything that can be read of a finished run. */
const read = async (host: Host, runId: string) => [
  await events(host, runId),
  ...(await Promise.all(
    [
      `/v1/runs/${runId}`,
      `/v1/runs/${runId}/eval-summary`,
      `/v1/host/touchstone/runs/${runId}/results`,
      `/v1/host/touchstone/runs/${runId}/scorecard`,
      `/v1/host/touchstone/runs/${runId}/tasks/n-7`,
    ].map(async (path) => readJson(host, path)),
  )),
];

it('a copy made while a host works on runs, put elsewhere, has equal runs and goes on with the unfinished one', async () => {
  const [home, away] = [newFolder(), newFolder()];
  for (const folder of [home, away]) {
    writeProject(folder, 400, { delayMs: 5, holdFrom: 200 });
    letGo(folder);
  }
  const host = await openHost(home);
  const done = await begin(host);
  await untilStatus(host, done, 'completed');
  const before = await read(host, done);
  // From now on nobody comes past the middle, so that the run goes on while it is copied.
  rmSync(join(home, 'go'));
  const ongoing = await begin(host);
  await untilStatus(host, ongoing, 'running');

  expect(await runCli(['backup', 'copy'], home)).toMatchObject({ code: 0 });
  letGo(home);
  await untilStatus(host, ongoing, 'completed');

  cpSync(join(home, 'copy'), join(away, '.touchstone'), { recursive: true });
  const restored = await openHost(away);
  expect(await read(restored, done)).toEqual(before);
  await untilStatus(restored, ongoing, 'completed');
  const summaries = [host, restored].map((one) => readJson(one, `/v1/runs/${ongoing}/eval-summary`));
  const [here, there] = await Promise.all(summaries);
  expect(there?.body).toMatchObject({ aggregateScore: here?.body.aggregateScore, taskCount: 400 });
  expect((await readJson(restored, '/v1/audit/verify')).body).toMatchObject({ valid: true });
});

const LATER_TABLES = [
  ...['paces', 'buckets', 'suite_signatures', 'audit_checkpoints'],
  ...['judges', 'judge_versions', 'calibrations', 'work', 'assignments', 'claims'],
];

/** Takes a store back to what the schema was before runs could be removed. */
/** Summaries held their list of tasks. */
function listTasks(sqlite: Awaited<ReturnType<typeof openSqlite>>): void {
  const ends = sqlite
    .prepare('SELECT run_no, first_seq, events FROM log_entries WHERE tasks IS NOT NULL')
    .all();
  for (const { run_no: runNo, first_seq: first, events } of ends as Row[]) {
    const steps = sqlite.prepare(
      'SELECT result FROM log_entries WHERE run_no = ? AND result IS NOT NULL ORDER BY ordinal',
    );
    const tasks = (steps.all(runNo as number) as Row[]).map(({ result }) =>
      taskScore(JSON.parse(String(result))),
    );
    const list = JSON.parse(String(events));
    Object.assign(list.at(-1).payload.outputs, { tasks });
    const put = sqlite.prepare('UPDATE log_entries SET events = ? WHERE run_no = ? AND first_seq = ?');
    put.run(JSON.stringify(list), runNo as number, first as number);
  }
}
type Row = { readonly [column: string]: unknown };

async function makeOlder(file: string): Promise<void> {
  const sqlite = await openSqlite(file);
  const counting = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%counted'";
  for (const { name } of sqlite.prepare(counting).all() as { name: string }[])
    sqlite.exec(`DROP TRIGGER ${name}`);
  listTasks(sqlite);
  sqlite.exec(`ALTER TABLE log_entries DROP COLUMN tasks;
    DROP INDEX runs_with_bodies_left;
    ALTER TABLE runs DROP COLUMN bodies_left;
    ALTER TABLE runs DROP COLUMN log_digest;
    ALTER TABLE runs DROP COLUMN bodies_removed_at;
    ALTER TABLE runs DROP COLUMN lost_drives;
    ALTER TABLE runs DROP COLUMN lost_at_event;
    DROP TABLE stored_bytes;
    DROP TABLE sessions;
    DROP TABLE run_outcomes;
    DROP TABLE workers;
    ${LATER_TABLES.map((table) => `DROP TABLE ${table};`).join(' ')}
    DROP INDEX runs_leased;
    DROP INDEX ledger_by_spend;
    ALTER TABLE ledger DROP COLUMN spend_id;
    CREATE INDEX ledger_by_run ON ledger (run_no);
    ALTER TABLE idempotency DROP COLUMN creation_id;
    ALTER TABLE idempotency DROP COLUMN claimed_by;
    DELETE FROM schema_version WHERE version > 7;
    PRAGMA auto_vacuum = NONE;
    VACUUM`);
  sqlite.close();
}

it('a store of the schema before is taken over with equal runs, and can be pruned', async () => {
  const home = newFolder();
  writeProject(home, 20);
  const first = await openHost(home);
  const runId = await begin(first);
  await untilStatus(first, runId, 'completed');
  const before = await read(first, runId);
  await kill(running.splice(0)[0] as Running, 'SIGTERM');
  await makeOlder(join(home, '.touchstone', 'touchstone.db'));

  const again = await openHost(home);
  // What lists show of a run is made of its log again when somebody asks for more than one run.
  expect((await readJson(again, `/v1/host/touchstone/suites/local.test.evals.numbers/history`)).status).toBe(
    200,
  );
  expect(await read(again, runId)).toEqual(before);
  const fork = await readJson(again, `/v1/runs/${runId}:fork`, { method: 'POST', body: { mode: 'replay' } });
  expect(fork.status).toBe(201);
  await untilStatus(again, fork.body.runId as string, 'completed');
  expect((await readJson(again, `/v1/runs/${runId}:diff?against=${fork.body.runId}`)).body).toMatchObject({
    divergedAtSeq: null,
  });
  expect(await runCli(['prune', '--keep', '0', '--tenant', 'acme'], home)).toMatchObject({ code: 0 });
  expect((await again.fetch(`/v1/runs/${runId}`)).status).toBe(404);
});

it('a store of a later version is refused, and left as it is', async () => {
  const home = newFolder();
  writeProject(home, 2);
  expect((await runCli(['run', 'numbers.suite.json', '--agent', 'local.test.numbers'], home)).code).toBe(0);
  const file = join(home, '.touchstone', 'touchstone.db');
  const sqlite = await openSqlite(file);
  sqlite.exec('INSERT INTO schema_version (version) VALUES (99)');
  sqlite.close();
  const { code, stderr } = await runCli(['runs'], home);
  expect(code).not.toBe(0);
  expect(stderr).toContain('schema version 99');
  expect(stderr).toContain('Install a newer Touchstone');
  expect(existsSync(file)).toBe(true);
});
