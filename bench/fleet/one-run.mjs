// One run on one to eight workers, against the time that its tasks take by themselves; and what more workers and more tasks cost.
import { median } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { CONCURRENCY, runWide } from './wide-run.mjs';

const SIZES = [1, 2, 4, 8];
const TASKS = 10_000;
const DELAY_MS = 50;
const IDEAL_MS = (TASKS / CONCURRENCY) * DELAY_MS;
const MOST = { ideal: 1.08, eight: 1.05, serverUs: 200, cpu: 1.3, longer: 1.1 };

/** Each size on a store of its own. */
export async function oneRun({ report, server, workers: sizes = SIZES }) {
  const taken = new Map();
  for (const workers of sizes) {
    const one = await runWide({ server, n: TASKS, workers, delayMs: DELAY_MS });
    taken.set(workers, one.wallMs);
    addTime(report, workers, one);
  }
  if (!taken.has(1) || !taken.has(8)) return;
  report.row({
    what: 'the same, 8 workers against 1',
    ours: seconds(taken.get(8)),
    floor: `1 worker ${seconds(taken.get(1))}`,
    ...limited(taken.get(8) / taken.get(1), MOST.eight),
  });
}

function addTime(report, workers, { wallMs, cpuMs, serverMs, calls }) {
  const serverUs = (serverMs * 1000) / TASKS;
  const executedBy = new Set(calls.map(({ caller }) => caller)).size;
  report.note('fleet', {
    workers,
    executedBy,
    wallMs,
    idealMs: IDEAL_MS,
    workersUs: (cpuMs * 1000) / TASKS,
    serverUs,
  });
  const what = `10,000 tasks of ${DELAY_MS} ms, ${CONCURRENCY} at a time, ${workers} worker${workers > 1 ? 's' : ''}`;
  report.row({
    what,
    ours: seconds(wallMs),
    floor: `ideal ${seconds(IDEAL_MS)}`,
    ...limited(wallMs / IDEAL_MS, MOST.ideal),
  });
  if (workers > 2) return;
  report.row({
    what: `${what}: processor time of the server, a task`,
    ours: `${Math.round(serverUs)} µs`,
    floor: `limit ${MOST.serverUs} µs`,
    ...limited(serverUs / MOST.serverUs, 1),
  });
}

const INSTANT = 20_000;

/** Processor time does not depend on what else the machine does, so this can be read on a busy one. */
export async function workersCpu({ report, reps, server }) {
  const taken = { 1: [], 8: [] };
  for (let rep = 0; rep < reps; rep += 1)
    for (const workers of [1, 8]) {
      const { cpuMs, serverMs, wallMs } = await runWide({ server, n: INSTANT, workers });
      taken[workers].push(cpuMs);
      report.note('fleet', { workers, tasks: INSTANT, cpuMs, serverMs, wallMs });
    }
  const [one, eight] = [median(taken[1]), median(taken[8])];
  report.row({
    what: `${INSTANT.toLocaleString('en')} instant tasks, processor time of all workers, 8 against 1`,
    ours: seconds(eight),
    floor: `1 worker ${seconds(one)}`,
    ...limited(eight / one, MOST.cpu),
  });
}

const [FEW, MANY] = [20_000, 200_000];

/** What a task takes must not grow with the length of the run. */
export async function longRun({ report, server }) {
  const perTask = [];
  for (const n of [FEW, MANY]) {
    const { wallMs, cpuMs, serverMs } = await runWide({ server, n, workers: 2 });
    perTask.push((wallMs * 1000) / n);
    report.note('fleet', { tasks: n, wallMs, cpuMs, serverMs, usATask: (wallMs * 1000) / n });
  }
  const [few, many] = perTask;
  report.row({
    what: '200,000 instant tasks on two workers, time of a task',
    ours: `${Math.round(many)} µs`,
    floor: `20,000 tasks ${Math.round(few)} µs`,
    ...limited(many / few, MOST.longer),
  });
}

const limited = (ratio, most) => ({ ratio: times(ratio), target: `≤ ${most} ×`, ok: ratio <= most });
