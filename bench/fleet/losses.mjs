// What a fleet loses when a worker is killed, and when the database is away.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median, withFolder } from '../lib/process.mjs';
import { seconds } from '../lib/report.mjs';
import { checkPasses } from '../lib/touchstone.mjs';
import { makeSuite } from '../workload.mjs';
import { openGate, withSchema } from './database.mjs';
import { followEvents, withFleet } from './processes.mjs';

const TASKS = 600;
const WIDTH = 8;
const DELAY_MS = 100;
const MOST_TAKEOVER_MS = 3_000;
const MOST_BACK_MS = 2_000;
const AWAY_MS = 10_000;

/** `kill -9` of the worker that drives a run: until the log grows again. */
export async function killedWorker({ report, reps, server }) {
  const measured = [];
  for (let rep = 0; rep < reps; rep += 1) measured.push(await runOnFleet({ server, workers: 2 }, killDriver));
  addRows(report, 'kill -9 of a worker', measured, { most: MOST_TAKEOVER_MS, mostAgain: WIDTH + 1 });
}

/** No worker can reach the database for ten seconds: what is executed again, and how soon the log grows after that. */
export async function databaseAway({ report, server }) {
  const one = await withSchema(server, async (address) => {
    const gate = await openGate(address);
    const found = await runOnFleet({ store: gate.url, workers: 1 }, async (fleet) => {
      gate.shut();
      await pause(AWAY_MS);
      await gate.open();
      return { since: Date.now(), fleet };
    });
    gate.shut();
    return found;
  });
  addRows(report, `database away for ${AWAY_MS / 1000} s`, [one], { most: MOST_BACK_MS, mostAgain: 0 });
}

async function killDriver(fleet) {
  for (const { child, url } of fleet.workers) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (!/^touchstone_runs_at_work 1$/m.test(metrics)) continue;
    child.kill('SIGKILL');
    return { since: Date.now(), fleet };
  }
  throw new Error('No worker drives the run.');
}

/** A run that is disturbed after a sixth of it. Answers how soon the log grew again, and how many tasks were executed again. */
async function runOnFleet({ server, store, workers }, disturb) {
  const measureIn = (address) =>
    withFolder((folder) => {
      const calls = join(folder, 'calls');
      const env = { BENCH_DELAY_MS: String(DELAY_MS), BENCH_CALL_LOG: calls };
      return withFleet({ folder: join(folder, 'fleet'), store: address, workers, env }, (fleet) =>
        measureRun(fleet, calls, disturb),
      );
    });
  return store ? measureIn(store) : withSchema(server, measureIn);
}

async function measureRun(fleet, calls, disturb) {
  const { client } = fleet;
  const { suiteRef } = await client.installSuite(makeSuite(TASKS));
  const { runId } = await client.startRun(suiteRef, WIDTH);
  let scored = 0;
  await followEvents(client, runId, ({ type }) => {
    if (type === 'eval.scored') scored += 1;
    return scored >= TASKS / 6;
  });
  const { since } = await disturb(fleet);
  await untilEnd(client, runId);
  const times = [];
  await followEvents(client, runId, ({ type, timestamp }) => {
    if (type === 'eval.scored') times.push(Date.parse(timestamp));
    return false;
  });
  checkPasses('the disturbed run', (await client.readSummary(runId)).passedCount, TASKS);
  const made = readFileSync(calls, 'utf8').split('\n').filter(Boolean);
  return { ms: times.find((at) => at > since) - since, again: made.length - new Set(made).size };
}

async function untilEnd(client, runId) {
  for (;;) {
    const run = await client.waitForEnd(runId).catch(() => undefined);
    if (run) return;
    await pause(200);
  }
}

function addRows(report, what, measured, { most, mostAgain }) {
  const ms = median(measured.map((one) => one.ms));
  const again = Math.max(...measured.map((one) => one.again));
  report.note('fleet', { what, ms, again, n: measured.length });
  report.row({
    what: `${what}: the log grows again after`,
    ours: seconds(ms),
    target: `≤ ${seconds(most)}`,
    ok: ms <= most,
  });
  report.row({
    what: `${what}: tasks executed again`,
    ours: String(again),
    target: `≤ ${mostAgain}`,
    ok: again <= mostAgain,
  });
}
