// How soon a run of one tenant begins while the runs of another one have every place of the fleet.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { createClient, KEY } from '../lib/server.mjs';
import { makeSuite } from '../workload.mjs';
import { withSchema } from './database.mjs';
import { withFleet } from './processes.mjs';

const MOST_MS = 2_000;
const OTHER_KEY = 'bench-key-of-another-tenant';
const LARGE = { runs: 3, tasks: 3_000, concurrency: 256 };
const DELAY_MS = 4_000;
/** Two workers hold 16 assignments of 16 tasks each. */
const PLACES = 512;
const SIZES = [
  { what: 'a run of 20 tasks, 4 at a time', tasks: 20, concurrency: 4 },
  { what: 'a run of 200 tasks, 64 at a time', tasks: 200, concurrency: 64 },
];

/** From the request to the first call of its agent. */
export async function otherTenant({ report, server }) {
  const keys = [KEY, OTHER_KEY].map((key, i) => ({ key, tenant: `tenant-${i}`, roles: ['admin'] }));
  const env = { BENCH_DELAY_MS: String(DELAY_MS) };
  await withFolder((folder) =>
    withSchema(server, (store) =>
      withFleet({ folder: join(folder, 'fleet'), store, workers: 2, env, more: { keys } }, async (fleet) => {
        await fill(fleet);
        for (const [i, size] of SIZES.entries()) addRow(report, size.what, await timeRun(fleet, size, i + 1));
      }),
    ),
  );
}

async function fill({ client, calls }) {
  const { suiteRef } = await client.installSuite(makeSuite(LARGE.tasks));
  for (let i = 0; i < LARGE.runs; i += 1) await client.startRun(suiteRef, LARGE.concurrency);
  while (calls().length < PLACES) await pause(100);
}

async function timeRun({ client: { url }, calls }, { tasks, concurrency }, number) {
  const other = createClient(url, OTHER_KEY);
  const { suiteRef } = await other.installSuite(suiteOf(tasks, number));
  const askedAt = Date.now();
  await other.startRun(suiteRef, concurrency);
  for (;;) {
    const first = calls().find(({ input }) => isOf(number, input));
    if (first) return first.at - askedAt;
    await pause(50);
  }
}

/** Tasks that are told from those of the large runs by what is asked. */
function suiteOf(tasks, number) {
  const suite = makeSuite(tasks);
  const ask = (_, i) => `exact ${offsetOf(number) + i}: what does this basket cost?`;
  return {
    ...suite,
    suiteId: `${suite.suiteId}-${number}`,
    tasks: suite.tasks.map((task, i) => ({ ...task, input: ask(task, i) })),
  };
}

const offsetOf = (number) => number * 1_000_000;
const isOf = (number, input) => Math.floor(Number.parseInt(input.split(' ')[1], 10) / 1_000_000) === number;

function addRow(report, what, ms) {
  report.note('fleet', { what, beginsAfterMs: ms });
  report.row({
    what: `${what}, while another tenant has all places: begins after`,
    ours: seconds(ms),
    floor: `limit ${seconds(MOST_MS)}`,
    ratio: times(ms / MOST_MS),
    target: '≤ 1 ×',
    ok: ms <= MOST_MS,
  });
}
