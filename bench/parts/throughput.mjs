// Instant tasks, everything kept: what the house itself costs.
import { join } from 'node:path';
import { bareNode, memoryFloor, sqliteFloor } from '../lib/floors.mjs';
import { median, middle, withFolder } from '../lib/process.mjs';
import { perSecond, seconds, times } from '../lib/report.mjs';
import { runSuite, writeSuite } from '../lib/touchstone.mjs';

/** What is asked of each size; a million tasks are measured only when they are named. */
const GOALS = {
  12: { ofPeer: 0.45 },
  10000: { perSecond: 10_000, ofFloor: 1.5, rssMb: 120, ofPeer: 0.85 },
  100000: { ofFloor: 1.3, rssMb: 150 },
  1000000: { rssMb: 250 },
};

export async function throughput({ report, sizes = [12, 100, 1_000, 10_000, 100_000], reps, peers }) {
  const results = [];
  for (const n of sizes) {
    await withFolder(async (folder) => {
      const suite = writeSuite(folder, n);
      const result = await measureSize(report, suite, n, n >= 100_000 ? 1 : reps);
      results.push(result);
      addRows(report, result);
      if (n <= 10_000 && peers.length > 0) await measurePeers(report, peers, suite, n, reps);
    });
  }
  addGrowth(report, results);
}

/** Floors and ours take turns, so that a noisy minute hits them alike. */
async function measureSize(report, suite, n, reps) {
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
  const goal = GOALS[n] ?? {};
  if (goal.perSecond)
    report.row({
      what: `${name}, durable, a second`,
      ours: perSecond(n, ours.wallMs),
      target: `≥ ${goal.perSecond.toLocaleString('en')}/s`,
      ok: (n / ours.wallMs) * 1000 >= goal.perSecond,
    });
  report.row({
    what: `${name}, durable, whole process`,
    ours: perSecond(n, ours.wallMs),
    floor: `sqlite ${perSecond(n, sqlite.wallMs)}`,
    ratio: times(ours.wallMs / sqlite.wallMs),
    ...atMost(goal.ofFloor, ours.wallMs / sqlite.wallMs, times),
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
    ...atMost(goal.rssMb, ours.rssMb, (mb) => `${mb} MB`),
  });
}

/** The target of a row, when there is one. */
const atMost = (most, measured, shown) =>
  most === undefined ? {} : { target: `≤ ${shown(most)}`, ok: measured <= most };

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

async function measurePeers(report, peers, suite, n, reps) {
  const pairs = [];
  for (const peer of peers) pairs.push(await measurePeer(report, peer, suite, n, reps));
  const { peer, ours, theirs } = pairs.reduce((least, one) =>
    one.theirs.wallMs < least.theirs.wallMs ? one : least,
  );
  const ratio = ours.wallMs / theirs.wallMs;
  report.row({
    what: `${n.toLocaleString('en')} tasks, whole process, against the fastest peer, on its Node`,
    ours: seconds(ours.wallMs),
    floor: `${peer.name} ${seconds(theirs.wallMs)}`,
    ratio: times(ratio),
    ...atMost(GOALS[n]?.ofPeer, ratio, times),
  });
}

/** A slower peer is measured once. */
const QUICK_MS = 5_000;

/** Peer and ours take turns, on the Node that the peer needs: a newer one starts in half the time. */
async function measurePeer(report, peer, suite, n, reps) {
  const taken = { theirs: [], ours: [] };
  for (let rep = 0; rep < reps && (taken.theirs[0]?.wallMs ?? 0) < QUICK_MS; rep += 1) {
    taken.theirs.push(await peer.run(n));
    taken.ours.push(
      await withFolder((data) => runSuite({ suite, n, data: join(data, 'data'), program: peer.node })),
    );
  }
  const [theirs, ours] = [middle(taken.theirs), middle(taken.ours)];
  for (const [who, cost] of [
    [peer.name, theirs],
    [`touchstone on the Node of ${peer.name}`, ours],
  ])
    report.note('throughput', { n, who, ...cost, 'tasks/s': (n / cost.wallMs) * 1000 });
  report.row({
    what: `${n.toLocaleString('en')} tasks, ${peer.name} (keeps ${peer.keeps}), on its Node`,
    ours: perSecond(n, ours.wallMs),
    floor: `${perSecond(n, theirs.wallMs)}, ${Math.round(theirs.rssMb)} MB`,
    ratio: times(ours.wallMs / theirs.wallMs),
    target: '≤ 1 ×',
    ok: ours.wallMs <= theirs.wallMs,
  });
  return { peer, ours, theirs };
}
