import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import { annotation } from './annotations-cases.js';
import { auditEntry, verifiedChain } from './audit-cases.js';
import { blessing, SUBJECT, scorecard } from './baselines-cases.js';
import { deployments, moving } from './deployments-cases.js';
import {
  ACME,
  commitSteps,
  createRun,
  endingCommit,
  leasedRun,
  newRun,
  refusalOf,
  runIdOf,
  START,
  type TestClock,
  takeLease,
} from './givens.js';
import { pack } from './packs-cases.js';
import { agent } from './small-cases.js';
import { suite } from './suites-cases.js';
import { webhook } from './webhooks-cases.js';

/** For engines whose data outlives a store or is used by several at once. `open` always opens the same data. */
export function sharedStoreCases(open: (holder: string) => Promise<Store>, clock: () => TestClock): void {
  it('what one store has acknowledged, another reads, also after the first has closed', async () => {
    const first = await open('one');
    const second = await open('two');
    const run = await createRun(first, 'r1');
    const end = await commitSteps(first, await takeLease(first, run), [0, 1]);
    expect(await second.log.read(ACME, run.runId, -1, 100)).toHaveLength(end);
    await first.close();
    expect(await second.runs.get(ACME, run.runId)).toMatchObject({ status: 'running', eventCount: end });
    const third = await open('three');
    expect(await third.log.read(ACME, run.runId, -1, 100)).toEqual(
      await second.log.read(ACME, run.runId, -1, 100),
    );
  });

  it('remarks, blessings and webhooks of one store are known to the other', async () => {
    const [one, two] = [await open('one'), await open('two')];
    const { runId } = await createRun(one, 'r1');
    await one.annotations.add(ACME, annotation('a1'));
    await two.annotations.add(ACME, annotation('a2'));
    for (const store of [one, two]) expect(await store.annotations.list(ACME, runId)).toHaveLength(2);
    await createRun(two, 'r2');
    await one.baselines.bless(ACME, blessing('r1'));
    await two.baselines.bless(ACME, blessing('r2'));
    expect(await one.baselines.find(ACME, SUBJECT)).toEqual(blessing('r2'));
    await two.baselines.keep(ACME, scorecard('r9'));
    expect(await one.baselines.kept(ACME, runIdOf('r9'))).toEqual(scorecard('r9'));
    await one.webhooks.add(ACME, webhook('w1'));
    await two.webhooks.note(ACME, 'w1', { failures: 2 });
    expect(await one.webhooks.list(ACME)).toEqual([webhook('w1', { failures: 2 })]);
  });

  it('a run changes hands between stores, and the former driver is fenced off', async () => {
    const first = await open('one');
    const second = await open('two');
    const run = await createRun(first, 'r1');
    const old = await takeLease(first, run);
    expect(await second.leases.take(ACME, run.runId, 1_000)).toBeUndefined();
    expect(await second.leases.adoptable(9)).toEqual([]);
    clock().move(30_001);
    expect(await second.leases.adoptable(9)).toEqual([{ owner: ACME, runId: 'r1' }]);
    const lease = await takeLease(second, run);
    await second.log.commit(lease, endingCommit(0));
    expect((await refusalOf(first.log.commit(old, endingCommit(0)))).name).toBe('LeaseLost');
    expect(await first.log.read(ACME, run.runId, -1, 9)).toHaveLength(1);
  });

  it('simultaneous writes of two stores all arrive, and a race between them has one winner', async () => {
    const stores = [await open('one'), await open('two')];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => (stores[i % 2] as Store).runs.create(newRun(`r${i}`))),
    );
    expect((await (stores[0] as Store).runs.list(ACME, { limit: 100 })).items).toHaveLength(40);
    const takes = await Promise.all(stores.map((store) => store.leases.take(ACME, runIdOf('r0'), 1_000)));
    expect(takes.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  it('of two stores that make different moves of the same picture exactly one does', async () => {
    const stores = [await open('one'), await open('two')] as const;
    const states = ['staged', 'active'] as const;
    for (let revision = 1; revision <= 10; revision += 1) {
      const runIds = states.map((state) => `${state}-${revision}`);
      const leased = await Promise.all(stores.map((store, i) => leasedRun(store, runIds[i] as string)));
      const commits = leased.map(({ lease }, i) =>
        stores[i as 0 | 1].log.commit(lease, moving(deployments(revision, states[i as 0 | 1]))),
      );
      const settled = await Promise.allSettled(commits);
      const [winner, loser] = settled[0]?.status === 'fulfilled' ? ([0, 1] as const) : ([1, 0] as const);
      expect(settled[winner]).toMatchObject({ status: 'fulfilled' });
      expect(settled[loser]).toMatchObject({ reason: { name: 'DeploymentsMoved' } });
      const [store] = stores;
      const next = deployments(revision, states[winner]);
      expect(await store.deployments.get(ACME, next.agentId)).toEqual(next);
      expect(await store.log.read(ACME, runIdOf(runIds[winner] as string), -1, 9)).toHaveLength(1);
      expect(await store.log.read(ACME, runIdOf(runIds[loser] as string), -1, 9)).toEqual([]);
      expect(await verifiedChain(store.audit, ACME)).toHaveLength(revision);
    }
  });

  it('simultaneous audit records of two stores make one chain', async () => {
    const stores = [await open('one'), await open('two')];
    const reasons = Array.from({ length: 50 }, (_, i) => `reason ${i}`);
    const append = (reason: string, i: number) =>
      (stores[i % 2] as Store).audit.append(ACME, auditEntry({ reason }));
    const appended = await Promise.all(reasons.map(append));
    const chain = await verifiedChain((stores[0] as Store).audit, ACME);
    expect(chain.map(({ reason }) => reason).sort()).toEqual([...reasons].sort());
    expect([...appended].sort((a, b) => a.seq - b.seq)).toEqual(chain);
  });

  it('two stores that ask for a secret at once are told the same one', async () => {
    const stores = [await open('one'), await open('two')];
    const [first, second] = await Promise.all(stores.map((store) => store.secret('tokens')));
    expect(first).toBe(second);
  });

  // Both have asked whether the pack is there before either writes, so it is the guards that decide.
  it('of two stores that install at once exactly one does, and the other knows what it ran into', async () => {
    const [one, two] = [await open('one'), await open('two')];
    const contents = (name: string, digest: string) =>
      pack(name, '1.0.0', digest, {
        agents: [agent(name, '1.0.0', digest)],
        suites: [suite(`core.${name}`, '1.0.0', digest)],
      });
    const race = (first: string, second: string) =>
      Promise.all([
        one.packs.install(ACME, contents(first, first), START),
        two.packs.install(ACME, contents(first, second), START),
      ]);
    expect((await race('d1', 'd1')).sort()).toEqual(['created', 'same']);
    expect((await race('d2', 'd3')).sort()).toEqual(['conflict', 'created']);
    const [heads, agents] = [(await one.packs.list(ACME, 9)).items, await two.agents.list(ACME)];
    expect(heads).toHaveLength(2);
    expect(agents.map(({ digest }) => digest)).toEqual(heads.map(({ digest }) => digest));
  });

  it('of two stores that install different packs with a clashing agent at once exactly one does', async () => {
    const stores = [await open('one'), await open('two')];
    const contents = (name: string) =>
      pack(name, '1.0.0', name, { agents: [agent('shared', '1.0.0', name)] });
    const install = (store: Store, i: number) => store.packs.install(ACME, contents(`p${i}`), START);
    expect((await Promise.all(stores.map(install))).sort()).toEqual(['conflict', 'created']);
    const [head, ...more] = (await (stores[1] as Store).packs.list(ACME, 9)).items;
    expect(more).toEqual([]);
    expect(await (stores[0] as Store).agents.list(ACME)).toMatchObject([{ digest: head?.digest }]);
  });
}
