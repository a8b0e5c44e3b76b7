import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditEntry, asId, type Owner, type RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Clock, Store } from '../ports/index.js';
import { openStore } from './open-store.js';
import { openSqlite } from './sqlite/open-sqlite.js';

const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() };
const OWNER: Owner = { tenant: 'acme', workspace: 'main' };
const RUN_ID = asId<RunId>('r1');
const NOTE: AuditEntry = {
  at: 0,
  principal: asId('ann'),
  action: asId('runs:delete'),
  resource: asId('runs/r1'),
  allowed: true,
};

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-retention-'));
  file = join(folder, 'store.db');
});
afterEach(() => rm(folder, { recursive: true }));

async function fill(store: Store): Promise<void> {
  const plan = { kind: 'workflow', workflowId: 'w' } as const;
  const run = { runId: RUN_ID, owner: OWNER, principal: 'ci', origin: 'host', workflowId: 'w' } as const;
  await store.runs.create({ ...run, plan, request: {}, createdAt: 0, engineVersion: 1 });
  const lease = await store.leases.take(OWNER, RUN_ID, 1_000);
  if (!lease) throw new Error('The lease is held.');
  const seals = Array.from({ length: 500 }, (_, ordinal) => ({
    ordinal,
    repeat: 0,
    events: [],
    bodies: { reason: 'x'.repeat(10_000) },
  }));
  await store.log.commit(lease, { seals, firstSequence: 0, run: { status: 'completed' } });
}

async function removed(store: Store): Promise<void> {
  expect(await store.retention.remove(OWNER, RUN_ID, NOTE)).toBe(true);
  await store.retention.rewrite();
  while (await store.retention.sweep());
  await store.retention.rewrite();
}

it('the file gets smaller when a run is removed, a few pages at a time', async () => {
  const store = await openStore({ file, clock });
  await fill(store);
  await removed(store);
  await store.close();
  expect(statSync(file).size).toBeLessThan(1_000_000);
});

it('content that was removed is not left in the free places of the file', async () => {
  const store = await openStore({ file, clock });
  await fill(store);
  expect(await store.retention.removeBodies(OWNER, RUN_ID, NOTE)).toBe(true);
  while (await store.retention.sweep());
  await store.close();
  expect(readFileSync(file).includes('x'.repeat(100))).toBe(false);
});

it('a file that was made before space could be given back is written anew once', async () => {
  const old = await openSqlite(file);
  old.exec('PRAGMA auto_vacuum = NONE; VACUUM');
  old.close();
  const store = await openStore({ file, clock });
  await fill(store);
  await removed(store);
  await store.close();
  expect(statSync(file).size).toBeLessThan(1_000_000);
  const again = await openSqlite(file);
  expect(again.prepare('PRAGMA auto_vacuum').all()).toEqual([{ auto_vacuum: 2 }]);
  again.close();
});

it('what one process has removed another one clears, also after the first has gone', async () => {
  const [first, second] = [await openStore({ file, clock }), await openStore({ file, clock })];
  await fill(first);
  expect(await first.retention.remove(OWNER, RUN_ID, NOTE)).toBe(true);
  expect(await first.retention.sweep()).toBe(true);
  expect(await second.runs.get(OWNER, RUN_ID)).toBeUndefined();
  expect(await second.retention.remove(OWNER, RUN_ID, NOTE)).toBe(false);
  await Promise.all([first.retention.sweep(), second.retention.sweep()]);
  await first.close();
  while (await second.retention.sweep());
  await second.close();
  const left = await openSqlite(file);
  for (const table of ['runs', 'run_requests', 'records', 'log_entries', 'ledger', 'annotations'])
    expect(left.prepare(`SELECT COUNT(*) AS rows FROM ${table}`).all(), table).toEqual([{ rows: 0 }]);
  left.close();
});
