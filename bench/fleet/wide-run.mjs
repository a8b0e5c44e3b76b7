// One run that several workers execute: what it takes, and what it is like when something is done to them meanwhile.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { madeAgain } from '../lib/calls.mjs';
import { withFolder } from '../lib/process.mjs';
import { checkPasses, writeSuite } from '../lib/touchstone.mjs';
import { ask, serverCpuMs, withSchema } from './database.mjs';
import { cpuMs, followEvents, withFleet } from './processes.mjs';

export const CONCURRENCY = 64;
const SUITE = 'local.bench.evals.baskets';

/**
 * A run of `n` tasks on so many workers. `disturb` is called when a third of it is done. Answers the time, the processor time of
 * the workers and of the server, the calls, and what `disturb` has answered.
 */
export function runWide({ server, n, workers, delayMs = 0, concurrency = CONCURRENCY, disturb, gate }) {
  const measureOn = (folder, store) => {
    const suites = join(folder, 'suites');
    mkdirSync(suites);
    writeSuite(suites, n);
    const env = { BENCH_DELAY_MS: String(delayMs) };
    const more = { suites: [suites], evalSuite: { maxTasksPerSuite: 1_000_000 } };
    return withFleet({ folder: join(folder, 'fleet'), store, workers, env, more }, (fleet) =>
      measureRun({ ...fleet, server, store }, { n, concurrency, disturb }),
    );
  };
  return withFolder((folder) =>
    withSchema(server, (store) =>
      gate ? gate(store, (url) => measureOn(folder, url)) : measureOn(folder, store),
    ),
  );
}

async function measureRun(fleet, { n, concurrency, disturb }) {
  const { client, workers, server, calls } = fleet;
  const before = { workers: sumOf(workers), server: await serverCpuMs(server) };
  const begun = performance.now();
  const { runId } = await client.startRun(SUITE, concurrency);
  const arrivals = disturb && followArrivals(client, runId);
  const disturbed = disturb && (await disturbLater({ ...fleet, runId, n, disturb }));
  await untilEnd(client, runId);
  const wallMs = performance.now() - begun;
  const cost = {
    cpuMs: sumOf(workers) - before.workers,
    serverMs: (await serverCpuMs(server)) - before.server,
  };
  checkPasses('the run of the fleet', (await client.readSummary(runId)).passedCount, n);
  const made = calls();
  return { wallMs, ...cost, calls: made, again: madeAgain(made), disturbed, arrivals: await arrivals };
}

const sumOf = (workers) => workers.reduce((sum, { child }) => sum + cpuMs(child.pid), 0);

async function disturbLater({ calls, n, disturb, ...fleet }) {
  while (calls().length < n / 3) await pause(50);
  return disturb({ ...fleet, calls });
}

/** When the events of a run came to a reader. */
async function followArrivals(client, runId) {
  const arrivals = [];
  await followEvents(client, runId, ({ type }, at) => {
    if (type === 'eval.scored') arrivals.push(at);
    return false;
  });
  return arrivals;
}

/** The database may be away meanwhile. */
async function untilEnd(client, runId) {
  for (;;) {
    const run = await client.waitForEnd(runId).catch(() => undefined);
    if (run) return;
    await pause(200);
  }
}

/** The longest time without an event, from a moment before `since` on. */
export function longestSilence(arrivals, since) {
  const from = arrivals.findLastIndex((at) => at <= since);
  const later = arrivals.slice(Math.max(0, from));
  return later.slice(1).reduce((most, at, i) => Math.max(most, at - later[i]), 0);
}

/** The worker that drives the run, and one of those that do not. */
export async function partsOf({ workers, store }) {
  const url = new URL(store);
  const schema = url.searchParams.get('schema');
  url.search = '';
  const [{ lease_holder: holder }] = await ask(url.href, `SELECT lease_holder FROM ${schema}.runs`);
  const isDriver = ({ child }) => String(holder).includes(`|${child.pid}|`);
  return { driver: workers.find(isDriver), other: workers.find((one) => !isDriver(one)) };
}
