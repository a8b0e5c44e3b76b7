// A host at work: a hundred runs at once on an agent behind HTTP. What does a task cost the host, and who else waits?
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProbe } from '../lib/probe.mjs';
import { median, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { createCall, startServer, writeConfig } from '../lib/server.mjs';

const RUNS = 100;
const TASKS = 20;
/** So often, one after the other: while one lasts, fewer than a hundred requests are made. */
const BURSTS = 5;
const KEY = 'bench';
const QUIET_MS = 3_000;
const GET_EVERY_MS = 10;
const MOST_CPU_MS = 2;
const WORST_P99 = 3;

export async function serving({ report, reps }) {
  const measured = [];
  for (let rep = 0; rep < reps; rep += 1) measured.push(await withFolder(measureOnce));
  for (const one of measured) report.note('serving', one);
  addRows(report, (name) => median(measured.map((one) => one[name])));
}

async function measureOnce(folder) {
  const agents = spawn(process.execPath, [fileURLToPath(new URL('../noisy/agents.mjs', import.meta.url))]);
  const [port] = await firstLine(agents);
  const config = writeConfig(folder, configuration(port));
  const host = await startServer({ config, data: join(folder, 'data') });
  try {
    return await measureHost(host, createCall(host.url, KEY));
  } finally {
    host.child.kill('SIGTERM');
    await host.ended;
    agents.kill('SIGKILL');
  }
}

const firstLine = (child) =>
  new Promise((resolve) => createInterface({ input: child.stdout }).once('line', (line) => resolve([line])));

const configuration = (port) => ({
  keys: [{ key: KEY, tenant: 'bench', roles: ['admin'] }],
  agents: [
    {
      agentId: 'local.bench.echo',
      version: '1.0.0',
      run: { kind: 'http', url: `http://127.0.0.1:${port}/echo` },
    },
  ],
  egress: { allowPrivate: true },
  limits: { requestsPerMinute: 1_000_000 },
});

const SUITE = {
  suiteId: 'local.bench.evals.echo',
  version: '1.0.0',
  modes: ['golden'],
  tasks: Array.from({ length: TASKS }, (_, at) => ({
    taskId: `t-${at}`,
    input: `question ${at}`,
    expected: { kind: 'golden', match: { strategy: 'exact', value: `question ${at}` } },
  })),
};
const RUN = { mode: 'eval', evalSuiteRef: SUITE.suiteId, agentId: 'local.bench.echo' };

async function measureHost({ url, child }, call) {
  await call('POST', '/v1/host/touchstone/suites', SUITE);
  await completed(call, await call('POST', '/v1/runs', RUN));
  const asking = { url: `${url}/v1/agents`, key: KEY, everyMs: GET_EVERY_MS };
  const quiet = await startProbe(asking);
  await pause(QUIET_MS);
  const quietMs = await quiet.stop();
  const cpuBefore = cpuMsOf(child.pid);
  const busy = await startProbe(asking);
  let [createdMs, tookMs] = [0, 0];
  for (let at = 0; at < BURSTS; at += 1) {
    const burst = await measureBurst(call);
    createdMs += burst.createdMs;
    tookMs += burst.tookMs;
  }
  const busyMs = await busy.stop();
  return {
    'cpu ms/task': (cpuMsOf(child.pid) - cpuBefore) / (BURSTS * RUNS * TASKS),
    'runs created/s': (BURSTS * RUNS * 1000) / createdMs,
    'tasks/s': (BURSTS * RUNS * TASKS * 1000) / tookMs,
    'quiet p99': quantile(quietMs, 0.99),
    p50: quantile(busyMs, 0.5),
    p99: quantile(busyMs, 0.99),
    asked: busyMs.length,
  };
}

async function measureBurst(call) {
  const startedAt = performance.now();
  const runs = await Promise.all(Array.from({ length: RUNS }, () => call('POST', '/v1/runs', RUN)));
  const createdMs = performance.now() - startedAt;
  for (const run of runs) await completed(call, run);
  return { createdMs, tookMs: performance.now() - startedAt };
}

async function completed(call, { runId }) {
  for (;;) {
    const { completedAt, touchstone } = await call('GET', `/v1/runs/${runId}`);
    if (completedAt === undefined) await pause(50);
    else if (touchstone.headline?.passed) return;
    else throw new Error(`Run ${runId} has not passed, although its agent answers what it is asked.`);
  }
}

const quantile = (numbers, share) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];

const TICK_MS = 10;

/** Of all threads of a process; undefined where the system does not tell. */
function cpuMsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function addRows(report, of) {
  const what = `${RUNS} runs of ${TASKS} tasks at once, HTTP agent`;
  report.row({
    what: `${what}: processor time of the host, a task`,
    ours: `${of('cpu ms/task').toFixed(2)} ms`,
    target: `≤ ${MOST_CPU_MS} ms`,
    ok: of('cpu ms/task') <= MOST_CPU_MS,
  });
  report.row({ what: `${what}: tasks`, ours: `${Math.round(of('tasks/s')).toLocaleString('en')}/s` });
  report.row({ what: `${what}: runs created`, ours: `${Math.round(of('runs created/s'))}/s` });
  report.row({
    what: `${what}: GET meanwhile, p99`,
    ours: seconds(of('p99')),
    floor: `quiet ${seconds(of('quiet p99'))}`,
    ratio: times(of('p99') / of('quiet p99')),
    target: `≤ ${times(WORST_P99)}`,
    ok: of('p99') / of('quiet p99') <= WORST_P99,
  });
}
