import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import { auditEntry, verifiedChain } from './audit-cases.js';
import { deployments, moving } from './deployments-cases.js';
import { ACME, createRun, decided, endingCommit, leasedRun, record, step } from './givens.js';
import { sealedUnits } from './seal-cases.js';

/** For engines that write one batch at a time: what was asked for first is written first, whichever run it concerns. */
export function oneWriterCases(open: () => Promise<Store>): void {
  it('commits and appends of one turn all find their place', async () => {
    const store = await open();
    const leased = await Promise.all(['r1', 'r2', 'r3'].map((id) => leasedRun(store, id)));
    await Promise.all([
      ...leased.map(({ run, lease }) =>
        store.log.commit(lease, {
          ...endingCommit(0),
          audit: [auditEntry({ runId: run.runId }), auditEntry({ runId: run.runId, allowed: false })],
        }),
      ),
      store.audit.append(ACME, auditEntry()),
    ]);
    const chain = await verifiedChain(store.audit, ACME);
    expect(chain.map(({ runId }) => runId)).toEqual(['r1', 'r1', 'r2', 'r2', 'r3', 'r3', undefined]);
  });

  it('long records of one commit are written in pieces, and others write between them', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const long = [0, 1, 2].map((ordinal) => record(ordinal, 0, [decided('x', 'y'.repeat(600_000))]));
    const entries = long.map(({ ordinal }) => step(ordinal, 1));
    const order: string[] = [];
    const committed = store.log
      .commit(lease, { seals: long, entries, firstSequence: 0 })
      .then(() => order.push('committed'));
    await createRun(store, 'r2');
    order.push('other run');
    const sealed = await sealedUnits(store, lease);
    await committed;
    expect(order).toEqual(['other run', 'committed']);
    expect(sealed.length).toBeGreaterThan(0);
    expect(sealed.length).toBeLessThan(long.length);
    expect(await store.log.appended(ACME, run.runId)).toEqual([0, 1, 2]);
    for (const one of long)
      expect(await store.log.records(ACME, run.runId, one.ordinal)).toStrictEqual([one]);
  });

  it('of several moves of one turn with the same revision the first wins', async () => {
    const store = await open();
    const leased = await Promise.all(['r1', 'r2', 'r3'].map((id) => leasedRun(store, id)));
    const states = ['test', 'staged', 'active'] as const;
    const settled = await Promise.allSettled(
      leased.map(({ lease }, i) => store.log.commit(lease, moving(deployments(1, states[i])))),
    );
    expect(settled).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { name: 'DeploymentsMoved' } },
      { status: 'rejected', reason: { name: 'DeploymentsMoved' } },
    ]);
    expect(await store.deployments.get(ACME, deployments(1).agentId)).toStrictEqual(deployments(1));
  });
}
