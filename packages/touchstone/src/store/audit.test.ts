import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUDIT_START, type AuditEntry, asId } from '@touchstone/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Clock, Store } from '../ports/index.js';
import { auditStatement } from './audit.js';
import { SQLITE } from './dialect.js';
import { openStore } from './open-store.js';
import { openSqlite, type Sqlite } from './sqlite/open-sqlite.js';

const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() };
const OWNER = { tenant: 'acme', workspace: 'main' };
const ENTRY: AuditEntry = {
  at: 1,
  principal: asId('ann'),
  action: asId('deploy:promote'),
  resource: asId('agents/a@1.0.0'),
  allowed: false,
};

let folder: string;
let store: Store;
let sqlite: Sqlite;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-audit-'));
  const file = join(folder, 'store.db');
  store = await openStore({ file, clock });
  sqlite = await openSqlite(file);
  for (const at of [1, 2, 3]) await store.audit.append(OWNER, { ...ENTRY, at });
});
afterEach(async () => {
  sqlite.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const REPLACING = `INTO audit SELECT tenant, workspace, seq, at, principal, action, resource, 1, reason, run_id, previous,
  digest FROM audit WHERE seq = 2`;

it.each([
  'UPDATE audit SET allowed = 1',
  'UPDATE OR REPLACE audit SET seq = 1 WHERE seq = 2',
  'DELETE FROM audit WHERE seq = 3',
  'DELETE FROM audit',
  `INSERT OR REPLACE ${REPLACING}`,
  `REPLACE ${REPLACING}`,
  `INSERT ${REPLACING} ON CONFLICT DO UPDATE SET allowed = 1`,
])('a record is out of the reach of plain SQL: %s', async (sql) => {
  const before = await store.audit.read(OWNER, 0, 9);
  expect(() => sqlite.exec(sql)).toThrow('audit is append-only');
  expect(await store.audit.read(OWNER, 0, 9)).toEqual(before);
});

it('a record that was forged all the same can be read, and shows', async () => {
  sqlite.exec('DROP TRIGGER audit_unchanged');
  sqlite.exec("UPDATE audit SET reason = '{', resource = '', allowed = 1 WHERE seq = 2");
  const [first, forged] = await store.audit.read(OWNER, 0, 9);
  expect(first?.previous).toBe(AUDIT_START);
  expect(forged).toMatchObject({ seq: 2, reason: '{', resource: '', allowed: true, previous: first?.digest });
});

it('appending does not get slower with the length of the chain', () => {
  const { sql, params } = auditStatement(SQLITE, OWNER, ENTRY);
  const plan = sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params) as { detail: string }[];
  const steps = plan.map(({ detail }) => detail);
  expect(steps).toContain('SEARCH audit USING PRIMARY KEY (tenant=? AND workspace=?)');
  expect(steps.filter((step) => /SCAN audit|ORDER BY/.test(step))).toEqual([]);
});
