import { asId, type Digest } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import { annotation } from './annotations-cases.js';
import { auditEntry } from './audit-cases.js';
import {
  ACME,
  body,
  commitSteps,
  endingCommit,
  leasedRun,
  OTHER_OWNERS,
  record,
  runIdOf,
  START,
} from './givens.js';
import { entry } from './memory-cases.js';
import { pack } from './packs-cases.js';
import { QUESTION } from './responses-cases.js';
import { agent, CREATE, claimOf, RESPONSE } from './small-cases.js';
import { suite } from './suites-cases.js';
import { webhook } from './webhooks-cases.js';

const REMOVAL = auditEntry();
const [SIDE, GLOBEX] = OTHER_OWNERS as [typeof ACME, typeof ACME];
const NOTE = 'ü'.repeat(500);

/** An ended run with content in every place that a run has for it. */
async function endedRun(store: Store, name: string): Promise<void> {
  const { run, lease } = await leasedRun(store, name, { request: { inputs: body({ say: NOTE }) } });
  await store.log.seal(lease, [record(7)]);
  const next = await commitSteps(store, lease, [0, 1, 2]);
  await store.annotations.add(ACME, annotation('a1', { note: NOTE }, run.runId));
  await store.log.commit(lease, endingCommit(next));
  await store.leases.release(lease);
}

export function amountsCases(open: () => Promise<Store>): void {
  it('everything that a tenant stores counts, in all its workspaces, and nothing of another tenant', async () => {
    const store = await open();
    const { idempotency } = store;
    const writes: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['suite', () => store.suites.put(ACME, suite('core.s', '1.0.0', 'd1'), START)],
      ['suite of a workspace', () => store.suites.put(SIDE, suite('core.s', '1.0.0', 'd1'), START)],
      ['agent', () => store.agents.put(ACME, agent('a', '1.0.0', 'd1'), START)],
      ['pack', () => store.packs.install(ACME, pack('p', '1.0.0', 'd2'), START)],
      ['memory', () => store.memory.put(ACME, asId('a'), entry('e1'), START)],
      ['cached answer', () => store.responses.put(ACME, QUESTION, body('answer'), START)],
      ['webhook', () => store.webhooks.add(ACME, webhook('w1'))],
      ['claim', () => idempotency.claim(ACME, CREATE, claimOf('d', START))],
      ['kept answer', () => idempotency.keep(ACME, CREATE, RESPONSE, START)],
      ['run', () => endedRun(store, 'r1')],
    ];
    expect(await store.amounts.bytes(ACME)).toBe(0);
    for (const [what, write] of writes) {
      const before = await store.amounts.bytes(ACME);
      await write();
      const grown = (await store.amounts.bytes(ACME)) - before;
      expect({ what, grows: grown > 0 }).toEqual({ what, grows: what !== 'claim' });
    }
    expect(await store.amounts.bytes(SIDE)).toBe(await store.amounts.bytes(ACME));
    expect(await store.amounts.bytes(GLOBEX)).toBe(0);
  });

  it('what is there already is not counted twice', async () => {
    const store = await open();
    const put = async () => {
      await store.suites.put(ACME, suite('core.s', '1.0.0', 'd1'), START);
      await store.agents.put(ACME, agent('a', '1.0.0', 'd1'), START);
      await store.packs.install(ACME, pack('p', '1.0.0', 'd2'), START);
    };
    await put();
    const once = await store.amounts.bytes(ACME);
    await put();
    expect(await store.amounts.bytes(ACME)).toBe(once);
  });

  it('a removed run gives back every byte at once, also when its content went first', async () => {
    const store = await open();
    await store.agents.put(ACME, agent('a', '1.0.0', 'd1'), START);
    const before = await store.amounts.bytes(ACME);
    await endedRun(store, 'r1');
    const whole = (await store.amounts.bytes(ACME)) - before;
    await endedRun(store, 'r2');
    expect(await store.amounts.bytes(ACME)).toBe(before + 2 * whole);
    expect(await store.retention.removeBodies(ACME, runIdOf('r2'), REMOVAL, asId<Digest>('d'))).toBe(true);
    while (await store.retention.sweep());
    const without = (await store.amounts.bytes(ACME)) - before - whole;
    expect(without).toBeGreaterThan(0);
    expect(without).toBeLessThan(whole);
    for (const name of ['r1', 'r2'])
      expect(await store.retention.remove(ACME, runIdOf(name), REMOVAL)).toBe(true);
    expect(await store.amounts.bytes(ACME)).toBe(before);
    while (await store.retention.sweep());
    expect(await store.amounts.bytes(ACME)).toBe(before);
    expect(await store.retention.remove(ACME, runIdOf('r1'), REMOVAL)).toBe(false);
    expect(await store.amounts.bytes(ACME)).toBe(before);
  });

  it('a webhook that is removed, and an answer that is no longer kept, are given back', async () => {
    const store = await open();
    await store.webhooks.add(ACME, webhook('w1'));
    await store.idempotency.claim(ACME, CREATE, claimOf('d', START));
    await store.idempotency.keep(ACME, CREATE, RESPONSE, START);
    await store.webhooks.remove(ACME, 'w1');
    await store.idempotency.sweep(START + 60_000);
    expect(await store.amounts.bytes(ACME)).toBe(0);
  });

  it('suites, agents and webhooks are counted by tenant, annotations by run', async () => {
    const store = await open();
    await store.suites.put(ACME, suite('core.s', '1.0.0', 'd1'), START);
    await store.suites.put(SIDE, suite('core.s', '2.0.0', 'd2'), START);
    await store.agents.put(ACME, agent('a', '1.0.0', 'd1'), START);
    await store.webhooks.add(SIDE, webhook('w1'));
    await endedRun(store, 'r1');
    const { amounts } = store;
    for (const owner of [ACME, SIDE])
      expect([
        await amounts.count(owner, 'suites'),
        await amounts.count(owner, 'agents'),
        await amounts.count(owner, 'webhooks'),
      ]).toEqual([2, 1, 1]);
    expect(await amounts.count(GLOBEX, 'suites')).toBe(0);
    expect(await amounts.annotations(ACME, runIdOf('r1'))).toBe(1);
    expect(await amounts.annotations(SIDE, runIdOf('r1'))).toBe(0);
  });
}
