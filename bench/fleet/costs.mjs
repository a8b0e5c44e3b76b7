// What a run costs on PostgreSQL: one process, compared with the same process on a SQLite file; and the server's own part.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, node, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { COMMAND, checkPasses, runArguments, runSuite, summaryOf, writeSuite } from '../lib/touchstone.mjs';
import { serverCpuMs, withSchema } from './database.mjs';

const RATIOS = { cpuMs: 1.2, wallMs: 1.5 };
const WORDS = { cpuMs: 'processor time of node', wallMs: 'time' };
const MOST_SERVER_US = 60;
const SLOW = { n: 2_000, delayMs: 50, concurrency: 64, mostServerUs: 200 };

/** Instant tasks. Both engines take turns, so that a noisy minute hits them alike. */
export async function oneProcess({ report, reps, server, n }) {
  const taken = { sqlite: [], postgres: [] };
  await withFolder(async (folder) => {
    const suite = writeSuite(folder, n);
    for (let rep = 0; rep < reps; rep += 1) {
      taken.sqlite.push(await withFolder((data) => runSuite({ suite, n, data: join(data, 'data') })));
      taken.postgres.push(await withSchema(server, (store) => runOn({ server, suite, n, folder, store })));
    }
  });
  for (const member of ['cpuMs', 'wallMs']) addRatio(report, n, member, taken);
  const serverUs = median(taken.postgres.map((cost) => cost.serverUs));
  addServerRow(report, `${n.toLocaleString('en')} instant tasks`, serverUs, MOST_SERVER_US);
}

/** Tasks that take their time are sealed a few at a time, so the server does more for each. */
export async function serverOfSlowTasks({ report, reps, server }) {
  const { n, delayMs, concurrency, mostServerUs } = SLOW;
  const costs = [];
  await withFolder(async (folder) => {
    const suite = writeSuite(folder, n);
    const env = { BENCH_DELAY_MS: String(delayMs) };
    for (let rep = 0; rep < reps; rep += 1)
      costs.push(
        await withSchema(server, (store) => runOn({ server, suite, n, folder, store, concurrency, env })),
      );
  });
  const what = `${n.toLocaleString('en')} tasks of ${delayMs} ms, ${concurrency} at a time`;
  addServerRow(report, what, median(costs.map((cost) => cost.serverUs)), mostServerUs);
}

async function runOn({ server, suite, n, folder, store, concurrency, env }) {
  const config = join(folder, 'touchstone.config.json');
  writeFileSync(config, JSON.stringify({ store }));
  // Once per release, before anything runs; the tables of a new SQLite file are made by the build.
  await node([COMMAND, 'store', 'prepare', '--config', config]);
  const before = await serverCpuMs(server);
  const args = [...runArguments(suite, join(folder, 'data'), concurrency), '--config', config];
  const cost = await node(args, { env });
  const serverUs = ((await serverCpuMs(server)) - before) * (1000 / n);
  checkPasses('touchstone on PostgreSQL', summaryOf(cost).passedCount, n);
  return { ...cost, serverUs };
}

function addRatio(report, n, member, { sqlite, postgres }) {
  const [floor, ours] = [sqlite, postgres].map((costs) => median(costs.map((cost) => cost[member])));
  const ratio = ours / floor;
  report.note('fleet', { n, what: WORDS[member], postgresMs: ours, sqliteMs: floor, ratio });
  report.row({
    what: `${n.toLocaleString('en')} tasks on PostgreSQL, ${WORDS[member]}`,
    ours: seconds(ours),
    floor: `SQLite ${seconds(floor)}`,
    ratio: times(ratio),
    target: `≤ ${RATIOS[member]} ×`,
    ok: ratio <= RATIOS[member],
  });
}

function addServerRow(report, what, serverUs, most) {
  report.note('fleet', { what, serverUs });
  report.row({
    what: `${what}: processor time of the server, a task`,
    ours: `${Math.round(serverUs)} µs`,
    target: `≤ ${most} µs`,
    ok: serverUs <= most,
  });
}
