import { HostError } from '@touchstone/protocol';
import { afterEach, expect, it } from 'vitest';
import { parseConfig } from '../app/config/config.js';
import { systemClock } from '../app/system.js';
import { createTestHost, type TestHost } from '../app/testing/test-host.js';
import { type RunningWorker, startWorker } from './worker.js';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const UNREACHABLE = new HostError('unavailable', 'The store is away.', { reason: 'unreachable' });

let behind: TestHost;
let running: RunningWorker;
afterEach(async () => {
  await running.close(0);
  await behind.close();
});

/** A worker whose store refuses to be read for as long as `isAway` says so. */
async function start() {
  behind = await createTestHost();
  const { touchstone } = behind;
  const { store } = touchstone;
  const state = { isAway: false };
  const unlessAway =
    <T>(read: () => Promise<T>) =>
    async (): Promise<T> => {
      if (state.isAway) throw UNREACHABLE;
      return read();
    };
  const workers = {
    ...store.workers,
    waitingRuns: unlessAway(async () => 3),
    list: unlessAway(async () => []),
  };
  const assignments = { ...store.assignments, waiting: unlessAway(() => store.assignments.waiting()) };
  running = await startWorker({
    touchstone: { ...touchstone, store: { ...store, workers, assignments }, close: async () => undefined },
    config: parseConfig({}, '/'),
    log: QUIET,
    clock: systemClock,
    health: { address: '127.0.0.1', port: 0 },
  });
  const scrape = async () => {
    const response = await fetch(`${running.healthUrl}/metrics`);
    return { status: response.status, text: await response.text() };
  };
  return { state, scrape };
}

it('while the store is away, a scrape tells what the process knows, and leaves out what only the store knows', async () => {
  const { state, scrape } = await start();
  expect((await scrape()).text).toContain('\ntouchstone_runs_waiting 3\n');
  state.isAway = true;
  const { status, text } = await scrape();
  expect(status).toBe(200);
  for (const line of [
    'touchstone_runs_at_work 0',
    'touchstone_takeovers_total 0',
    'touchstone_assignments 0',
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(text).not.toMatch(/^touchstone_(runs_waiting|workers|assignments_waiting|units_left) /m);
  state.isAway = false;
  expect((await scrape()).text).toContain('\ntouchstone_runs_waiting 3\n');
});
