// How long a fleet takes to begin a run and to tell of it, and what it costs while there is nothing to do.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { makeSuite } from '../workload.mjs';
import { serverCpuMs, withSchema } from './database.mjs';
import { followEvents, withFleet } from './processes.mjs';

const RUNS = 30;
const MOST_START_MS = 50;

/**
 * From the request to the first event, as a reader on the host that took the request gets it. The workers are idle. The floor is
 * one host that executes its runs itself, on a SQLite file.
 */
export async function start({ report, server }) {
  const endpoint = await openAgent();
  const agent = { kind: 'http', url: endpoint.url };
  const waits = await onFleet(server, { workers: 2, agent }, timeStarts);
  const alone = await withFolder((folder) =>
    withFleet({ folder, works: true, workers: 0, agent }, timeStarts),
  );
  endpoint.close();
  addRow(report, 'from POST /v1/runs to run.started, p50', waits, MOST_START_MS, median(alone));
}

async function timeStarts({ client }) {
  const { suiteRef } = await client.installSuite(makeSuite(3));
  const waits = [];
  for (let i = 0; i < RUNS; i += 1) {
    const askedAt = Date.now();
    const { runId } = await client.startRun(suiteRef, 3);
    await followEvents(client, runId, ({ type }, at) => {
      if (type !== 'run.started') return false;
      waits.push(at - askedAt);
      return true;
    });
    await client.waitForEnd(runId);
  }
  return waits;
}

async function openAgent() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ output: 'no' }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const EVENTS_TASKS = 200;
const MOST_EVENT_MS = 100;

/** From the time that stands in an event, which is before its commit, to a reader on a host that does not drive the run. */
export async function eventElsewhere({ report, server }) {
  const env = { BENCH_DELAY_MS: '100' };
  const waits = await onFleet(server, { doors: 2, env }, async ({ clients: [first, second] }) => {
    const { suiteRef } = await first.installSuite(makeSuite(EVENTS_TASKS));
    const { runId } = await first.startRun(suiteRef, 4);
    const seen = [];
    await followEvents(second, runId, ({ type, timestamp }, at) => {
      if (type === 'eval.scored') seen.push(at - Date.parse(timestamp));
      return false;
    });
    return seen;
  });
  if (waits.length !== EVENTS_TASKS)
    throw new Error(`A reader got ${waits.length} of ${EVENTS_TASKS} results.`);
  addRow(report, 'an event on another host, commit to stream, p50', waits, MOST_EVENT_MS);
}

const IDLE_WORKERS = 4;
const IDLE_SECONDS = 20;
const MOST_IDLE_MS = 1;

/** What the server does for a worker without work, compared with the same time without any worker. */
export async function idleWorker({ report, server }) {
  const cpuWith = (workers) =>
    onFleet(server, { workers }, async () => {
      await pause(2_000);
      const before = await serverCpuMs(server);
      await pause(IDLE_SECONDS * 1000);
      return (await serverCpuMs(server)) - before;
    });
  const [alone, together] = [await cpuWith(0), await cpuWith(IDLE_WORKERS)];
  const each = Math.max(0, together - alone) / IDLE_WORKERS / IDLE_SECONDS;
  report.note('fleet', {
    'server without workers, ms': alone,
    'with workers, ms': together,
    workers: IDLE_WORKERS,
  });
  report.row({
    what: 'an idle worker: processor time of the server, a second',
    ours: `${each.toFixed(2)} ms`,
    target: `≤ ${MOST_IDLE_MS} ms`,
    ok: each <= MOST_IDLE_MS,
  });
}

const onFleet = (server, options, use) =>
  withFolder((folder) =>
    withSchema(server, (store) => withFleet({ folder: join(folder, 'fleet'), store, ...options }, use)),
  );

function addRow(report, what, waits, most, aloneMs) {
  const ours = median(waits);
  report.note('fleet', { what, p50: ours, worst: Math.max(...waits), n: waits.length });
  const floor = aloneMs && { floor: `one host, SQLite ${seconds(aloneMs)}`, ratio: times(ours / aloneMs) };
  report.row({ what, ours: seconds(ours), ...floor, target: `≤ ${most} ms`, ok: ours <= most });
}
