import { asId } from '@touchstone/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Assignment, Store, UnitRange } from '../../../packages/touchstone/src/ports/index.js';
import { auditEntry, verifiedChain } from './audit-cases.js';
import { deployments, moving } from './deployments-cases.js';
import { ACME, createRun, leasedRun, newRun, record, runIdOf, START } from './givens.js';
import { pack } from './packs-cases.js';
import { agent } from './small-cases.js';

const STORES = 4;
const ROUNDS = 20;
const UNITS = 30;
const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

/** Claims until nothing is left. */
async function claimed(store: Store, assignment: Assignment): Promise<readonly UnitRange[]> {
  const claims: UnitRange[] = [];
  for (let serial = 1; ; serial += 1) {
    const wish = { seals: [], finished: [], more: { most: 2, least: 2, serial } };
    const { claim, isExhausted } = await store.assignments.write(assignment, wish);
    if (claim) claims.push(claim);
    if (isExhausted) return claims;
  }
}

/** What several processes do at once, many times over. `openAll` opens so many stores over the same new data, all at once. */
export function raceCases(openAll: (count: number) => Promise<readonly Store[]>): void {
  let stores: readonly Store[];
  beforeEach(async () => {
    stores = await openAll(STORES);
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));
  const each = <T>(act: (store: Store, index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(stores.map(act));
  const first = (): Store => stores[0] as Store;
  /** A run at work, of which each store has an assignment. */
  const sharedRun = async (round: number) => {
    const { lease } = await leasedRun(first(), `r${round}`);
    const slots = stores.map(() => 2);
    await first().work.open(lease, { firstUnit: 0, units: UNITS, hasSealed: false, slots });
    const { assignments } = await first().assignments.list();
    const all = await each(async (store, i) => store.assignments.take(assignments[i] as Assignment));
    return { lease, taken: (i: number) => all[i]?.assignment as Assignment };
  };

  it('one of several runs gets an exclusive scope, and the others are told which', async () => {
    for (const round of rounds) {
      const create = (store: Store, i: number) =>
        store.runs.create(newRun(`r${round}-${i}`, { request: { scopeId: `s${round}` } }), {
          exclusiveScope: true,
        });
      const created = await each(create);
      const active = created.flatMap((one) => ('activeRunId' in one ? [] : [one.runId]));
      expect(active).toHaveLength(1);
      expect(created.filter((one) => 'activeRunId' in one && one.activeRunId === active[0])).toHaveLength(
        STORES - 1,
      );
    }
  });

  it('audit records make one chain', async () => {
    for (const round of rounds)
      await each((store, i) => store.audit.append(ACME, auditEntry({ reason: `${round}-${i}` })));
    expect(await verifiedChain(first().audit, ACME)).toHaveLength(ROUNDS * STORES);
  });

  it('one of several requests with the same key is executed', async () => {
    for (const round of rounds) {
      const claims = await each((store, i) =>
        store.idempotency.claim(
          ACME,
          { operation: 'createRun', key: `k${round}` },
          { requestDigest: 'd', creationId: asId(`c${i}`), now: START, leaseMs: 1_000, keepMs: 5_000 },
        ),
      );
      expect(claims.map(({ kind }) => kind).sort()).toEqual([
        'claimed',
        'in-flight',
        'in-flight',
        'in-flight',
      ]);
    }
  });

  it('one of several packs with the same name is installed, whole', async () => {
    for (const round of rounds) {
      const installed = await each((store, i) =>
        store.packs.install(
          ACME,
          pack(`p${round}`, '1.0.0', `d${i}`, { agents: [agent(`a${round}`, '1.0.0', `d${i}`)] }),
          START,
        ),
      );
      expect([...installed].sort()).toEqual(['conflict', 'conflict', 'conflict', 'created']);
    }
    const heads = (await first().packs.list(ACME, 99)).items;
    const agents = await first().agents.list(ACME);
    expect(heads).toHaveLength(ROUNDS);
    expect(agents.map(({ digest }) => digest).sort()).toEqual(heads.map(({ digest }) => digest).sort());
  });

  it('one of several moves of the same picture is made, with its event and its audit record', async () => {
    for (const round of rounds) {
      const next = deployments(round + 1, 'active');
      const moved = await Promise.allSettled(
        stores.map(async (store, i) => {
          const { lease } = await leasedRun(store, `r${round}-${i}`);
          await store.log.commit(lease, moving(next));
        }),
      );
      const refused = moved.flatMap((one) => (one.status === 'rejected' ? [one.reason.name] : []));
      expect(refused).toEqual(['DeploymentsMoved', 'DeploymentsMoved', 'DeploymentsMoved']);
    }
    expect((await first().deployments.get(ACME, deployments(1).agentId))?.revision).toBe(ROUNDS);
    expect(await verifiedChain(first().audit, ACME)).toHaveLength(ROUNDS);
  });

  it('one of several drivers gets a run', async () => {
    for (const round of rounds) {
      await createRun(first(), `r${round}`);
      const leases = await each((store) => store.leases.take(ACME, runIdOf(`r${round}`), 1_000));
      expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1);
    }
  });

  it('a run that ends while others seal into it holds nothing that came after its end', async () => {
    for (const round of rounds) {
      const { run, lease } = await leasedRun(first(), `r${round}`);
      const slice = { owner: ACME, runId: run.runId };
      const sealed: number[] = [];
      const sealing = stores.slice(1).map(async (store, i) => {
        for (let ordinal = i; ; ordinal += STORES) {
          await store.log.seal(slice, [record(ordinal)]);
          sealed.push(ordinal);
        }
      });
      const ending = first().log.commit(lease, {
        firstSequence: 0,
        run: { status: 'cancelled', completedAt: START },
      });
      const ends = Promise.allSettled(sealing);
      await ending;
      const atTheEnd = (await first().log.pending(ACME, run.runId)).length;
      for (const one of await ends) expect(one).toMatchObject({ reason: { name: 'RunEnded' } });
      expect(await first().log.pending(ACME, run.runId)).toHaveLength(atTheEnd);
      expect(sealed).toHaveLength(atTheEnd);
    }
  });

  it('several that claim units of one run get each of them once, in order and without a gap', async () => {
    for (const round of rounds) {
      const { taken, lease } = await sharedRun(round);
      const claims = (await each((store, i) => claimed(store, taken(i)))).flat();
      const units = claims.flatMap(({ first: from, count }) =>
        Array.from({ length: count }, (_, i) => from + i),
      );
      expect(units.sort((a, b) => a - b)).toEqual(Array.from({ length: UNITS }, (_, i) => i));
      await first().work.end(lease);
    }
  });

  it('work that ends while others seal into it holds nothing that came after its end', async () => {
    for (const round of rounds) {
      const { taken, lease } = await sharedRun(round);
      const sealed: number[] = [];
      const sealing = stores.map(async (store, i) => {
        for (let ordinal = i; ; ordinal += STORES) {
          await store.assignments.write(taken(i), { seals: [record(ordinal)], finished: [] });
          sealed.push(ordinal);
        }
      });
      const ends = Promise.allSettled(sealing);
      await first().work.end(lease);
      const atTheEnd = (await first().log.pending(ACME, lease.runId)).length;
      for (const one of await ends) expect(one).toMatchObject({ reason: { name: 'WorkEnded' } });
      expect(await first().log.pending(ACME, lease.runId)).toHaveLength(atTheEnd);
      expect(sealed).toHaveLength(atTheEnd);
    }
  });

  it('all are told the same secret', async () => {
    for (const round of rounds) {
      const secrets = await each((store) => store.secret(`s${round}`));
      expect(new Set(secrets).size).toBe(1);
    }
  });

  it('all can open new data at once', async () => {
    for (let round = 0; round < ROUNDS / 4; round += 1) {
      const opened = await openAll(STORES);
      await Promise.all(opened.map((store, i) => createRun(store, `r${i}`)));
      expect((await (opened[0] as Store).runs.list(ACME, { limit: 9 })).items).toHaveLength(STORES);
      await Promise.all(opened.map((store) => store.close()));
    }
  });
}
