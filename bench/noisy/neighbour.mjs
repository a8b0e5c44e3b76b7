// The neighbour as a process of its own. Its argument says where the host is, which key it has, and what it does there. It prepares
// every attack before it starts the first. When every one has started or was refused it prints the refusals, as a list, and goes
// on until it is killed.
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createCall } from '../lib/server.mjs';
import { ATTACKS } from './attacks.mjs';

const { url, key, agents, unanswered, attacks } = JSON.parse(process.argv[2]);

const call = createCall(url, key);
const suiteIdOf = (name) => `local.rival.evals.${name}`;
const agentIdOf = (name) => `local.rival.${name}`;

/** An agent and a suite of this name. `at` is a path of the agents' server, or a whole address. */
async function install(name, at, suite) {
  const run = { kind: 'http', url: new URL(at, agents).href };
  const agent = { agentId: agentIdOf(name), version: '1.0.0', run };
  await call('PUT', `/v1/host/touchstone/agents/${agentIdOf(name)}`, agent);
  await call('POST', '/v1/host/touchstone/suites', { suiteId: suiteIdOf(name), version: '1.0.0', ...suite });
}

const createRun = (name, concurrency = 8, more = {}) =>
  call('POST', '/v1/runs', {
    mode: 'eval',
    evalSuiteRef: suiteIdOf(name),
    agentId: agentIdOf(name),
    configurable: { concurrency },
    ...more,
  });

async function startRun(name, at, suite, concurrency) {
  await install(name, at, suite);
  return createRun(name, concurrency);
}

async function waitForEnd(runId) {
  while (!(await call('GET', `/v1/runs/${runId}`)).completedAt) await pause(200);
}

/** Reads an answer to its end and keeps nothing of it. */
const drain = (path, withKey = key) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${withKey}` };
    const sent = request(url + path, { headers, agent: false }, (response) =>
      response.resume().on('end', resolve).on('error', reject),
    );
    sent.on('error', reject).end();
  });

/** Opens a stream and never reads it. */
function stall(path) {
  const headers = { authorization: `Bearer ${key}` };
  const sent = request(url + path, { headers, agent: false }, (response) => response.pause());
  sent.on('error', () => undefined).end();
}

const rival = { call, install, createRun, startRun, waitForEnd, drain, stall, unanswered };
// The key has worked before the attack on keys begins.
await call('GET', '/v1/agents');
const prepared = await Promise.allSettled(attacks.map((name) => ATTACKS[name](rival)));
const outcomes = await Promise.allSettled(
  prepared.map(({ value, reason }) => (value ? value() : Promise.reject(reason))),
);
const refused = outcomes
  .map(({ reason }, at) => reason && `${attacks[at]}: ${reason.message}`)
  .filter(Boolean);
console.log(JSON.stringify(refused));
setInterval(() => undefined, 60_000);
