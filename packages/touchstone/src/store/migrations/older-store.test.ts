import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, type Owner } from '@touchstone/protocol';
import { type PinnedContract, toBody } from '@touchstone/protocol/bodies';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type {
  Annotation,
  Blessing,
  BoundAgent,
  Clock,
  Commit,
  NewRun,
  PackContents,
  Suite,
  Webhook,
} from '../../ports/index.js';
import { createBoundAgents } from '../catalogue/bound-agents.js';
import { createMemory } from '../catalogue/memory.js';
import { createPacks } from '../catalogue/packs.js';
import { createSuites } from '../catalogue/suites.js';
import type { Db } from '../db.js';
import { SQLITE } from '../dialect.js';
import { createKeys } from '../keys.js';
import { ownClock } from '../log/lease-clock.js';
import { createLeases } from '../log/leases.js';
import { createPace } from '../log/page-rows.js';
import { createRunLog } from '../log/run-log.js';
import { createRuns } from '../log/runs.js';
import { createWatchers } from '../log/watchers.js';
import { openStore } from '../open-store.js';
import { NO_PEERS } from '../peers.js';
import { createResponses } from '../responses.js';
import { migrate } from '../sqlite/migrate.js';
import { openSqlite } from '../sqlite/open-sqlite.js';
import { createSqliteDb } from '../sqlite/sqlite-db.js';
import { createWebhooks } from '../webhooks.js';
import { firstTables } from './0001-first-tables.js';
import { packsAndMemory } from './0002-packs-and-memory.js';
import { draftPacks } from './0003-draft-packs.js';
import { annotationsAndBaselines } from './0004-annotations-and-baselines.js';
import { contracts } from './0005-contracts.js';
import { MIGRATIONS, type Migration } from './index.js';

const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() };
const OWNER: Owner = { tenant: 'acme', workspace: 'main' };
const SUITE: Suite = {
  head: {
    suiteId: asId('core.s'),
    version: asId('1.0.0'),
    digest: asId('d-s'),
    modes: ['golden'],
    taskCount: 1,
    rubricTasks: 0,
    judgedTasks: 0,
  },
  tasks: [{ taskId: asId('t'), input: toBody('What?'), expected: { kind: 'rubric', rubric: [] } }],
};
const AGENT: BoundAgent = { agentId: asId('a'), version: asId('1.0.0'), digest: asId('d-a'), spec: {} };
const PACK: PackContents = {
  head: {
    name: 'p',
    version: asId('1.0.0'),
    integrity: 'sha256-AAAA',
    digest: asId('d-p'),
    filesSigned: false,
    agents: [],
  },
  agents: [AGENT],
  suites: [SUITE],
};
const CONTRACT: PinnedContract = {
  digest: asId('d-c'),
  contract: {
    contractVersion: 1,
    suiteId: SUITE.head.suiteId,
    suiteVersion: SUITE.head.version,
    suiteSha256: 'ab'.repeat(32),
    agent: { id: 'a', name: 'A', version: '1.0.0', sha256: 'cd'.repeat(32) },
    criteria: [],
    tasks: {},
  },
};
const ENTRY = { id: 'e', content: 'c', tags: [], createdAt: '2026-01-01T00:00:00Z' };
const RUN: NewRun = {
  runId: asId('r1'),
  owner: OWNER,
  principal: 'ci',
  origin: 'host',
  workflowId: 'core.s',
  plan: { kind: 'workflow', workflowId: 'core.s' },
  request: {},
  createdAt: 1,
  engineVersion: 1,
};
const COMMIT: Commit = {
  seals: [{ ordinal: 0, repeat: 0, events: [{ type: 'run.started', at: 1, payload: { workflowId: 'w' } }] }],
  entries: [{ kind: 'step', ordinal: 0, repeats: 1, eventCount: 1, at: 1 }],
  firstSequence: 0,
};
const ANNOTATION: Annotation = {
  annotationId: asId('a1'),
  runId: RUN.runId,
  signal: { kind: 'flag' },
  by: asId('ann'),
  at: 3,
};
const WEBHOOK: Webhook = {
  webhookId: 'w1',
  url: 'https://hooks.example/',
  events: ['run.completed'],
  secret: 's',
  principal: 'ci',
  createdAt: 3,
  failures: 0,
};
const BLESSING: Blessing = {
  runId: RUN.runId,
  suite: { suiteId: SUITE.head.suiteId, version: SUITE.head.version, digest: SUITE.head.digest },
  agent: { agentId: AGENT.agentId, version: AGENT.version, digest: AGENT.digest },
  score: 1,
  principal: 'ann',
  at: 3,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-older-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A store as an earlier version left it: only the tables it knew, with something in them. */
async function makeOlder(
  file: string,
  migrations: readonly Migration[],
  fill: (db: Db) => Promise<void>,
): Promise<void> {
  const sqlite = await openSqlite(file);
  migrate(sqlite, file, SQLITE, migrations);
  // Today's code counts what it writes, and an older version had nowhere to keep it.
  if (migrations.length < MIGRATIONS.length)
    sqlite.exec('CREATE TEMP TABLE stored_bytes (tenant TEXT PRIMARY KEY, bytes INTEGER)');
  const db = createSqliteDb(sqlite);
  await fill(db);
  await db.close();
}

async function fillVersion1(db: Db): Promise<void> {
  await createSuites(db).put(OWNER, SUITE, 1);
  await createBoundAgents(db).put(OWNER, AGENT, 1);
}

it('a store of version 1 keeps what it held and can take packs, memory and responses', async () => {
  const file = join(folder, 'store.db');
  await makeOlder(file, [firstTables], fillVersion1);
  for (const outcome of ['created', 'same']) {
    const store = await openStore({ file, clock });
    expect(await store.suites.tasks(OWNER, SUITE.head.digest, 0, 9)).toEqual(SUITE.tasks);
    expect(await store.agents.list(OWNER)).toEqual([AGENT]);
    expect(await store.packs.install(OWNER, PACK, 2)).toBe(outcome);
    await store.memory.put(OWNER, AGENT.agentId, ENTRY, 2);
    expect(await store.memory.snapshot(OWNER, AGENT.agentId, 2, 2)).toEqual([ENTRY]);
    await store.responses.put(OWNER, asId('q'), toBody('answer'), 2);
    expect(await store.responses.get(OWNER, asId('q'))).toBe('answer');
    await store.close();
  }
});

/** As it was written before claims named what they create. */
const OLD_CLAIM = `INSERT INTO idempotency
    (tenant, workspace, operation, caller_key, request_digest, claimed_until, keep_ms, expires_at)
  VALUES ('acme', 'main', 'o', 'k', 'd', 1, 1, 2)`;

/** As it was written before bookings had names. */
const OLD_SPEND = `INSERT INTO ledger (run_no, at, provider, model, input_tokens, output_tokens)
  SELECT run_no, 0, 'p', 'm', 1, 1 FROM runs`;

async function fillVersion3(db: Db): Promise<void> {
  await fillVersion1(db);
  await createPacks(db).replace(OWNER, { ...PACK, head: { ...PACK.head, draft: true } }, 2);
  await createMemory(db).put(OWNER, AGENT.agentId, ENTRY, 2);
  await createResponses(db).put(OWNER, asId('q'), toBody('answer'), 2);
  await createKeys(db).put({ keyHash: 'h', owner: OWNER, principal: 'p', roles: [], createdAt: 1 });
  await db.transaction([{ sql: OLD_CLAIM, params: [] }]);
  const watchers = createWatchers();
  await createRuns(db, watchers, createPace()).create(RUN);
  await db.transaction([{ sql: OLD_SPEND, params: [] }]);
  const lease = await createLeases(db, ownClock(clock), 'me', NO_PEERS).take(OWNER, RUN.runId, 1_000);
  if (!lease) throw new Error('The lease is held.');
  await createRunLog(db, clock, watchers, createPace()).commit(lease, COMMIT);
}

/** Every row of every table that held something, except for the list of versions. */
async function rowsOf(file: string): Promise<{ readonly [table: string]: readonly unknown[] }> {
  const sqlite = await openSqlite(file);
  const tables = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as {
    name: string;
  }[];
  const rows = tables
    .filter(({ name }) => name !== 'schema_version')
    .map(({ name }) => [name, sqlite.prepare(`SELECT * FROM ${name}`).all()] as const);
  sqlite.close();
  return Object.fromEntries(rows.filter(([, list]) => list.length > 0));
}

it('a store of version 3 keeps every row and can take annotations, webhooks and baselines', async () => {
  const file = join(folder, 'version-3.db');
  const migrations = [firstTables, packsAndMemory, draftPacks];
  await makeOlder(file, migrations, fillVersion3);
  const before = await rowsOf(file);
  expect(Object.keys(before)).toHaveLength(14);
  await (await openStore({ file, clock })).close();
  // Tables get new columns, so rows may hold more than before, never less.
  expect(await rowsOf(file)).toMatchObject(before);

  const store = await openStore({ file, clock });
  expect(await store.log.entries(OWNER, RUN.runId, 0, 9)).toMatchObject([{ records: COMMIT.seals }]);
  await store.annotations.add(OWNER, ANNOTATION);
  expect(await store.annotations.list(OWNER, RUN.runId)).toEqual([ANNOTATION]);
  await store.webhooks.add(OWNER, WEBHOOK);
  expect(await store.webhooks.list(OWNER)).toEqual([WEBHOOK]);
  await store.baselines.bless(OWNER, BLESSING);
  expect(await store.baselines.list(OWNER)).toEqual([BLESSING]);
  await store.close();
});

it('a store of version 5 keeps every row and can take deployments, audit records and secrets', async () => {
  const file = join(folder, 'version-5.db');
  const migrations = [firstTables, packsAndMemory, draftPacks, annotationsAndBaselines, contracts];
  await makeOlder(file, migrations, async (db) => {
    await fillVersion3(db);
    await createWebhooks(db).add(OWNER, WEBHOOK);
    await createSuites(db).attach(OWNER, SUITE.head.digest, CONTRACT, 4);
  });
  const before = await rowsOf(file);
  expect(Object.keys(before)).toHaveLength(17);
  await (await openStore({ file, clock })).close();
  expect(await rowsOf(file)).toMatchObject(before);

  // Late enough for the lease of the run's driver to be over.
  const store = await openStore({ file, clock: { ...clock, now: () => 5_000 } });
  const run = await store.runs.get(OWNER, RUN.runId);
  expect(run).toMatchObject(RUN);
  expect(run).not.toHaveProperty('waitUntil');
  const lease = await store.leases.take(OWNER, RUN.runId, 1_000);
  if (!lease) throw new Error('The lease is held.');
  const deployments = { agentId: AGENT.agentId, revision: 1, versions: [], channels: {} };
  const audit = [
    {
      at: 5,
      principal: asId<never>('ann'),
      action: asId<never>('a'),
      resource: asId<never>('r'),
      allowed: true,
    },
  ];
  const change = { status: 'waiting-approval', waitUntil: 0 } as const;
  await store.log.commit(lease, { firstSequence: 1, deployments, audit, run: change });
  await store.leases.release(lease);
  expect(await store.leases.adoptable(9)).toEqual([{ owner: OWNER, runId: RUN.runId }]);
  expect(await store.deployments.get(OWNER, AGENT.agentId)).toEqual(deployments);
  expect(await store.audit.read(OWNER, 0, 9)).toMatchObject(audit);
  const secret = await store.secret('tokens');
  await store.close();

  const reopened = await openStore({ file, clock });
  expect(await reopened.secret('tokens')).toBe(secret);
  await reopened.close();
});

it('the log of a store of version 19 keeps every row, and long rows of it lie outside of the tree that is searched', async () => {
  const file = join(folder, 'version-19.db');
  await makeOlder(file, MIGRATIONS.slice(0, 19), fillVersion3);
  const before = await rowsOf(file);
  expect(before.log_entries).toHaveLength(1);
  await (await openStore({ file, clock })).close();

  expect(await rowsOf(file)).toMatchObject(before);
  const sqlite = await openSqlite(file);
  const [table] = sqlite.prepare("SELECT sql FROM sqlite_master WHERE name = 'log_entries'").all();
  const places = sqlite
    .prepare('EXPLAIN QUERY PLAN SELECT at FROM log_entries WHERE run_no = 1 AND first_seq > 0')
    .all();
  sqlite.close();
  expect(table).not.toMatchObject({ sql: expect.stringContaining('WITHOUT ROWID') });
  expect(places).toMatchObject([
    { detail: expect.stringContaining('USING INDEX sqlite_autoindex_log_entries_1') },
  ]);
});

it('what an older store holds is counted when it is opened, as if it had been counted all along', async () => {
  const bytesIn = async (name: string, migrations: readonly Migration[]): Promise<number> => {
    const file = join(folder, name);
    await makeOlder(file, migrations, fillVersion3);
    const store = await openStore({ file, clock });
    const bytes = await store.amounts.bytes(OWNER);
    await store.close();
    return bytes;
  };
  const counted = await bytesIn('counted-later.db', [firstTables, packsAndMemory, draftPacks]);
  expect(counted).toBeGreaterThan(0);
  expect(counted).toBe(await bytesIn('counted-always.db', MIGRATIONS));
});
