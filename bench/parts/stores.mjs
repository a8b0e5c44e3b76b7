// A store that has been in use for a year: is anything slower than in a new one?
import { join } from 'node:path';
import { middle, node, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { withServer } from '../lib/server.mjs';
import { COMMAND, runArguments, summaryOf, writeSuite } from '../lib/touchstone.mjs';
import { makeSuite } from '../workload.mjs';

const FEW = 10;
const MANY = 10_000;
const AT_ONCE = 20;
const MOST_GROWTH = 1.1;

export async function stores({ report, reps, sizes: [many = MANY] = [] }) {
  await withFolder((folder) =>
    withFolder(async (other) => {
      const filled = [
        { count: FEW, ...(await fill(folder, FEW)) },
        { count: many, ...(await fill(other, many)) },
      ];
      const verbs = verbsFor(writeSuite(folder, 12));
      for (const [name, argsFor] of Object.entries(verbs))
        addRow(report, name, await measureVerb(report, name, argsFor, filled, reps));
    }),
  );
}

/** Every one a run of one task, made by a host. */
async function fill(folder, count) {
  const makeRuns = async (client) => {
    const { suiteRef } = await client.installSuite(makeSuite(1));
    let left = count;
    const work = async () => {
      while (left-- > 0) await client.waitForEnd((await client.startRun(suiteRef, 1)).runId);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  await withServer(folder, {}, makeRuns, 'local');
  return { data: join(folder, 'data') };
}

const verbsFor = (suite) => ({
  'run of 12 tasks': (data) => runArguments(suite, data),
  runs: (data) => [COMMAND, 'runs', '--data', data],
  'show last': (data) => [COMMAND, 'show', 'last', '--data', data],
});

/** Both stores take turns. */
async function measureVerb(report, what, argsFor, filled, reps) {
  const costs = filled.map(() => []);
  for (let rep = 0; rep < reps; rep += 1)
    for (const [at, { data }] of filled.entries()) {
      const cost = await node(argsFor(data));
      if (what.startsWith('run ')) summaryOf(cost);
      costs[at].push(cost);
    }
  return filled.map(({ count }, at) => {
    const one = { count, ...middle(costs[at]) };
    report.note('stores', { what, runs: count, wallMs: one.wallMs, cpuMs: one.cpuMs, rssMb: one.rssMb });
    return one;
  });
}

function addRow(report, what, [few, many]) {
  report.row({
    what: `store with ${many.count.toLocaleString('en')} runs: ${what}`,
    ours: seconds(many.wallMs),
    floor: `with ${few.count} runs ${seconds(few.wallMs)}`,
    ratio: times(many.wallMs / few.wallMs),
    target: `≤ ${times(MOST_GROWTH)}`,
    ok: many.wallMs / few.wallMs <= MOST_GROWTH,
  });
}
