// `touchstone serve` as a process of its own, and the few calls the bench makes to it.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { AGENT, COMMAND } from './touchstone.mjs';

const KEY = 'bench-key';
const AGENT_ID = 'local.bench.agent';

export async function withServer(folder, env, use) {
  const config = join(folder, 'touchstone.config.json');
  writeFileSync(config, JSON.stringify(configuration()));
  const args = [COMMAND, 'serve', '--port', '0', '--config', config, '--data', join(folder, 'data')];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  try {
    return await use(createClient(await readAddress(child)));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

const configuration = () => ({
  keys: [{ key: KEY, tenant: 'bench', roles: ['admin'] }],
  agents: [{ agentId: AGENT_ID, version: '1.0.0', run: { kind: 'module', path: AGENT } }],
  limits: { requestsPerMinute: 1_000_000 },
});

async function readAddress(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^listening (http:\S+)/.exec(line) ?? [];
    if (url) return url;
    throw new Error(`Expected the server to say where it listens, got: ${line}`);
  }
  throw new Error('The server ended before it listened.');
}

function createClient(url) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const call = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    url,
    headers,
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
