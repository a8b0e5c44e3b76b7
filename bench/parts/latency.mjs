// An agent that takes 50 ms, 32 at a time: how much of the ideal is lost to the evaluator.
import { join } from 'node:path';
import { memoryFloor } from '../lib/floors.mjs';
import { middle, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { runSuite, writeSuite } from '../lib/touchstone.mjs';

const DELAY_MS = 50;
const WIDTH = 32;
const env = { BENCH_DELAY_MS: String(DELAY_MS) };

export async function latency({ report, sizes = [1_000, 10_000], reps, peers }) {
  for (const n of sizes.filter((size) => size <= 10_000)) {
    await withFolder((folder) => measureSize(report, folder, n, n >= 10_000 ? 1 : reps, peers));
  }
}

async function measureSize(report, folder, n, reps, peers) {
  const suite = writeSuite(folder, n);
  const idealMs = Math.ceil(n / WIDTH) * DELAY_MS;
  const taken = { floor: [], ours: [] };
  for (let rep = 0; rep < reps; rep += 1) {
    taken.floor.push(await memoryFloor(suite, n, env));
    taken.ours.push(await withFolder((data) => runSuite({ suite, n, data: join(data, 'data'), env })));
  }
  const [floor, ours] = [middle(taken.floor), middle(taken.ours)];
  tell(report, n, idealMs, 'touchstone', ours);
  tell(report, n, idealMs, 'floor: bare pool', floor);
  report.row({
    what: `${n.toLocaleString('en')} tasks of 50 ms, 32 at a time`,
    ours: `${seconds(ours.wallMs)} = ${times(ours.wallMs / idealMs)} ideal`,
    floor: `pool ${times(floor.wallMs / idealMs)} ideal`,
    ratio: times(ours.wallMs / floor.wallMs),
    ...(n === 10_000 && { target: '≤ 1.03 × ideal', ok: ours.wallMs / idealMs <= 1.03 }),
  });
  for (const peer of peers) await measurePeer(report, peer, n, idealMs, ours);
}

const tell = (report, n, idealMs, who, { wallMs, cpuMs, rssMb }) =>
  report.note('latency', { n, who, idealMs, wallMs, 'wall/ideal': wallMs / idealMs, cpuMs, rssMb });

async function measurePeer(report, peer, n, idealMs, ours) {
  const cost = await peer.run(n, env);
  tell(report, n, idealMs, peer.name, cost);
  report.row({
    what: `${n.toLocaleString('en')} tasks of 50 ms, ${peer.name}`,
    ours: `${times(ours.wallMs / idealMs)} ideal`,
    floor: `${times(cost.wallMs / idealMs)} ideal`,
    ratio: times(ours.wallMs / cost.wallMs),
    target: '≤ 1 ×',
    ok: ours.wallMs <= cost.wallMs,
  });
}
