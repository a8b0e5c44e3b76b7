// `touchstone serve` as a process of its own, and the few calls the bench makes to it.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { AGENT, COMMAND } from './touchstone.mjs';

export const KEY = 'bench-key';
const AGENT_ID = 'local.bench.agent';

/** With the tenant `local` it shares its runs with the command line. */
export async function withServer(folder, env, use, tenant = 'bench') {
  const config = writeConfig(folder, configuration(tenant));
  const { child, ended, url } = await startServer({ config, data: join(folder, 'data'), env });
  try {
    return await use(createClient(url));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

export function writeConfig(folder, config) {
  const file = join(folder, 'touchstone.config.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const SERVE = ['serve', '--port', '0'];

/**
 * Starts a host, or another verb that goes on until it is ended, and waits until it says where it can be reached. `launcher` is a command that starts the rest of its arguments, such as
 * `unshare -m`; it has to keep the process id. `onLog` gets the lines of stderr.
 */
export async function startServer({ config, data, env = {}, launcher = [], onLog, verb = SERVE }) {
  const command = [COMMAND, ...verb, '--config', config, '--data', data];
  const [program, ...args] = [...launcher, process.execPath, ...command];
  const stdio = ['ignore', 'pipe', onLog ? 'pipe' : 'ignore'];
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio });
  if (onLog) createInterface({ input: child.stderr }).on('line', onLog);
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  return { child, ended, url: await readAddress(child) };
}

const configuration = (tenant) => ({
  keys: [{ key: KEY, tenant, roles: ['admin'] }],
  agents: [{ agentId: AGENT_ID, version: '1.0.0', run: { kind: 'module', path: AGENT } }],
  limits: { requestsPerMinute: 1_000_000 },
});

async function readAddress(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^(?:listening|working) (http:\S+)/.exec(line) ?? [];
    if (url) return url;
    throw new Error(`Expected the server to say where it listens, got: ${line}`);
  }
  throw new Error('The server ended before it listened.');
}

/** A call with a key; throws what is not a 2xx. */
export const createCall = (url, key) => async (method, path, body) => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
};

export function createClient(url, key = KEY) {
  const call = createCall(url, key);
  return {
    url,
    headers: { authorization: `Bearer ${key}` },
    installSuite: (suite) => call('POST', '/v1/host/touchstone/suites', suite),
    startRun: (suiteRef, concurrency) =>
      call('POST', '/v1/runs', {
        mode: 'eval',
        evalSuiteRef: suiteRef,
        agentId: AGENT_ID,
        configurable: { concurrency },
      }),
    readSummary: (runId) => call('GET', `/v1/runs/${runId}/eval-summary`),
    async waitForEnd(runId) {
      for (;;) {
        const run = await call('GET', `/v1/runs/${runId}`);
        if (run.completedAt) return run;
        await pause(20);
      }
    },
  };
}
