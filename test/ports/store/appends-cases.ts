import { expect, it } from 'vitest';
import type { AppendNotice, Commit, Store } from '../../../packages/touchstone/src/ports/index.js';
import { type ACME, events, leasedRun, OTHER_OWNERS, record, refusalOf, started, step } from './givens.js';

export function appendsCases(open: () => Promise<Store>): void {
  it('every commit that appended events is announced once, in order, also when several shared a flush', async () => {
    const store = await open();
    const one = await leasedRun(store, 'r1');
    const two = await leasedRun(store, 'r2', { owner: OTHER_OWNERS[0] as typeof ACME });
    const notices: AppendNotice[] = [];
    store.log.watchAll((notice) => notices.push(notice));
    const settled = await Promise.allSettled([
      store.log.commit(one.lease, { entries: [events(started(), started())], firstSequence: 0 }),
      store.log.commit(two.lease, { entries: [events(started())], firstSequence: 0 }),
      store.log.commit({ ...two.lease, token: 0 }, { entries: [events(started())], firstSequence: 1 }),
      store.log.commit(two.lease, { seals: [record(0)], firstSequence: 1, run: { status: 'running' } }),
      store.log.commit(one.lease, {
        seals: [record(0), record(2)],
        entries: [step(0), events(started()), events(), step(2)],
        firstSequence: 2,
      }),
      store.log.commit(two.lease, { entries: [step(0)], firstSequence: 1 }),
    ]);
    expect(settled.map(({ status }) => status[0]).join('')).toBe('ffrfff');
    const [first, second] = [one, two].map(({ run: { owner, runId } }) => ({ owner, runId }));
    // Those of one run are in order; which run comes first is up to the engine.
    const of = (runId: string) => notices.filter((notice) => notice.runId === runId);
    expect(of('r1')).toStrictEqual([
      { ...first, firstSequence: 0, eventCount: 2 },
      { ...first, firstSequence: 2, eventCount: 7 },
    ]);
    expect(of('r2')).toStrictEqual([
      { ...second, firstSequence: 0, eventCount: 1 },
      { ...second, firstSequence: 1, eventCount: 3 },
    ]);
    expect(notices).toHaveLength(4);
  });

  it('what is announced can be read, and nothing is announced before', async () => {
    const store = await open();
    const { lease } = await leasedRun(store, 'r1');
    const reads: Promise<number>[] = [];
    store.log.watchAll(({ owner, runId, firstSequence }) =>
      reads.push(store.log.read(owner, runId, firstSequence - 1, 9).then((found) => found.length)),
    );
    const commit: Commit = { entries: [events(started(), started())], firstSequence: 0 };
    const committing = store.log.commit(lease, commit);
    expect(reads).toEqual([]);
    await committing;
    expect(await Promise.all(reads)).toEqual([2]);
    await refusalOf(store.log.commit(lease, commit));
    expect(reads).toHaveLength(1);
  });

  it('a listener is called as often as it joined, and not after it has left', async () => {
    const store = await open();
    const { lease } = await leasedRun(store, 'r1');
    const calls: string[] = [];
    const listen = () => calls.push('twice');
    const leaves = [store.log.watchAll(listen), store.log.watchAll(listen)];
    // The first to be called sends the last away, which has been promised a call already.
    const leaveFirst = store.log.watchAll(() => {
      leaveFirst();
      leaveLast();
      calls.push('once');
    });
    const leaveLast = store.log.watchAll(() => calls.push('never'));
    const append = (firstSequence: number) =>
      store.log.commit(lease, { entries: [events(started())], firstSequence });
    await append(0);
    leaves[0]?.();
    leaves[0]?.();
    await append(1);
    leaves[1]?.();
    await append(2);
    expect(calls).toEqual(['twice', 'twice', 'once', 'twice']);
  });
}
