import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Running, startCli, temporaryFolder } from './processes.js';

// Goal: what this host stands still is not the agent's time. Method: a real process is stopped while an agent has its question, the
// agent answers at once, and the process goes on after longer than the agent's timeout.
const TIMEOUT_MS = 5_000;
const STOPPED_MS = 2 * TIMEOUT_MS;

let folder: ReturnType<typeof temporaryFolder>;
let agent: Server;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  agent.closeAllConnections();
  agent.close();
  folder.remove();
});

it('an answer that arrives while the process is stopped is an answer', async () => {
  let running: Running | undefined;
  agent = createServer(async (request, response) => {
    await request.resume().toArray();
    running?.child.kill('SIGSTOP');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"yes"}');
    await pass(STOPPED_MS);
    running?.child.kill('SIGCONT');
  });
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
  const run = { kind: 'http', url, timeoutMs: TIMEOUT_MS };
  const write = (name: string, value: object) =>
    writeFileSync(join(folder.path, name), JSON.stringify(value));
  write('touchstone.config.json', { agents: [{ agentId: 'local.test.still', version: '1.0.0', run }] });
  const expected = { kind: 'golden', match: { strategy: 'exact', value: 'yes' } };
  const tasks = [{ taskId: 't', input: 'x', expected }];
  write('still.suite.json', {
    suiteId: 'local.test.evals.still',
    version: '1.0.0',
    modes: ['golden'],
    tasks,
  });
  running = startCli(['run', 'still.suite.json', '--json'], folder.path);
  const { code, stdout, stderr } = await running.finished;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ summary: { passedCount: 1 } });
});
