// The usual work of two tenants, on which everything else is done.
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from './calls.mjs';
import { agentIdOf, documentOf, SUITES, suiteIdOf, suiteNamed } from './suites.mjs';

export const TENANTS = ['acme', 'rival'];
const OPEN_AT_A_TIME = 10;
/** What a caller does about these is to try again. */
const AGAIN = new Set([429, 503]);
const ENDED = new Set(['completed', 'failed', 'cancelled']);

export async function prepareTenants({ calls, keys, agent, findings }) {
  for (const tenant of TENANTS) {
    const agentId = agentIdOf(tenant);
    const bound = { agentId, version: '1.0.0', run: { kind: 'http', url: agent.url } };
    const put = await calls.call('PUT', `/v1/host/touchstone/agents/${agentId}`, {
      key: keys[tenant],
      body: bound,
    });
    if (put.status !== 200 && put.status !== 201) findings.add('an agent was refused', put.text);
    await installSuites({ calls, keys }, tenant, SUITES);
  }
}

export async function installSuites({ calls, keys }, tenant, suites) {
  for (const suite of suites) {
    const body = documentOf(tenant, suite);
    await calls.call('POST', '/v1/host/touchstone/suites', { key: keys[tenant], body });
  }
}

/** Creates runs as long as the soak lasts, and looks which of them have ended. */
export async function keepWorking(soak, tenant) {
  while (!soak.isOver()) {
    if (soak.ledger.open(tenant).length < OPEN_AT_A_TIME)
      await createRun(soak, tenant, soak.random.pick(soak.suites));
    else await lookAtOpenRuns(soak, tenant);
    await pause(50);
  }
}

export async function createRun(soak, tenant, suite) {
  const entry = soak.ledger.add(tenant, suite.name);
  while (!soak.isOver() && !(await submit(soak, entry))) await pause(200);
  return entry;
}

export const bodyOf = ({ tenant, suite }) => ({
  mode: 'eval',
  evalSuiteRef: suiteIdOf(tenant, suite),
  agentId: agentIdOf(tenant),
  configurable: suiteNamed(suite).configurable,
});

/** Sends a run once, under its key; true when the host has said which run it is. */
export async function submit({ calls, keys, ledger, findings }, entry, host) {
  const headers = { 'idempotency-key': entry.key };
  const options = { key: keys[entry.tenant], body: bodyOf(entry), headers, ...(host && { host }) };
  const answer = await calls.call('POST', '/v1/runs', options);
  if (answer.lost) return false;
  const { runId, error } = parse(answer.text) ?? {};
  if (answer.status === 201) {
    ledger.acknowledge(entry, runId, findings);
    return true;
  }
  if (!AGAIN.has(answer.status) && error !== 'idempotency_in_flight')
    findings.add('a run was refused', `${answer.status} ${answer.text}`);
  return false;
}

export async function lookAtOpenRuns({ ledger, calls, keys, findings }, tenant) {
  for (const entry of ledger.open(tenant)) {
    const { status, text } = await calls.call('GET', `/v1/runs/${entry.runId}`, { key: keys[entry.tenant] });
    if (status === 404) findings.add('a run that was created is gone', entry.runId);
    if (status === 200) entry.ended = ENDED.has(parse(text).status);
  }
}
