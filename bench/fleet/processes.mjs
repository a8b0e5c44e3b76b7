// Hosts without work and workers on one database, as processes of their own.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { callsIn } from '../lib/calls.mjs';
import { createClient, KEY, writeConfig } from '../lib/server.mjs';
import { AGENT, COMMAND } from '../lib/touchstone.mjs';

/**
 * Starts `doors` hosts, which do not work unless told so, and so many workers, and ends what is left of them afterwards. `env` is
 * theirs and the agent's; `agent` is the `run` object of the agent, by default the module of the bench; `more` goes into the
 * configuration. Each worker notes its calls in a file of its own.
 */
export async function withFleet(
  {
    folder,
    store,
    doors = 1,
    works = false,
    workers = 1,
    env = {},
    agent = { kind: 'module', path: AGENT },
    more = {},
  },
  use,
) {
  mkdirSync(folder, { recursive: true });
  const config = writeConfig(folder, {
    store,
    keys: [{ key: KEY, tenant: 'bench', roles: ['admin'] }],
    ...more,
    agents: [{ agentId: 'local.bench.agent', version: '1.0.0', run: agent }],
    egress: { allowPrivate: true },
    limits: { requestsPerMinute: 1_000_000 },
  });
  const open = [];
  const start = async (verb, name, word, ...options) => {
    const args = [COMMAND, verb, '--config', config, '--data', join(folder, name), ...options];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, BENCH_CALL_LOG: join(folder, `${name}.calls`), ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    open.push(child);
    return { name, child, url: await lineAfter(child, word) };
  };
  const startWorker = (name) => start('worker', name, 'working', '--health', '0', '--log-level', 'error');
  try {
    const hosts = [];
    for (let i = 0; i < doors; i += 1)
      hosts.push(
        await start('serve', `door${i}`, 'listening', '--port', '0', ...(works ? [] : ['--no-work'])),
      );
    const staff = await Promise.all(Array.from({ length: workers }, (_, i) => startWorker(`worker${i}`)));
    const clients = hosts.map(({ url }) => createClient(url));
    const calls = () => callsOf(folder);
    return await use({ client: clients[0], clients, workers: staff, startWorker, calls });
  } finally {
    await Promise.all(open.map(endOf));
  }
}

/** What the agents were asked, by all processes, in order. */
const callsOf = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.calls'))
    .flatMap((file) =>
      callsIn(join(folder, file)).map((call) => ({ ...call, caller: file.replace('.calls', '') })),
    )
    .sort((a, b) => a.at - b.at);

async function lineAfter(child, word) {
  for await (const line of createInterface({ input: child.stdout })) {
    const [, rest] = new RegExp(`^${word} (\\S+)`).exec(line) ?? [];
    if (rest) return rest;
  }
  throw new Error(`A process ended before it said "${word}".`);
}

function endOf(child) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  return new Promise((resolve) => {
    child.on('close', resolve);
    child.kill('SIGKILL');
  });
}

const TICK_MS = 10;

/** Processor time of a process, its threads and its children until now. */
export function cpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').map(Number);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    const own = (fields[11] + fields[12] + fields[13] + fields[14]) * TICK_MS;
    return children.reduce((sum, child) => sum + cpuMs(child), own);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

/**
 * Reads the events of a run until `onEvent` answers true or the run has ended. Each comes with the time of its arrival, in
 * milliseconds of the clock.
 */
export function followEvents({ url, headers }, runId, onEvent) {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/runs/${runId}/events?streamMode=debug`, { headers, agent: false });
    let rest = '';
    asked.on('error', (error) => (asked.destroyed ? resolve() : reject(error)));
    asked.on('response', (response) => {
      response.setEncoding('utf8');
      response.on('data', (text) => {
        const at = Date.now();
        const pieces = (rest + text).split('\n');
        rest = pieces.pop();
        for (const line of pieces) {
          if (!line.startsWith('data: ')) continue;
          if (!onEvent(JSON.parse(line.slice(6)), at)) continue;
          asked.destroy();
          resolve();
          return;
        }
      });
      response.on('end', resolve);
      response.on('error', resolve);
    });
    asked.end();
  });
}
