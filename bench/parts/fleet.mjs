// One process on PostgreSQL against the same process on a SQLite file.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { median, node, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { checkPasses, runArguments, runSuite, summaryOf, writeSuite } from '../lib/touchstone.mjs';

const TASKS = 10_000;
const LIMITS = { cpuMs: 1.2, wallMs: 1.5 };
const WORDS = { cpuMs: 'processor time of node', wallMs: 'time' };

/** An optional package: the other parts of the bench do without it. */
const loadPg = () => createRequire(new URL('../../packages/touchstone/package.json', import.meta.url))('pg');

export async function fleet({ report, sizes = [TASKS], reps }) {
  const server = process.env.TOUCHSTONE_TEST_POSTGRES;
  if (!server) throw new Error('Name a PostgreSQL server with TOUCHSTONE_TEST_POSTGRES=postgres://…');
  for (const n of sizes) await withFolder((folder) => measureSize({ report, reps, server, folder, n }));
}

/** Both take turns, so that a noisy minute hits them alike. */
async function measureSize({ report, reps, server, folder, n }) {
  const suite = writeSuite(folder, n);
  const taken = { sqlite: [], postgres: [] };
  for (let rep = 0; rep < reps; rep += 1) {
    taken.sqlite.push(await withFolder((data) => runSuite({ suite, n, data: join(data, 'data') })));
    taken.postgres.push(await withSchema(server, (store) => runOn({ suite, n, folder, store })));
  }
  for (const member of ['cpuMs', 'wallMs']) addRow(report, n, member, taken);
}

async function runOn({ suite, n, folder, store }) {
  const config = join(folder, 'touchstone.config.json');
  writeFileSync(config, JSON.stringify({ store }));
  const cost = await node([...runArguments(suite, join(folder, 'data')), '--config', config]);
  checkPasses('touchstone on PostgreSQL', summaryOf(cost).passedCount, n);
  return cost;
}

/** A schema of its own, which is gone afterwards. */
async function withSchema(server, use) {
  const url = new URL(server);
  const schema = `bench_${process.pid}_${Date.now().toString(36)}`;
  url.searchParams.set('schema', schema);
  try {
    return await use(url.href);
  } finally {
    const client = new (loadPg().Client)({ connectionString: server });
    await client.connect();
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
  }
}

function addRow(report, n, member, { sqlite, postgres }) {
  const [floor, ours] = [sqlite, postgres].map((costs) => median(costs.map((cost) => cost[member])));
  const ratio = ours / floor;
  report.note('fleet', { n, what: WORDS[member], postgresMs: ours, sqliteMs: floor, ratio });
  report.row({
    what: `${n.toLocaleString('en')} tasks on PostgreSQL, ${WORDS[member]}`,
    ours: seconds(ours),
    floor: `SQLite ${seconds(floor)}`,
    ratio: times(ratio),
    target: `≤ ${LIMITS[member]} ×`,
    ok: ratio <= LIMITS[member],
  });
}
