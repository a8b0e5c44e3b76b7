import { asId, type Digest } from '@touchstone/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/index.js';
import type { Annotation, Store } from '../../packages/touchstone/src/ports/index.js';
import { openPostgresStore } from '../../packages/touchstone/src/store/index.js';
import { openLine } from '../setup/line.js';
import { type Cluster, hasPostgres, queryPostgres, startCluster } from '../setup/postgres.js';
import { annotation } from './store/annotations-cases.js';
import { ACME, commitSteps, createRun, takeLease } from './store/givens.js';

// Goal: processes on one database hear of each other, and notice the end of one. Method: two stores with names of other
// machines, so that nothing can be learnt from the process table.
describe.skipIf(!hasPostgres())('processes that share a PostgreSQL store', () => {
  let cluster: Cluster;
  let opened: Store[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    opened = [];
  });

  const open = async (url: string, name: string): Promise<Store> => {
    const holder = `${name}|elsewhere|1|1`;
    const store = await openPostgresStore({
      ...{ url, clock: systemClock, holder },
      withPeers: { onPooled: () => undefined },
    });
    opened.push(store);
    return store;
  };

  it('a commit of one wakes who watches the run at another', async () => {
    const url = cluster.newUrl();
    const [one, two] = [await open(url, 'one'), await open(url, 'two')];
    const run = await createRun(one, 'r1');
    const lease = await takeLease(one, run);
    const woken = new Promise<void>((resolve) => two.log.watch(run.runId, resolve));
    await commitSteps(one, lease, [0]);
    await woken;
    expect(await two.log.appended(ACME, run.runId)).toEqual([0]);
  });

  it('a pause asked for at one wakes who watches the run at another', async () => {
    const url = cluster.newUrl();
    const [one, two] = [await open(url, 'one'), await open(url, 'two')];
    const run = await createRun(one, 'r1');
    const woken = new Promise<void>((resolve) => two.log.watch(run.runId, resolve));
    const control = { kind: 'cancel', by: 'tester' } as const;
    await one.runs.request(ACME, run.runId, { from: ['pending'], status: 'cancelling', control });
    await woken;
  });

  it('an annotation reaches the watchers of its run and owner at another, and no others', async () => {
    const url = cluster.newUrl();
    const [one, two] = [await open(url, 'one'), await open(url, 'two')];
    const { runId } = await createRun(one, 'r1');
    const heard: Annotation[] = [];
    two.annotations.watch({ tenant: 'globex', workspace: 'main' }, runId, (one) => heard.push(one));
    const arrived = new Promise((resolve) => two.annotations.watch(ACME, runId, resolve));
    await one.annotations.add(ACME, annotation('a1'));
    expect(await arrived).toEqual(annotation('a1'));
    expect(heard).toEqual([]);
  });

  it('an offered run is heard of elsewhere, and not by who offers it', async () => {
    const url = cluster.newUrl();
    const [one, two] = [await open(url, 'one'), await open(url, 'two')];
    const run = await createRun(one, 'r1');
    let own = 0;
    one.leases.watchOffers(() => {
      own += 1;
    });
    const offered = new Promise<void>((resolve) => two.leases.watchOffers(resolve));
    one.leases.offer(run.runId);
    await offered;
    expect(own).toBe(0);
  });

  it('of many processes two with little to do are told of a run; the rest, and those of another environment, are not', async () => {
    const url = cluster.newUrl();
    const [ours, theirs] = [asId<Digest>('sha256:ours'), asId<Digest>('sha256:theirs')];
    const names = ['idle', 'free', 'busy', 'other', 'far'];
    const stores = await Promise.all(names.map((name) => open(url, name)));
    const told: string[] = [];
    for (const [at, store] of stores.entries()) {
      const name = names[at] as string;
      const atWork = name === 'busy' ? 3 : 0;
      const environment = name === 'other' || name === 'far' ? theirs : ours;
      await store.workers.beat({ environment, version: '1', atWork });
      store.leases.watchOffers(() => told.push(name));
    }
    const door = await open(url, 'door');
    const run = await createRun(door, 'r1');
    door.leases.offer(run.runId, ours);
    await expect.poll(() => told.length, POLL).toBe(2);
    // What is sent to all comes after what was sent to some, so whoever was told before has been counted.
    const heard = stores.map((store) => new Promise<void>((resolve) => store.leases.watchOffers(resolve)));
    door.leases.offer((await createRun(door, 'r2')).runId);
    await Promise.all(heard);
    expect(told.slice(0, 2).sort()).toEqual(['free', 'idle']);
    expect(told).toHaveLength(2 + names.length);
    expect((await door.workers.list()).map(({ name, atWork }) => [name, atWork])).toEqual(
      names.toSorted().map((name) => [`${name}:1`, name === 'busy' ? 3 : 0]),
    );
  });

  it('the lease of a process that has ended is free long before it runs out; that of a live one is not', async () => {
    const url = cluster.newUrl();
    const [one, two] = [await open(url, 'one'), await open(url, 'two')];
    const [run, other] = [await createRun(one, 'r1'), await createRun(two, 'r2')];
    await takeLease(one, run);
    await takeLease(two, other);
    const three = await open(url, 'three');
    expect(await three.leases.adoptable(10)).toEqual([]);
    // As after kill -9: the connections are gone, and nothing was let go.
    await opened[0]?.close();
    const found = () => three.leases.adoptable(10);
    await expect.poll(found, POLL).toEqual([{ owner: ACME, runId: run.runId }]);
    expect(await three.leases.take(ACME, run.runId, 60_000)).toBeDefined();
    expect(await three.leases.take(ACME, other.runId, 60_000)).toBeUndefined();
  });

  it('a process that loses its connections keeps its leases, and hears the others again', async () => {
    const url = cluster.newUrl();
    const [one, two] = [await open(url, 'one'), await open(url, 'two')];
    const run = await createRun(one, 'r1');
    const lease = await takeLease(one, run);
    for (let round = 0; round < 3; round += 1) {
      await queryPostgres(url, CUT_ALL);
      const locks = async () => {
        expect(await two.leases.adoptable(10)).toEqual([]);
        return (await queryPostgres(url, LOCKS)).length;
      };
      await expect.poll(locks, POLL).toBe(2);
    }
    const woken = new Promise<void>((resolve) => two.log.watch(run.runId, resolve));
    await commitSteps(one, lease, [0]);
    await woken;
  });

  it('a process knows when the others can count it as lost, and when they no longer can', async () => {
    const url = cluster.newUrl();
    const line = await openLine(Number(new URL(url).port));
    const behind = new URL(url);
    behind.port = String(line.port);
    try {
      const [one, two] = [await open(behind.href, 'one'), await open(url, 'two')];
      const run = await createRun(one, 'r1');
      await takeLease(one, run);
      const before = one.workers.presence();
      expect(before).toBeDefined();
      line.deafen();
      const found = () => two.leases.adoptable(10);
      await expect.poll(found, POLL).toEqual([{ owner: ACME, runId: run.runId }]);
      expect(one.workers.presence()).toBeUndefined();
      line.mend();
      await expect.poll(() => one.workers.presence() ?? before, POLL).toBeGreaterThan(before as number);
      await expect.poll(found, POLL).toEqual([]);
    } finally {
      await opened[0]?.close();
      await line.close();
    }
  });

  it('a name is held by one process at a time, and by the next one when the first has ended', async () => {
    const url = cluster.newUrl();
    const [one, two] = [await open(url, 'one'), await open(url, 'two')];
    expect(await one.maintains()).toBe(true);
    expect(await one.maintains()).toBe(true);
    expect(await two.maintains()).toBe(false);
    await one.close();
    await expect.poll(() => two.maintains(), POLL).toBe(true);
  });
});

const POLL = { timeout: 30_000, interval: 200 };
const LOCKS = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted";
const CUT_ALL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'touchstone' AND pid <> pg_backend_pid()`;
