// One run on one, two and four workers, against the time that its tasks take by themselves; and what a killed worker costs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { COMMAND } from '../lib/touchstone.mjs';
import { withSchema } from './database.mjs';

const TASKS = 10_000;
const DELAY_MS = 50;
const CONCURRENCY = 64;
const IDEAL_MS = (TASKS / CONCURRENCY) * DELAY_MS;
const MOST = 1.08;
const KEY = 'bench-key-0123456789abcdef';
const RECOVERY_MS = 3_000;

/** Each size on a store of its own. */
export async function oneRun({ report, server, sizes = [1, 2, 4] }) {
  const withStore = (use) => withSchema(server, use);
  for (const workers of sizes)
    await withFolder((folder) =>
      withStore(async (store) => {
        const { wallMs } = await runOn({ folder, store, workers });
        addTime(report, workers, wallMs);
      }),
    );
  await withFolder((folder) =>
    withStore(async (store) => addKill(report, await runOn({ folder, store, workers: 3, kills: 1 }))),
  );
}

async function runOn({ folder, store, workers, kills = 0 }) {
  writeProject(folder, store);
  const calls = join(folder, 'calls.log');
  const env = { ...process.env, CALLS: calls };
  const running = [];
  const start = async (args, word) => {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      cwd: folder,
      env: { ...env, CALLER: args.at(-1) },
    });
    running.push(child);
    return { child, told: await toldBy(child, word) };
  };
  try {
    const { told: url } = await start(['serve', '--no-work', '--port', '0', '--data', 'door'], 'listening');
    const started = [];
    for (let i = 0; i < workers; i += 1)
      started.push(await start(['worker', '--log-level', 'error', '--data', `w${i}`], 'working'));
    const begun = performance.now();
    const runId = await create(url);
    const killed = kills > 0 ? await killOne(started, calls) : undefined;
    await untilCompleted(url, runId);
    const executed = readCalls(calls);
    return {
      wallMs: performance.now() - begun,
      again: executed.length - TASKS,
      recoveryMs: killed && recovery(killed, executed),
    };
  } finally {
    const ended = running.map(
      (child) => child.exitCode === null && child.signalCode === null && once(child, 'exit'),
    );
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(ended);
  }
}

function writeProject(folder, store) {
  const write = (name, value) => writeFileSync(join(folder, name), value);
  write(
    'agent.mjs',
    `import { appendFileSync } from 'node:fs';
export default async (input) => {
  const line = input + ' ' + process.env.CALLER + ' ' + Date.now() + '\\n';
  appendFileSync(process.env.CALLS, line);
  await new Promise((resolve) => setTimeout(resolve, ${DELAY_MS}));
  return 'answer ' + input;
};
`,
  );
  const tasks = Array.from({ length: TASKS }, (_, i) => ({
    taskId: `t-${i}`,
    input: i,
    expected: { kind: 'golden', match: { strategy: 'exact', value: `answer ${i}` } },
  }));
  write(
    'n.suite.json',
    JSON.stringify({ suiteId: 'local.bench.evals.n', version: '1.0.0', modes: ['golden'], tasks }),
  );
  const agents = [
    { agentId: 'local.bench.n', version: '1.0.0', run: { kind: 'module', path: './agent.mjs' } },
  ];
  const keys = [{ key: KEY, tenant: 'bench', roles: ['admin'] }];
  write('touchstone.config.json', JSON.stringify({ store, keys, agents, suites: ['.'] }));
  appendFileSync(join(folder, 'calls.log'), '');
}

/** What stands behind a word at the beginning of a line. */
const toldBy = (child, word) =>
  new Promise((resolve, reject) => {
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      seen += text;
      const line = new RegExp(`^${word} ?(\\S*)\\n`, 'm').exec(seen);
      if (line) resolve(line[1]);
    });
    child.once('exit', (code) =>
      reject(new Error(`touchstone ended with ${code} before it said “${word}”.`)),
    );
  });

async function call(url, path, body) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return response.json();
}

const create = async (url) =>
  (
    await call(url, '/v1/runs', {
      mode: 'eval',
      evalSuiteRef: 'local.bench.evals.n',
      agentId: 'local.bench.n',
      configurable: { concurrency: CONCURRENCY },
    })
  ).runId;

async function untilCompleted(url, runId) {
  for (;;) {
    const { status } = await call(url, `/v1/runs/${runId}`);
    if (status === 'completed') return;
    if (status === 'failed') throw new Error('The run has failed.');
    await wait(50);
  }
}

const readCalls = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [input, caller, at] = line.split(' ');
      return { input, caller, at: Number(at) };
    });

/** In the middle of the run, one that executes. */
async function killOne(workers, calls) {
  while (readCalls(calls).length < TASKS / 3) await wait(20);
  const { caller } = readCalls(calls).at(-1);
  const { child } = workers.find(({ child: one }) => one.spawnargs.at(-1) === caller);
  child.kill('SIGKILL');
  const at = Date.now();
  const own = readCalls(calls).filter((one) => one.caller === caller);
  return { at, caller, inputs: new Set(own.map(({ input }) => input)) };
}

/** Until the first of its tasks is executed by another worker. */
function recovery({ at, caller, inputs }, executed) {
  const first = executed.find((one) => one.at >= at && one.caller !== caller && inputs.has(one.input));
  return first ? first.at - at : 0;
}

function addTime(report, workers, wallMs) {
  const ratio = wallMs / IDEAL_MS;
  report.note('fleet', { workers, tasks: TASKS, wallMs, idealMs: IDEAL_MS, ratio });
  report.row({
    what: `10,000 tasks of ${DELAY_MS} ms, ${CONCURRENCY} at a time, ${workers} worker${workers > 1 ? 's' : ''}`,
    ours: seconds(wallMs),
    floor: `ideal ${seconds(IDEAL_MS)}`,
    ratio: times(ratio),
    target: `≤ ${MOST} ×`,
    ok: ratio <= MOST,
  });
}

function addKill(report, { again, recoveryMs }) {
  report.note('fleet', { killed: 1, again, recoveryMs });
  report.row({
    what: 'kill -9 of one of three workers: its tasks are executed again after',
    ours: seconds(recoveryMs),
    floor: `${again} executed again`,
    ratio: times(recoveryMs / RECOVERY_MS),
    target: `≤ ${seconds(RECOVERY_MS)}, ${CONCURRENCY} tasks`,
    ok: recoveryMs <= RECOVERY_MS && again <= CONCURRENCY,
  });
}
