// Instant tasks, everything kept: what the house itself costs.
import { join } from 'node:path';
import { bareNode, memoryFloor, sqliteFloor } from '../lib/floors.mjs';
import { median, middle, withFolder } from '../lib/process.mjs';
import { perSecond, seconds, times } from '../lib/report.mjs';
import { runSuite, writeSuite } from '../lib/touchstone.mjs';

const TARGET_TASKS = 10_000;

export async function throughput({ report, sizes = [100, 1_000, 10_000, 100_000], reps, peers }) {
  const results = [];
  for (const n of sizes) {
    const result = await withFolder((folder) => measureSize(report, folder, n, n >= 100_000 ? 1 : reps));
    results.push(result);
    addRows(report, result);
    for (const peer of n <= 10_000 ? peers : []) await measurePeer(report, peer, n, result);
  }
  addGrowth(report, results);
}

/** Floors and ours take turns, so that a noisy minute hits them alike. */
async function measureSize(report, folder, n, reps) {
  const suite = writeSuite(folder, n);
  const taken = { bare: [], memory: [], sqlite: [], ours: [] };
  for (let rep = 0; rep < reps; rep += 1) {
    taken.bare.push(await bareNode());
    taken.memory.push(await memoryFloor(suite, n));
    taken.sqlite.push(await withFolder((data) => sqliteFloor(suite, n, data)));
    taken.ours.push(await withFolder((data) => runSuite({ suite, n, data: join(data, 'data') })));
  }
  const result = { n, diskBytes: taken.ours[0].diskBytes };
  for (const [name, costs] of Object.entries(taken)) {
    result[name] = middle(costs);
    if (costs[0].loopMs) result[name].loopMs = median(costs.map(({ loopMs }) => loopMs));
  }
  tell(report, result);
  return result;
}

function tell(report, { n, diskBytes, bare, memory, sqlite, ours }) {
  const facts = (who, { wallMs, cpuMs, rssMb, loopMs }) => ({
    n,
    who,
    wallMs,
    'tasks/s': (n / wallMs) * 1000,
    cpuMs,
    rssMb,
    ...(loopMs && { loopMs }),
  });
  report.note('throughput', facts('touchstone', ours));
  report.note('throughput', {
    n,
    who: 'touchstone',
    diskMb: diskBytes / 1e6,
    diskBytesPerTask: diskBytes / n,
  });
  report.note('throughput', facts('floor: sqlite', sqlite));
  report.note('throughput', facts('floor: memory', memory));
  report.note('throughput', { n, who: 'floor: bare node', wallMs: bare.wallMs });
}

function addRows(report, { n, bare, memory, sqlite, ours }) {
  const name = `${n.toLocaleString('en')} tasks`;
  const isTarget = n === TARGET_TASKS;
  report.row({
    what: `${name}, durable, whole process`,
    ours: perSecond(n, ours.wallMs),
    floor: `sqlite ${perSecond(n, sqlite.wallMs)}`,
    ratio: times(ours.wallMs / sqlite.wallMs),
    ...(isTarget && { target: '≥ 10,000/s', ok: (n / ours.wallMs) * 1000 >= 10_000 }),
  });
  report.row({
    what: `${name}, durable, without start of node`,
    ours: perSecond(n, ours.wallMs - bare.wallMs),
    floor: `sqlite loop ${perSecond(n, sqlite.loopMs)}`,
    ratio: times((ours.wallMs - bare.wallMs) / sqlite.loopMs),
  });
  report.row({
    what: `${name}, against scoring in memory`,
    ours: perSecond(n, ours.wallMs),
    floor: `memory ${perSecond(n, memory.wallMs)}`,
    ratio: times(ours.wallMs / memory.wallMs),
  });
  if (ours.cpuMs) {
    report.row({
      what: `${name}, processor time`,
      ours: seconds(ours.cpuMs),
      floor: `sqlite ${seconds(sqlite.cpuMs)}`,
      ratio: times(ours.cpuMs / sqlite.cpuMs),
    });
  }
  report.row({
    what: `${name}, peak memory`,
    ours: `${Math.round(ours.rssMb)} MB`,
    floor: `sqlite ${Math.round(sqlite.rssMb)} MB`,
    ratio: times(ours.rssMb / sqlite.rssMb),
    ...(isTarget && { target: '≤ 150 MB', ok: ours.rssMb <= 150 }),
  });
}

/** Ten times the tasks should take ten times the time, and memory for little more than their scores. */
function addGrowth(report, results) {
  for (const [at, small] of results.entries()) {
    const large = results[at + 1];
    if (!large || small.n < 10_000) continue;
    const slower = large.ours.wallMs / small.ours.wallMs / (large.n / small.n);
    const bytes = ((large.ours.rssMb - small.ours.rssMb) * 1024 * 1024) / (large.n - small.n);
    const floorBytes = ((large.sqlite.rssMb - small.sqlite.rssMb) * 1024 * 1024) / (large.n - small.n);
    const what = `from ${small.n.toLocaleString('en')} to ${large.n.toLocaleString('en')}`;
    report.row({ what: `${what}: time per task`, ours: times(slower), target: '≤ 1.1 ×', ok: slower <= 1.1 });
    report.row({
      what: `${what}: memory per task`,
      ours: `${Math.round(bytes)} B`,
      floor: `sqlite ${Math.round(floorBytes)} B`,
      ratio: times(bytes / floorBytes),
    });
  }
}

async function measurePeer(report, peer, n, { ours }) {
  const cost = await peer.run(n);
  report.note('throughput', {
    n,
    who: peer.name,
    keeps: peer.keeps,
    ...cost,
    'tasks/s': (n / cost.wallMs) * 1000,
  });
  report.row({
    what: `${n.toLocaleString('en')} tasks, ${peer.name} (keeps ${peer.keeps})`,
    ours: perSecond(n, ours.wallMs),
    floor: `${perSecond(n, cost.wallMs)}, ${Math.round(cost.rssMb)} MB`,
    ratio: times(ours.wallMs / cost.wallMs),
    target: '≤ 1 ×',
    ok: ours.wallMs <= cost.wallMs,
  });
}
