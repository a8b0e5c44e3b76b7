import { expect, it } from 'vitest';
import type { LeaseLost, NewRun, Store } from '../../../packages/touchstone/src/ports/index.js';
import {
  ACME,
  createRun,
  endingCommit,
  leasedRun,
  refusalOf,
  runIdOf,
  START,
  type TestClock,
  takeLease,
} from './givens.js';

export function leasesCases(open: () => Promise<Store>, clock: () => TestClock): void {
  it('a lease has one holder at a time, also among simultaneous takers', async () => {
    const store = await open();
    const run = await createRun(store, 'r1');
    const takes = Array.from({ length: 5 }, () => store.leases.take(ACME, run.runId, 1_000));
    const leases = (await Promise.all(takes)).filter((lease) => lease !== undefined);
    expect(leases).toHaveLength(1);
    expect(await store.leases.take(ACME, run.runId, 1_000)).toBeUndefined();
  });

  it('an expired lease can be taken, and the newer token fences the older one off', async () => {
    const store = await open();
    const { run, lease: old } = await leasedRun(store, 'r1');
    clock().move(30_001);
    const lease = await takeLease(store, run);
    expect(lease.token).toBeGreaterThan(old.token);
    expect(await store.leases.renew(old, 1_000)).toBe(false);
    await store.leases.release(old);
    expect(await store.leases.renew(lease, 1_000)).toBe(true);
    expect((await refusalOf(store.log.commit(old, endingCommit(0)))).name satisfies LeaseLost['name']).toBe(
      'LeaseLost',
    );
    await store.log.commit(lease, endingCommit(0));
  });

  it('with a most, a tenant gets no further lease, whoever asks at once; others do, and runs that only have to stop', async () => {
    const store = await open();
    const runs = [];
    for (const name of ['r1', 'r2', 'r3', 'r4', 'r5']) runs.push(await createRun(store, name));
    const takes = await Promise.all(runs.map(({ runId }) => store.leases.take(ACME, runId, 30_000, 2)));
    const taken = takes.filter((lease) => lease !== undefined);
    expect(taken).toHaveLength(2);
    expect(await store.leases.adoptable(9, 2)).toEqual([]);
    const [waiting] = await store.leases.adoptable(9);
    expect(waiting).toBeDefined();
    const control = { kind: 'cancel', by: 'tester' } as const;
    const change = { from: ['pending'], status: 'cancelling', control } as const;
    if (waiting) await store.runs.request(ACME, waiting.runId, change);
    expect(await store.leases.adoptable(9, 2)).toEqual([waiting]);
    if (taken[0]) await store.leases.release(taken[0]);
    expect((await store.leases.adoptable(9, 2)).length).toBeGreaterThan(1);
  });

  it('a renewed lease outlives its first end', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    clock().move(20_000);
    expect(await store.leases.renew(lease, 30_000)).toBe(true);
    clock().move(20_000);
    expect(await store.leases.take(ACME, run.runId, 1_000)).toBeUndefined();
  });

  it('a released lease is free at once, and writes under it are over', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    await store.leases.release(lease);
    expect((await refusalOf(store.log.commit(lease, endingCommit(0)))).name).toBe('LeaseLost');
    expect(await store.leases.renew(lease, 1_000)).toBe(false);
    expect(await store.leases.take(ACME, run.runId, 1_000)).toBeDefined();
  });

  it('a lease counts the drivers that were lost in a row while the log did not grow', async () => {
    const store = await open();
    const { run, lease: first } = await leasedRun(store, 'r1');
    expect(first.lostDrives).toBe(0);
    const afterLoss = async () => {
      clock().move(30_001);
      return takeLease(store, run);
    };
    expect((await afterLoss()).lostDrives).toBe(1);
    const second = await afterLoss();
    expect(second.lostDrives).toBe(2);
    const events = [{ type: 'run.resumed', at: START, payload: {} }] as const;
    await store.log.append(second, { entries: [{ kind: 'events', events }], firstSequence: 0, run: {} });
    const third = await afterLoss();
    expect(third.lostDrives).toBe(1);
    await store.leases.release(third);
    const free = await takeLease(store, run);
    expect(free.lostDrives).toBe(0);
    expect((await afterLoss()).lostDrives).toBe(2);
  });

  it('adoptable are unfinished host runs that nobody drives, of every owner', async () => {
    const store = await open();
    const other = { tenant: 'globex', workspace: 'main' };
    await createRun(store, 'pending');
    await createRun(store, 'of-another', { owner: other });
    await createRun(store, 'cli', { origin: 'cli' });
    await leasedRun(store, 'driven');
    const ended = await leasedRun(store, 'ended');
    await store.log.commit(ended.lease, endingCommit(0));
    await store.leases.release(ended.lease);
    expect(await store.leases.adoptable(9)).toEqual([
      { owner: ACME, runId: 'pending' },
      { owner: other, runId: 'of-another' },
    ]);
    await createRun(store, 'later');
    expect(await store.leases.adoptable(1)).toEqual([
      { owner: ACME, runId: 'pending' },
      { owner: other, runId: 'of-another' },
    ]);
    clock().move(30_001);
    expect((await store.leases.adoptable(9)).map((found) => found.runId)).toEqual([
      'pending',
      'of-another',
      'driven',
      'later',
    ]);
  });

  it('a paused run is adoptable until its pause has been carried out', async () => {
    const store = await open();
    await createRun(store, 'r1');
    const control = { kind: 'pause', by: 'ann', drainPolicy: 'drain-current-node' } as const;
    await store.runs.request(ACME, runIdOf('r1'), { from: ['pending'], status: 'paused', control });
    expect(await store.leases.adoptable(9)).toHaveLength(1);
    const lease = await takeLease(store, { owner: ACME, runId: runIdOf('r1') });
    await store.log.commit(lease, { firstSequence: 0, run: { status: 'paused', control: null } });
    await store.leases.release(lease);
    expect(await store.leases.adoptable(9)).toEqual([]);
  });

  it.each(['waiting-approval', 'waiting-input', 'waiting-external'] as const)(
    'a run that is %s is adoptable once it has waited as long as it will, and only then',
    async (status) => {
      const store = await open();
      const wait = async (runId: string, waitUntil: number | null, overrides: Partial<NewRun> = {}) => {
        const { lease } = await leasedRun(store, runId, overrides);
        await store.log.commit(lease, { firstSequence: 0, run: { status, waitUntil } });
        await store.leases.release(lease);
      };
      const found = async () => (await store.leases.adoptable(9)).map(({ runId }) => runId);
      await wait('ten', START + 10);
      await wait('for-ever', null);
      await wait('of-the-cli', START, { origin: 'cli' });
      await createRun(store, 'pending');
      await wait('five', START + 5);
      expect(await found()).toEqual(['pending']);
      clock().move(5);
      expect(await found()).toEqual(['pending', 'five']);
      clock().move(5);
      expect(await found()).toEqual(['ten', 'pending', 'five']);
      expect(await store.leases.adoptable(1)).toEqual([{ owner: ACME, runId: 'ten' }]);
      await takeLease(store, { owner: ACME, runId: runIdOf('ten') });
      expect(await found()).toEqual(['pending', 'five']);
    },
  );

  it('a run that has stopped waiting is not taken for one that waits, whatever its row remembers', async () => {
    const store = await open();
    const { lease } = await leasedRun(store, 'r1');
    const change = { status: 'waiting-approval', waitUntil: START } as const;
    await store.log.commit(lease, { firstSequence: 0, run: change });
    await store.log.commit(lease, endingCommit(0));
    await store.leases.release(lease);
    expect(await store.leases.adoptable(9)).toEqual([]);
  });
}
