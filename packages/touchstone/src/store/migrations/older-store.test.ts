import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, type Owner } from '@touchstone/contract';
import { toBody } from '@touchstone/contract/bodies';
import type { BoundAgent, Clock, Suite } from '@touchstone/contract/ports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBoundAgents } from '../bound-agents.js';
import { SQLITE } from '../dialect.js';
import { openStore } from '../open-store.js';
import { migrate } from '../sqlite/migrate.js';
import { openSqlite } from '../sqlite/open-sqlite.js';
import { createSqliteDb } from '../sqlite/sqlite-db.js';
import { createSuites } from '../suites.js';
import { firstTables } from './0001-first-tables.js';

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

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-older-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A store as the first version left it: only the tables it knew, with something in them. */
async function makeVersion1(file: string): Promise<void> {
  const sqlite = await openSqlite(file);
  migrate(sqlite, file, SQLITE, [firstTables]);
  const db = createSqliteDb(sqlite);
  await createSuites(db).put(OWNER, SUITE, 1);
  await createBoundAgents(db).put(OWNER, AGENT, 1);
  await db.close();
}

it('a store of version 1 keeps what it held and can take packs, memory and responses', async () => {
  const file = join(folder, 'store.db');
  await makeVersion1(file);
  for (const outcome of ['created', 'same']) {
    const store = await openStore({ file, clock });
    expect(await store.suites.tasks(OWNER, SUITE.head.digest, 0, 9)).toEqual(SUITE.tasks);
    expect(await store.agents.list(OWNER)).toEqual([AGENT]);
    const head = {
      name: 'p',
      version: asId<BoundAgent['version']>('1.0.0'),
      integrity: 'sha256-AAAA',
      digest: asId<BoundAgent['digest']>('d-p'),
      filesSigned: false,
      agents: [],
    };
    const contents = { head, agents: [AGENT], suites: [SUITE] };
    expect(await store.packs.install(OWNER, contents, 2)).toBe(outcome);
    const entry = { id: 'e', content: 'c', tags: [], createdAt: '2026-01-01T00:00:00Z' };
    await store.memory.put(OWNER, AGENT.agentId, entry, 2);
    expect(await store.memory.snapshot(OWNER, AGENT.agentId, 2, 2)).toEqual([entry]);
    await store.responses.put(OWNER, asId('q'), toBody('answer'), 2);
    expect(await store.responses.get(OWNER, asId('q'))).toBe('answer');
    await store.close();
  }
});
