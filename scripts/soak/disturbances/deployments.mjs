import { agentIdOf } from '../suites.mjs';

const TRANSITIONS = ['promote', 'pause', 'promote', 'rollback', 'adjust-canary', 'deprecate'];

/** A transition, possible or not: the audit log grows, by refusals too. */
export async function transitionAgent({ calls, keys, random }) {
  const tenant = random.pick(['acme', 'rival']);
  const body = { version: '1.0.0', transition: random.pick(TRANSITIONS) };
  const key = random.pick([keys[tenant], keys.viewer]);
  await calls.call('POST', `/v1/agents/${agentIdOf(tenant)}/deployments`, { key, body });
}
