import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../packages/touchstone/src/ports/index.js';
import { openStore } from '../../packages/touchstone/src/store/index.js';
import { processHolder } from '../../packages/touchstone/src/store/log/leases.js';
import { ACME, createRun, type TestClock, testClock } from './store/givens.js';

const LEASE_MS = 15_000;
let folder: string;
let clock: TestClock;
/** Two processes that were killed, each of which takes over from the other. */
let stores: Store[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-lost-'));
  clock = testClock();
  const [host, space] = processHolder().split('|');
  const killed = () => [host, space, spawnSync(process.execPath, ['--version']).pid, '1'].join('|');
  stores = [];
  for (let at = 0; at < 2; at += 1)
    stores.push(await openStore({ file: join(folder, 'store.db'), clock, holder: killed() }));
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true });
});

const storeAt = (times: number): Store => stores[times % 2] as Store;

async function loseThree() {
  const run = await createRun(storeAt(0), 'r1');
  const takes = [];
  for (let times = 0; times < 4; times += 1)
    takes.push((await storeAt(times).leases.take(ACME, run.runId, LEASE_MS))?.lostDrives);
  expect(takes).toEqual([0, 1, 2, 3]);
  return run;
}

it('a run whose third driver in a row was killed waits until its lease has run out', async () => {
  const run = await loseThree();
  const next = storeAt(4);
  expect(await next.leases.adoptable(9)).toEqual([]);
  expect(await next.leases.take(ACME, run.runId, LEASE_MS)).toBeUndefined();
  clock.move(LEASE_MS + 1);
  expect(await next.leases.adoptable(9)).toEqual([{ owner: ACME, runId: run.runId }]);
  expect((await next.leases.take(ACME, run.runId, LEASE_MS))?.lostDrives).toBe(4);
});

it('one that only has to stop does not wait', async () => {
  const run = await loseThree();
  const control = { kind: 'cancel', by: 'ann' } as const;
  const next = storeAt(4);
  await next.runs.request(ACME, run.runId, { from: ['pending'], status: 'cancelling', control });
  expect(await next.leases.adoptable(9)).toEqual([{ owner: ACME, runId: run.runId }]);
  expect(await next.leases.take(ACME, run.runId, LEASE_MS)).toBeDefined();
});

it('neither does one whose log has grown since', async () => {
  const run = await loseThree();
  clock.move(LEASE_MS + 1);
  const lease = await storeAt(4).leases.take(ACME, run.runId, LEASE_MS);
  if (!lease) throw new Error('The lease is held.');
  const events = [{ type: 'run.resumed', at: clock.now(), payload: {} }] as const;
  await storeAt(4).log.append(lease, { entries: [{ kind: 'events', events }], firstSequence: 0, run: {} });
  expect((await storeAt(5).leases.take(ACME, run.runId, LEASE_MS))?.lostDrives).toBe(1);
});
