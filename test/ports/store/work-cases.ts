import { asId, type Digest, type ModelName } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type {
  Assignment,
  Lease,
  OrdinalRange,
  Run,
  Store,
  Usage,
} from '../../../packages/touchstone/src/ports/index.js';
import { ACME, endingCommit, leasedRun, record, refusalOf, type TestClock, takeLease } from './givens.js';

const PLAN = { firstUnit: 0, units: 10, hasSealed: false, slots: [3, 2] } as const;
const ENVIRONMENT = asId<Digest>('sha256:environment');

async function openWork(store: Store, plan: Partial<Parameters<Store['work']['open']>[1]> = {}) {
  const { run, lease } = await leasedRun(store, 'r1');
  const { epoch } = await store.work.open(lease, { ...PLAN, ...plan });
  return { run, lease, epoch };
}

async function listed(store: Store, place: number): Promise<Assignment> {
  const { assignments } = await store.assignments.list();
  const found = assignments.find((one) => one.place === place);
  if (!found) throw new Error(`No assignment ${place} is listed.`);
  return found;
}

async function taken(store: Store, place: number): Promise<Assignment> {
  const found = await store.assignments.take(await listed(store, place));
  if (!found) throw new Error(`Assignment ${place} was not to be had.`);
  return found.assignment;
}

const claim = (store: Store, assignment: Assignment, most: number, serial = 1, least = most) =>
  store.assignments.write(assignment, { seals: [], finished: [], more: { most, least, serial } });
const seal = (store: Store, assignment: Assignment, ordinals: readonly number[], finished: number[] = []) =>
  store.assignments.write(assignment, { seals: ordinals.map((one) => record(one)), finished });
const call = (costUsd: number): Usage => ({
  provider: asId<ModelName>('local'),
  model: asId<ModelName>('small-1'),
  inputTokens: 1,
  outputTokens: 1,
  costUsd,
});
const beat = (store: Store) => store.workers.beat({ environment: ENVIRONMENT, version: '1', atWork: 0 });
/** Sorted: a store hands them over in any order. */
const sealedOrdinals = async (store: Store, lease: Lease, ranges: readonly OrdinalRange[] = [[0, 99]]) =>
  (await store.work.sealed(lease, ranges)).map(({ ordinal }) => ordinal).sort((a, b) => a - b);
/** The lease goes to another driver, as after the death of the first. */
async function nextDriver(store: Store, run: Run, lease: Lease): Promise<Lease> {
  await store.leases.release(lease);
  return takeLease(store, run);
}

export function workCases(open: () => Promise<Store>, clock: () => TestClock): void {
  it('claims follow one another without gap or overlap, also when they are made at once, and end with the units', async () => {
    const store = await open();
    await openWork(store, { units: 50 });
    const both = [await taken(store, 0), await taken(store, 1)];
    const wishes = Array.from({ length: 20 }, (_, i) => claim(store, both[i % 2] as Assignment, 3, i));
    const claims = (await Promise.all(wishes)).flatMap((answer) => answer.claim ?? []);
    const units = claims.flatMap(({ first, count }) => Array.from({ length: count }, (_, i) => first + i));
    expect(units.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(await claim(store, both[0] as Assignment, 3, 99)).toMatchObject({
      isHeld: true,
      isExhausted: true,
    });
  });

  it('a wish that is sent twice is granted once', async () => {
    const store = await open();
    await openWork(store);
    const mine = await taken(store, 0);
    expect((await claim(store, mine, 4, 7)).claim).toEqual({ first: 0, count: 4 });
    expect((await claim(store, mine, 4, 7)).claim).toEqual({ first: 0, count: 4 });
    expect((await claim(store, mine, 4, 8)).claim).toEqual({ first: 4, count: 4 });
  });

  it('the driver learns of claims and of what is sealed, each once', async () => {
    const store = await open();
    const { lease, epoch } = await openWork(store);
    const mine = await taken(store, 0);
    await claim(store, mine, 4, 1);
    await seal(store, mine, [2, 0]);
    expect(await store.work.news(lease, epoch, -1)).toEqual({
      epoch,
      spentUsd: 0,
      claims: [{ first: 0, count: 4 }],
    });
    expect(await sealedOrdinals(store, lease)).toEqual([0, 2]);
    await claim(store, mine, 4, 2);
    expect((await store.work.news(lease, epoch, 0)).claims).toEqual([{ first: 4, count: 4 }]);
    const many = Array.from({ length: 70 }, (_, i) => [i, i] as const);
    expect(await sealedOrdinals(store, lease, many)).toEqual([0, 2]);
  });

  it('another driver finds the work open, with its claims, and the former one cannot change it', async () => {
    const store = await open();
    const { run, lease, epoch } = await openWork(store);
    await claim(store, await taken(store, 0), 4);
    const second = await nextDriver(store, run, lease);
    expect(await store.work.open(second, { ...PLAN, firstUnit: 4, slots: [5] })).toEqual({ epoch });
    expect((await store.work.news(second, epoch, -1)).claims).toEqual([{ first: 0, count: 4 }]);
    expect((await store.assignments.list()).assignments).toHaveLength(2);
    for (const change of [store.work.drain(lease), store.work.end(lease), store.work.grant(lease, [9, 9])])
      expect((await refusalOf(change)).name).toBe('LeaseLost');
    expect(await store.work.find(second)).toEqual({ epoch, firstUnit: 0, slots: 5 });
  });

  it('units before the first one of the work are claimed by nobody, and its driver finds out which those are', async () => {
    const store = await open();
    const { run, lease, epoch } = await openWork(store, { firstUnit: 6 });
    const mine = await taken(store, 0);
    expect((await claim(store, mine, 9)).claim).toEqual({ first: 6, count: 4 });
    const second = await nextDriver(store, run, lease);
    expect(await store.work.find(second)).toEqual({ epoch, firstUnit: 6, slots: 5 });
    await store.work.end(second);
    expect(await store.work.find(second)).toBeUndefined();
  });

  it('slots are granted by place, and each holder finds them in the list; an assignment that is done stays gone', async () => {
    const store = await open();
    const { lease, epoch } = await openWork(store, { slots: [0, 0, 0] });
    const mine = await taken(store, 0);
    await store.assignments.release(await taken(store, 2), true);
    for (const slots of [
      [2, 1, 1],
      [4, 4, 3],
    ])
      await store.work.grant(lease, slots);
    const { assignments } = await store.assignments.list();
    expect(assignments.map(({ place, slots, token }) => [place, slots, token])).toEqual([
      [0, 4, mine.token],
      [1, 4, 0],
    ]);
    expect(await store.work.find(lease)).toEqual({ epoch, firstUnit: 0, slots: 8 });
  });

  it('from the end of the work on nothing is sealed or claimed, and later work has a later epoch', async () => {
    const store = await open();
    const { run, lease, epoch } = await openWork(store);
    const mine = await taken(store, 0);
    await claim(store, mine, 4);
    await seal(store, mine, [1]);
    await store.work.end(lease);
    expect((await refusalOf(seal(store, mine, [2]))).name).toBe('WorkEnded');
    expect((await refusalOf(claim(store, mine, 1, 2))).name).toBe('WorkEnded');
    expect(await store.work.news(lease, epoch, -1)).toEqual({ spentUsd: 0, claims: [] });
    expect((await store.assignments.list()).assignments).toEqual([]);
    const second = await nextDriver(store, run, lease);
    const again = await store.work.open(second, { ...PLAN, hasSealed: true });
    expect(again.epoch).toBeGreaterThan(epoch);
    expect((await refusalOf(seal(store, mine, [2]))).name).toBe('WorkEnded');
    expect(await sealedOrdinals(store, second)).toEqual([1]);
    const next = await taken(store, 0);
    expect((await claim(store, next, 4)).claim).toEqual({ first: 0, count: 4 });
    expect(await store.assignments.sealedUnits(next, [0, 3])).toEqual([{ ordinal: 1, repeat: 0 }]);
  });

  it('nothing is sealed after the last word of a run', async () => {
    const store = await open();
    const { lease } = await openWork(store);
    const mine = await taken(store, 0);
    await store.log.commit(lease, endingCommit(0));
    expect((await refusalOf(seal(store, mine, [0]))).name).toBe('WorkEnded');
  });

  it('while the work is drained nothing is claimed, what runs is sealed, and work that is opened later begins anew', async () => {
    const store = await open();
    const { run, lease, epoch } = await openWork(store);
    const mine = await taken(store, 0);
    await claim(store, mine, 4);
    await store.work.drain(lease);
    expect(await claim(store, mine, 4, 2)).toMatchObject({ isHeld: true, stop: 'drain' });
    await seal(store, mine, [3]);
    const second = await nextDriver(store, run, lease);
    const again = await store.work.open(second, PLAN);
    expect(again).toEqual({ epoch: second.token });
    expect(again.epoch).toBeGreaterThan(epoch);
  });

  it('what a holder reports of the agent is kept for the driver, the first report only, and outlives a driver', async () => {
    const store = await open();
    const { run, lease, epoch } = await openWork(store);
    const mine = await taken(store, 0);
    await store.work.drain(lease);
    await store.assignments.stop(mine, 'changed');
    await store.assignments.stop(mine, 'crashed');
    await store.work.drain(lease);
    expect(await store.work.news(lease, epoch, -1)).toMatchObject({ stop: 'changed' });
    const second = await nextDriver(store, run, lease);
    expect(await store.work.open(second, PLAN)).toEqual({ epoch, stop: 'changed' });
    expect(await claim(store, mine, 4)).toMatchObject({ stop: 'changed' });
  });

  it('nothing is claimed while something is asked of the run, and the holder is told', async () => {
    const store = await open();
    const { run } = await openWork(store);
    const mine = await taken(store, 0);
    const control = { kind: 'cancel', by: 'tester' } as const;
    await store.runs.request(ACME, run.runId, { from: ['pending'], status: 'cancelling', control });
    const answer = await claim(store, mine, 4);
    expect(answer).toMatchObject({ control, isExhausted: false });
    expect(answer.claim).toBeUndefined();
    expect((await listed(store, 0)).control).toEqual(control);
  });

  it('nothing is claimed from the ceiling on, whoever has spent', async () => {
    const store = await open();
    const { run } = await openWork(store, { ceilingUsd: 1 });
    const mine = await taken(store, 0);
    expect(await store.ledger.record(ACME, run.runId, [call(0.5)])).toBe(0.5);
    expect(await claim(store, mine, 2)).toMatchObject({ spentUsd: 0.5, claim: { first: 0, count: 2 } });
    expect(await store.ledger.record(ACME, run.runId, [call(0.5)])).toBe(1);
    const answer = await claim(store, mine, 2, 2);
    expect(answer).toMatchObject({ spentUsd: 1, stop: 'drain', isExhausted: false });
    expect(answer.claim).toBeUndefined();
  });

  it('an assignment has one holder, who is fenced off when another one takes it; its records still count', async () => {
    const store = await open();
    const { lease } = await openWork(store);
    const free = await listed(store, 0);
    const takes = await Promise.all(Array.from({ length: 4 }, () => store.assignments.take(free)));
    const [first, ...others] = takes.flatMap((one) => one ?? []);
    expect(others).toEqual([]);
    const old = first?.assignment as Assignment;
    await claim(store, old, 4);
    await seal(store, old, [0]);
    const second = await store.assignments.take({ ...(await listed(store, 0)), isLost: true });
    expect(second?.claims).toEqual([{ first: 0, count: 4, deaths: 1 }]);
    await store.assignments.noteAlone(old, 0, 2);
    const noted = await store.assignments.take({ ...(await listed(store, 0)), isLost: true });
    expect(noted?.claims).toEqual([{ first: 0, count: 4, deaths: 2, aloneUnit: 2 }]);
    expect(await claim(store, old, 4, 2)).toMatchObject({ isHeld: false });
    expect((await store.work.news(lease, old.epoch, 0)).claims).toEqual([]);
    await seal(store, old, [1]);
    await seal(store, noted?.assignment as Assignment, [0, 1, 2, 3], [0]);
    expect(await sealedOrdinals(store, lease)).toEqual([0, 1, 2, 3]);
    await store.assignments.release(old, true);
    expect((await listed(store, 0)).holder).toBeDefined();
    const third = await store.assignments.take({ ...(await listed(store, 0)), isLost: true });
    expect(third?.claims).toEqual([]);
  });

  it('near the end a claim is half of an even share of what is left, and never less than could begin at once', async () => {
    const store = await open();
    await openWork(store, { units: 40 });
    const mine = await taken(store, 0);
    const sizes = [];
    for (let serial = 1; serial <= 7; serial += 1)
      sizes.push((await claim(store, mine, 8, serial, 3)).claim?.count);
    // Two assignments: a quarter of 40 is above what was asked for, that of 32 is it, and so on.
    expect(sizes).toEqual([8, 8, 6, 4, 3, 3, 3]);
  });

  it('a holder that was counted as lost, and lives, takes that back; what it has finished is not counted anyway', async () => {
    const store = await open();
    await openWork(store);
    const mine = await taken(store, 0);
    await claim(store, mine, 4);
    await claim(store, mine, 2, 2);
    await store.assignments.take({ ...(await listed(store, 0)), isLost: true });
    const lost = await store.assignments.take({ ...(await listed(store, 0)), isLost: true });
    expect(lost?.claims.map(({ deaths }) => deaths)).toEqual([2, 2]);
    await store.assignments.returned(mine, [0]);
    const rest = async () => (await store.assignments.take(await listed(store, 0)))?.claims;
    expect((await rest())?.map(({ deaths }) => deaths)).toEqual([1, 2]);
    for (let times = 0; times < 3; times += 1) await store.assignments.returned(mine, [0, 4]);
    expect((await rest())?.map(({ deaths }) => deaths)).toEqual([0, 0]);
    await store.assignments.returned(mine, []);
  });

  it('an assignment that is given back goes on with its claims, and one that is done is gone', async () => {
    const store = await open();
    await openWork(store, { units: 4 });
    expect(await store.assignments.waiting()).toEqual({ assignments: 2, units: 4 });
    const mine = await taken(store, 0);
    await claim(store, mine, 4);
    expect(await store.assignments.waiting()).toEqual({ assignments: 0, units: 0 });
    await store.assignments.release(mine, false);
    const again = await store.assignments.take(await listed(store, 0));
    expect(again?.claims).toEqual([{ first: 0, count: 4, deaths: 0 }]);
    expect([(await listed(store, 0)).hasUnits, (await listed(store, 1)).hasUnits]).toEqual([true, false]);
    await store.assignments.release(again?.assignment as Assignment, true);
    expect((await store.assignments.list()).assignments.map(({ place }) => place)).toEqual([1]);
  });

  it('a holder that has told nothing for long is lost; not before this process has looked for a while', async () => {
    const store = await open();
    await openWork(store);
    await beat(store);
    await taken(store, 0);
    const other = async () => ({ ...(await listed(store, 0)) });
    expect((await other()).isLost).toBe(false);
    const { holders, own } = await store.assignments.list();
    expect(holders).toEqual([{ name: own, environment: ENVIRONMENT }]);
    for (let seconds = 0; seconds < 30; seconds += 2) {
      clock().move(2_000);
      await store.assignments.list();
    }
    // Nobody takes himself for lost, however long he was silent.
    expect((await other()).isLost).toBe(false);
    expect((await store.assignments.list()).holders).toEqual([]);
  });
}
