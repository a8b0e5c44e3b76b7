// Hosts without work and workers on one database, as processes of their own.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, KEY, writeConfig } from '../lib/server.mjs';
import { AGENT, COMMAND } from '../lib/touchstone.mjs';

/**
 * Starts `doors` hosts, which do not work unless told so, and so many workers, and ends what is left of them afterwards. `env` is
 * theirs and the agent's; `agent` is the `run` object of the agent, by default the module of the bench.
 */
export async function withFleet(
  { folder, store, doors = 1, works = false, workers = 1, env = {}, agent = { kind: 'module', path: AGENT } },
  use,
) {
  mkdirSync(folder, { recursive: true });
  const config = writeConfig(folder, {
    store,
    keys: [{ key: KEY, tenant: 'bench', roles: ['admin'] }],
    agents: [{ agentId: 'local.bench.agent', version: '1.0.0', run: agent }],
    egress: { allowPrivate: true },
    limits: { requestsPerMinute: 1_000_000 },
  });
  const open = [];
  const start = async (verb, name, word, ...more) => {
    const args = [COMMAND, verb, '--config', config, '--data', join(folder, name), ...more];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    open.push(child);
    return { child, url: await lineAfter(child, word) };
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
    return await use({ client: clients[0], clients, workers: staff, startWorker });
  } finally {
    await Promise.all(open.map(endOf));
  }
}

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
