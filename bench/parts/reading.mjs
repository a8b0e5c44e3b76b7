// Looking at what is kept: does a large run, or a store with many runs, make a person wait?
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { median, middle, node, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { createCall, startServer, writeConfig } from '../lib/server.mjs';
import { COMMAND, runArguments, summaryOf, writeSuite } from '../lib/touchstone.mjs';

const SIZES = [1_000, 10_000, 100_000];
const LONGEST_DIFF = 10_000;
const FIRST_SCREEN_MS = 500;
const DIFF_MS = 1_000;
const MOST_GROWTH = 1.1;

const VERBS = {
  show: ['show', 'last'],
  compare: ['compare', 'last~1', 'last'],
  runs: ['runs'],
};

export async function reading({ report, reps, sizes = SIZES }) {
  const measured = [];
  for (const n of sizes) measured.push(await withFolder((folder) => measureSize(report, folder, n, reps)));
  for (const [at, one] of measured.entries()) addRows(report, one, measured[at - 1]);
}

/** Two runs of the same suite, and every way to look at them. */
async function measureSize(report, folder, n, reps) {
  const data = join(folder, 'data');
  const suite = writeSuite(folder, n);
  const runIds = [];
  for (let at = 0; at < 2; at += 1) {
    const cost = await node(runArguments(suite, data));
    summaryOf(cost);
    runIds.push(JSON.parse(cost.stdout).runId);
  }
  const verbs = {};
  for (const [name, args] of Object.entries(VERBS)) {
    const costs = [];
    for (let rep = 0; rep < reps; rep += 1) costs.push(await look(data, args));
    verbs[name] = middle(costs);
    report.note('reading', { n, what: name, ...verbs[name] });
  }
  // The answer of a larger one is longer than what a host holds for one reader.
  const diffMs = n <= LONGEST_DIFF ? await measureDiff(folder, data, runIds, reps) : undefined;
  if (diffMs !== undefined) report.note('reading', { n, what: ':diff', wallMs: diffMs });
  return { n, verbs, diffMs };
}

/** 1 is the verdict on the run, and no failure of the command. */
async function look(data, args) {
  const cost = await node([COMMAND, ...args, '--data', data]);
  if (cost.code > 1) throw new Error(`${args[0]} ended with code ${cost.code}:\n${cost.stderr.slice(-2000)}`);
  return cost;
}

async function measureDiff(folder, data, [a, b], reps) {
  const config = writeConfig(folder, { keys: [{ key: 'bench', tenant: 'local', roles: ['admin'] }] });
  const host = await startServer({ config, data });
  const call = createCall(host.url, 'bench');
  try {
    const spent = [];
    for (let rep = 0; rep < reps; rep += 1) {
      const startedAt = performance.now();
      await call('GET', `/v1/runs/${a}:diff?against=${b}`);
      spent.push(performance.now() - startedAt);
    }
    return median(spent);
  } finally {
    host.child.kill('SIGTERM');
    await host.ended;
  }
}

function addRows(report, { n, verbs, diffMs }, smaller) {
  const name = `run of ${n.toLocaleString('en')}`;
  for (const [verb, { wallMs, rssMb }] of Object.entries(verbs)) {
    const isLast = n >= 100_000 && smaller !== undefined;
    report.row({
      what: `${name}: touchstone ${verb}, whole process`,
      ours: seconds(wallMs),
      ...(isLast && { target: `≤ ${seconds(FIRST_SCREEN_MS)}`, ok: wallMs <= FIRST_SCREEN_MS }),
    });
    if (!isLast) continue;
    const growth = rssMb / smaller.verbs[verb].rssMb;
    report.row({
      what: `${name}: touchstone ${verb}, peak memory`,
      ours: `${Math.round(rssMb)} MB`,
      floor: `${smaller.n.toLocaleString('en')}: ${Math.round(smaller.verbs[verb].rssMb)} MB`,
      ratio: times(growth),
      target: `≤ ${times(MOST_GROWTH)}`,
      ok: growth <= MOST_GROWTH,
    });
  }
  if (diffMs === undefined) return;
  report.row({
    what: `${name}: :diff of two runs`,
    ours: seconds(diffMs),
    ...(n === 10_000 && { target: `≤ ${seconds(DIFF_MS)}`, ok: diffMs <= DIFF_MS }),
  });
  if (smaller) report.row({ what: `${name}: :diff, time a task`, ...diffGrowth(n, diffMs, smaller) });
}

function diffGrowth(n, diffMs, smaller) {
  const growth = diffMs / smaller.diffMs / (n / smaller.n);
  return {
    ours: seconds(diffMs),
    floor: `${smaller.n.toLocaleString('en')}: ${seconds(smaller.diffMs)}`,
    ratio: times(growth),
    target: `≤ ${times(MOST_GROWTH)}`,
    ok: growth <= MOST_GROWTH,
  };
}
