import { expect, it } from 'vitest';
import {
  type Commit,
  type Lease,
  LeaseLost,
  RunEnded,
  type Store,
} from '../../../packages/touchstone/src/ports/index.js';
import {
  ACME,
  commitSteps,
  createRun,
  decided,
  endingCommit,
  events,
  leasedRun,
  record,
  refusalOf,
  runIdOf,
  started,
  step,
  takeLease,
} from './givens.js';

const sealedUnits = async (store: Store, { runId }: Lease) =>
  (await store.log.pending(ACME, runId)).map(({ ordinal, repeat }) => `${ordinal}.${repeat}`);

/** A run whose log is begun, and a second driver's lease beside the one that the second driver took away. */
async function takenOver(store: Store) {
  const { run, lease: lost } = await leasedRun(store, 'r1');
  await commitSteps(store, lost, []);
  await store.leases.release(lost);
  return { run, lost, lease: await takeLease(store, run), slice: { owner: ACME, runId: run.runId } };
}

export function sealCases(open: () => Promise<Store>): void {
  it('records sealed without a lease wait for the driver, who appends their steps', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const slice = { owner: ACME, runId: run.runId };
    const end = await commitSteps(store, lease, []);
    await store.log.seal(slice, [record(1), record(0, 1), record(0)]);
    await store.log.seal(slice, []);
    expect(await sealedUnits(store, lease)).toEqual(['0.0', '0.1', '1.0']);
    expect(await store.runs.get(ACME, run.runId)).toMatchObject({ eventCount: end });
    await store.log.append(lease, { entries: [step(0, 4, 2), step(1)], firstSequence: end });
    expect(await sealedUnits(store, lease)).toEqual([]);
    expect(await store.log.appended(ACME, run.runId)).toEqual([0, 1]);
    expect(await store.log.read(ACME, run.runId, end - 1, 100)).toHaveLength(8);
  });

  it('as many records as a worker has are sealed in one call', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const records = Array.from({ length: 41 }, (_, ordinal) => record(ordinal));
    await store.log.seal({ owner: ACME, runId: run.runId }, records);
    expect(await sealedUnits(store, lease)).toEqual(records.map(({ ordinal }) => `${ordinal}.0`));
    expect(await store.log.records(ACME, run.runId, 40)).toStrictEqual([record(40)]);
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
    order.push(`other run, ${(await sealedUnits(store, lease)).length} sealed`);
    await committed;
    expect(order).toEqual(['other run, 1 sealed', 'committed']);
    expect(await store.log.appended(ACME, run.runId)).toEqual([0, 1, 2]);
    for (const one of long)
      expect(await store.log.records(ACME, run.runId, one.ordinal)).toStrictEqual([one]);
  });

  it('a piece of a commit is not written when another driver has the run', async () => {
    const store = await open();
    const { run, lost } = await takenOver(store);
    const long = [0, 1].map((ordinal) => record(ordinal, 0, [decided('x', 'y'.repeat(600_000))]));
    const commit = store.log.commit(lost, { seals: long, firstSequence: 1 });
    expect(await refusalOf(commit)).toBeInstanceOf(LeaseLost);
    expect(await store.log.pending(ACME, run.runId)).toEqual([]);
  });

  it('the second seal of a unit is dropped, by whichever way the first one came, and its neighbours are kept', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const slice = { owner: ACME, runId: run.runId };
    const late = (ordinal: number) => record(ordinal, 0, [decided('x', 'late')]);
    await store.log.seal(slice, [record(0)]);
    await store.log.commit(lease, { seals: [late(0), record(1)], firstSequence: 0 });
    await store.log.seal(slice, [late(0), late(1), record(2), late(2), record(3)]);
    for (const ordinal of [0, 1, 2, 3])
      expect(await store.log.records(ACME, run.runId, ordinal)).toStrictEqual([record(ordinal)]);
  });

  it('a seal outlives the driver under which its work began, and an append does not', async () => {
    const store = await open();
    const { lost, lease, slice } = await takenOver(store);
    await store.log.seal(slice, [record(0)]);
    expect(await sealedUnits(store, lease)).toEqual(['0.0']);
    const append = { entries: [step(0)], firstSequence: 1, run: { status: 'paused' } } as const;
    await expect(store.log.append(lost, append)).rejects.toBeInstanceOf(LeaseLost);
    expect(await store.runs.get(ACME, slice.runId)).toMatchObject({ status: 'running', eventCount: 1 });
    expect(await store.log.appended(ACME, slice.runId)).toEqual([]);
    await store.log.append(lease, append);
    expect(await store.runs.get(ACME, slice.runId)).toMatchObject({ status: 'paused', eventCount: 4 });
  });

  it('a commit of a driver that lost the lease seals nothing either', async () => {
    const store = await open();
    const { lost, lease } = await takenOver(store);
    const commit: Commit = { seals: [record(0)], entries: [step(0)], firstSequence: 1 };
    await expect(store.log.commit(lost, commit)).rejects.toBeInstanceOf(LeaseLost);
    expect(await sealedUnits(store, lease)).toEqual([]);
    await store.log.commit(lease, commit);
    expect(await store.log.appended(ACME, lease.runId)).toEqual([0]);
  });

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'nothing is sealed into a run that is %s',
    async (status) => {
      const store = await open();
      const { run, lease } = await leasedRun(store, 'r1');
      const slice = { owner: ACME, runId: run.runId };
      await store.log.seal(slice, [record(0)]);
      await store.log.append(lease, endingCommit(0, status));
      const records = Array.from({ length: 20 }, (_, ordinal) => record(ordinal));
      await expect(store.log.seal(slice, records)).rejects.toBeInstanceOf(RunEnded);
      expect(await sealedUnits(store, lease)).toEqual(['0.0']);
    },
  );

  it('a seal that is on its way when the run ends comes before the end or not at all', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const slice = { owner: ACME, runId: run.runId };
    const sealing = store.log.seal(slice, [record(0)]).then(
      () => ['0.0'],
      () => [],
    );
    await store.log.append(lease, endingCommit(0));
    expect(await sealedUnits(store, lease)).toEqual(await sealing);
  });

  it.each(['pending', 'running', 'cancelling', 'paused', 'waiting-approval'] as const)(
    'a run that is %s has not ended, and what was executed for it is sealed',
    async (status) => {
      const store = await open();
      const { run, lease } = await leasedRun(store, 'r1');
      await store.log.append(lease, { firstSequence: 0, run: { status } });
      await store.log.seal({ owner: ACME, runId: run.runId }, [record(0)]);
      expect(await sealedUnits(store, lease)).toEqual(['0.0']);
    },
  );

  it('a run that is not there cannot be sealed into', async () => {
    const store = await open();
    const refusal = await refusalOf(store.log.seal({ owner: ACME, runId: runIdOf('none') }, [record(0)]));
    expect(refusal.code).toBe('not_found');
  });

  it('an append without the records it needs, or at another place, adds nothing', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const end = await commitSteps(store, lease, []);
    await store.log.seal({ owner: ACME, runId: run.runId }, [record(0)]);
    const whole = { entries: [step(0)], firstSequence: end, run: { status: 'paused' } } as const;
    for (const broken of [
      { ...whole, firstSequence: end + 1 },
      { ...whole, entries: [step(0), step(1)] },
      { ...whole, entries: [step(0, 2, 2)] },
    ]) {
      expect((await refusalOf(store.log.append(lease, broken))).code).toBe('internal_error');
      expect(await store.runs.get(ACME, run.runId)).toMatchObject({ status: 'running', eventCount: end });
      expect(await sealedUnits(store, lease)).toEqual(['0.0']);
    }
    await store.log.append(lease, whole);
    expect(await store.log.appended(ACME, run.runId)).toEqual([0]);
  });

  it('an append wakes watchers, a seal does not: nothing in the log has changed', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const notices: number[] = [];
    store.log.watchAll(({ eventCount }) => notices.push(eventCount));
    let woken = 0;
    store.log.watch(run.runId, () => {
      woken += 1;
    });
    await store.log.seal({ owner: ACME, runId: run.runId }, [record(0)]);
    await store.runs.get(ACME, run.runId);
    expect([woken, notices]).toEqual([0, []]);
    await store.log.append(lease, { entries: [events(started())], firstSequence: 0 });
    await store.runs.get(ACME, run.runId);
    expect([woken, notices]).toEqual([1, [1]]);
  });
}
