import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { bodyOf, submit, TENANTS } from '../work.mjs';

/** A caller creates runs and never sees the answers: the connection is cut, or the host is killed before it answers. */
export async function swallowedAnswers(soak) {
  const { ledger, hosts, keys, random, suites } = soak;
  const host = random.pick(hosts.running());
  if (!host) return;
  const tenant = random.pick(TENANTS);
  for (let at = 0; at < 5; at += 1) {
    const entry = ledger.add(tenant, random.pick(suites).name);
    const headers = {
      authorization: `Bearer ${keys[tenant]}`,
      'content-type': 'application/json',
      'idempotency-key': entry.key,
    };
    const sent = request(`${host.url}/v1/runs`, { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined).end(JSON.stringify(bodyOf(entry)));
    void pause(random.below(40)).then(() => sent.destroy());
  }
  if (random.chance(0.5)) {
    await pause(random.below(40));
    const slot = hosts.slotOf(host);
    if (slot === undefined) return;
    await hosts.end(slot, 'SIGKILL');
    await hosts.start(slot);
  }
}

/** The same request several times at once, on any host: one run. */
export async function doubledRequest(soak) {
  const { ledger, random, suites } = soak;
  const entry = ledger.add(random.pick(TENANTS), random.pick(suites).name);
  await Promise.all(Array.from({ length: 4 }, () => submit(soak, entry)));
}
