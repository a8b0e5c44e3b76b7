import { asId, type ModelName, type Owner, type RunId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { type Lease, LeaseLost, type Store } from '../../../packages/touchstone/src/ports/index.js';
import { annotation } from './annotations-cases.js';
import { auditEntry } from './audit-cases.js';
import { blessing, SUBJECT, scorecard } from './baselines-cases.js';
import { pinned } from './contracts-cases.js';
import { deployments } from './deployments-cases.js';
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
  taskName,
} from './givens.js';
import { entry } from './memory-cases.js';
import { pack } from './packs-cases.js';
import { QUESTION } from './responses-cases.js';
import { agent, CREATE, claimOf, RESPONSE } from './small-cases.js';
import { suite } from './suites-cases.js';
import { webhook } from './webhooks-cases.js';

const USAGE = {
  provider: asId<ModelName>('p'),
  model: asId<ModelName>('m'),
  inputTokens: 1,
  outputTokens: 1,
  costUsd: 1,
};
const MOVED = deployments(1);
const SUITE = suite('core.s', '1.0.0', 'd1');
const { suiteId, version, digest } = SUITE.head;
const AGENT = agent('a', '1.0.0', 'd1');
const PACK = pack('p', '1.0.0', 'd1', { agents: [AGENT], suites: [SUITE] });

const REMOVAL = { head: PACK.head, seen: [], at: START, audit: auditEntry() };

/**
 * Every call that takes an owner, by port and name. A new method of a port has to be added here to compile. Amounts are of
 * a tenant as a whole, and have cases of their own.
 */
type OwnedPorts = Omit<
  Store,
  | 'keys'
  | 'sessions'
  | 'close'
  | 'leases'
  | 'amounts'
  | 'audit'
  | 'retain'
  | 'retention'
  | 'secret'
  | 'copyTo'
  | 'check'
  | 'warnings'
  | 'checkLogs'
  | 'maintains'
  | 'ping'
  | 'workers'
  | 'paces'
  | 'assignments'
  | 'isShared'
  | 'idempotency'
> & {
  idempotency: Omit<Store['idempotency'], 'sweep'>;
  leases: Omit<Store['leases'], 'adoptable' | 'offer' | 'watchOffers'>;
  audit: Omit<Store['audit'], 'owners'>;
  retention: Omit<Store['retention'], 'sweep' | 'rewrite' | 'owners' | 'usage'>;
};
type Calls = {
  readonly [Port in keyof OwnedPorts]: {
    readonly [Method in Exclude<keyof OwnedPorts[Port], 'watch' | 'watchAll' | 'create'>]: (
      owner: Owner,
      runId: RunId,
    ) => Promise<unknown>;
  };
};

function callsOf(store: Store, token: number): Calls {
  const lease = (owner: Owner, runId: RunId): Lease => ({ runId, owner, token, runNo: 1, lostDrives: 0 });
  return {
    runs: {
      get: (owner, runId) => store.runs.get(owner, runId),
      head: (owner, runId) => store.runs.head(owner, runId),
      list: (owner) => store.runs.list(owner, { limit: 9 }),
      count: (owner) => store.runs.count(owner),
      request: (owner, runId) =>
        store.runs.request(owner, runId, { from: ['running'], status: 'failed', control: null }),
    },
    work: {
      open: (owner, runId) =>
        store.work.open(lease(owner, runId), { firstUnit: 0, units: 1, hasSealed: false, slots: [1] }),
      find: (owner, runId) => store.work.find(lease(owner, runId)),
      grant: (owner, runId) => store.work.grant(lease(owner, runId), [1]),
      drain: (owner, runId) => store.work.drain(lease(owner, runId)),
      end: (owner, runId) => store.work.end(lease(owner, runId)),
      news: (owner, runId) => store.work.news(lease(owner, runId), token, -1),
      sealed: (owner, runId) => store.work.sealed(lease(owner, runId), [[0, 9]]),
    },
    leases: {
      take: (owner, runId) => store.leases.take(owner, runId, 1_000),
      renew: (owner, runId) => store.leases.renew(lease(owner, runId), 1_000_000),
      release: (owner, runId) => store.leases.release(lease(owner, runId)),
    },
    log: {
      seal: (owner, runId) => store.log.seal({ owner, runId }, [record(7)]),
      append: (owner, runId) => store.log.append(lease(owner, runId), endingCommit(4)),
      commit: (owner, runId) =>
        store.log.commit(lease(owner, runId), {
          ...endingCommit(4),
          seals: [record(7)],
          deployments: deployments(2),
          audit: [auditEntry()],
        }),
      read: (owner, runId) => store.log.read(owner, runId, -1, 100),
      last: (owner, runId) => store.log.last(owner, runId),
      results: (owner, runId) => store.log.results(owner, runId, 0, 9),
      failures: (owner, runId) => store.log.failures(owner, runId, 0, 9),
      resultsAt: (owner, runId) => store.log.resultsAt(owner, runId, [0]),
      pending: (owner, runId) => store.log.pending(owner, runId),
      appended: (owner, runId) => store.log.appended(owner, runId),
      records: (owner, runId) => store.log.records(owner, runId, 0),
      scores: (owner, runId) => store.log.scores(owner, runId, 0),
      entries: (owner, runId) => store.log.entries(owner, runId, 0, 100),
    },
    outcomes: {
      get: (owner, runId) => store.outcomes.get(owner, runId),
      keep: (owner, runId) =>
        store.outcomes.keep(owner, runId, { outcomes: '', figures: { interval: [0, 1] } }),
    },
    ledger: {
      record: (owner, runId) => store.ledger.record(owner, runId, [USAGE]),
      total: (owner, runId) => store.ledger.total(owner, runId),
    },
    suites: {
      put: async () => undefined,
      get: (owner) => store.suites.get(owner, suiteId, version),
      byDigest: (owner) => store.suites.byDigest(owner, digest),
      versions: (owner) => store.suites.versions(owner, suiteId),
      list: (owner) => store.suites.list(owner, 9),
      tasks: (owner) => store.suites.tasks(owner, digest, 0, 9),
      ordinalOf: (owner) => store.suites.ordinalOf(owner, digest, taskName(0)),
      attach: async () => undefined,
      putOnce: async () => undefined,
      detach: async () => undefined,
      contractOf: (owner) => store.suites.contractOf(owner, digest),
      contract: (owner) => store.suites.contract(owner, asId('sha256:c')),
      sign: async () => undefined,
      signature: (owner) => store.suites.signature(owner, digest),
    },
    judges: {
      install: async () => undefined,
      replace: async () => undefined,
      get: (owner) => store.judges.get(owner, 'j', version),
      list: (owner) => store.judges.list(owner),
      byDigest: (owner) => store.judges.byDigest(owner, digest),
    },
    calibrations: {
      add: async () => undefined,
      list: (owner) => store.calibrations.list(owner, digest, digest),
      get: (owner) => store.calibrations.get(owner, 'cal-1'),
    },
    agents: {
      put: async () => undefined,
      get: (owner) => store.agents.get(owner, asId('a'), asId('1.0.0')),
      versions: (owner) => store.agents.versions(owner, asId('a')),
      list: (owner) => store.agents.list(owner),
    },
    packs: {
      install: async () => undefined,
      replace: async () => undefined,
      get: (owner) => store.packs.get(owner, 'p', version),
      versions: (owner) => store.packs.versions(owner, 'p'),
      list: (owner) => store.packs.list(owner, 9),
      remove: (owner) => store.packs.remove(owner, REMOVAL),
      revoke: async () => undefined,
      withdrawn: (owner) => store.packs.withdrawn(owner, 'revoked', version),
      revoked: (owner) => store.packs.revoked(owner),
    },
    memory: {
      put: async () => undefined,
      snapshot: (owner) => store.memory.snapshot(owner, AGENT.agentId, START, START),
    },
    responses: {
      put: async () => undefined,
      get: (owner) => store.responses.get(owner, QUESTION),
    },
    annotations: {
      add: (owner, runId) => store.annotations.add(owner, annotation('a2', {}, runId)),
      list: (owner, runId) => store.annotations.list(owner, runId),
      labelled: (owner, runId) => store.annotations.labelled(owner, '', { runId }),
    },
    baselines: {
      bless: async () => undefined,
      list: (owner) => store.baselines.list(owner),
      find: (owner) => store.baselines.find(owner, SUBJECT),
      keep: async () => undefined,
      kept: (owner, runId) => store.baselines.kept(owner, runId),
    },
    webhooks: {
      add: async () => undefined,
      remove: (owner) => store.webhooks.remove(owner, 'w1'),
      list: (owner) => store.webhooks.list(owner),
      note: (owner) => store.webhooks.note(owner, 'w1', { failures: 9 }),
    },
    deployments: {
      get: (owner) => store.deployments.get(owner, MOVED.agentId),
      agentIds: (owner) => store.deployments.agentIds(owner),
    },
    audit: {
      append: async () => undefined,
      read: (owner) => store.audit.read(owner, 0, 9),
      list: (owner) => store.audit.list(owner, { order: 'desc', limit: 9 }),
      last: (owner) => store.audit.last(owner),
      keepCheckpoint: async () => undefined,
      checkpoints: (owner) => store.audit.checkpoints(owner, 0, 9),
      lastCheckpoint: (owner) => store.audit.lastCheckpoint(owner),
    },
    retention: {
      remove: (owner, runId) => store.retention.remove(owner, runId, auditEntry()),
      removeBodies: (owner, runId) => store.retention.removeBodies(owner, runId, auditEntry()),
      evidence: (owner) => store.retention.evidence(owner),
    },
    idempotency: {
      claim: async () => undefined,
      keep: (owner) => store.idempotency.keep(owner, { ...CREATE, key: 'open' }, RESPONSE, START),
      drop: (owner) => store.idempotency.drop(owner, { ...CREATE, key: 'open' }),
    },
  };
}

const settle = (work: Promise<unknown>) =>
  work.then(
    (value) => ({ value }),
    (error: Error) => ({ error: error.name, code: (error as { code?: string }).code }),
  );

/** Gives one owner something in every table. */
async function fill(store: Store): Promise<Lease> {
  const { run, lease } = await leasedRun(store, 'r1');
  await commitSteps(store, lease, [0]);
  await store.log.commit(lease, {
    seals: [record(2)],
    firstSequence: 4,
    deployments: MOVED,
    audit: [auditEntry()],
  });
  await store.ledger.record(ACME, run.runId, [USAGE]);
  await store.suites.put(ACME, SUITE, START, { keyId: 'k', envelope: '{}' });
  await store.audit.keepCheckpoint(ACME, { seq: 1, keyId: 'k', head: 'sha256:h', at: START, envelope: '{}' });
  await store.suites.attach(ACME, SUITE.head.digest, pinned('c'), START);
  await store.agents.put(ACME, AGENT, START);
  await store.packs.install(ACME, PACK, START);
  await store.packs.revoke(ACME, { name: 'revoked', version }, START, auditEntry());
  await store.memory.put(ACME, AGENT.agentId, entry('e1'), START);
  await store.responses.put(ACME, QUESTION, body('answer'), START);
  await store.annotations.add(ACME, annotation('a1'));
  await store.baselines.bless(ACME, blessing('r1'));
  await store.baselines.keep(ACME, scorecard('r1'));
  await store.webhooks.add(ACME, webhook('w1'));
  await store.idempotency.claim(ACME, CREATE, claimOf('d1', START));
  await store.idempotency.keep(ACME, CREATE, RESPONSE, START);
  await store.idempotency.claim(ACME, { ...CREATE, key: 'open' }, claimOf('d1', START));
  return lease;
}

/** What the owner can see, to be compared before and after other owners have tried everything. */
async function viewOf(store: Store): Promise<unknown> {
  const calls = callsOf(store, 0);
  const reads = [
    calls.runs.get,
    calls.log.read,
    calls.log.pending,
    calls.log.entries,
    calls.ledger.total,
    calls.suites.list,
    calls.agents.list,
    calls.packs.list,
    calls.packs.withdrawn,
    calls.packs.revoked,
    calls.memory.snapshot,
    calls.responses.get,
    calls.annotations.list,
    calls.baselines.list,
    calls.baselines.find,
    calls.baselines.kept,
    calls.webhooks.list,
    calls.deployments.get,
    calls.audit.read,
  ];
  const claim = (key: string) => store.idempotency.claim(ACME, { ...CREATE, key }, claimOf('d1', START + 1));
  return {
    reads: await Promise.all(reads.map((read) => read(ACME, runIdOf('r1')))),
    claims: [await claim(CREATE.key), await claim('open')],
  };
}

export function ownersCases(open: () => Promise<Store>): void {
  it('to every call, the rows of another owner are as absent as rows that never were', async () => {
    const store = await open();
    const lease = await fill(store);
    const before = await viewOf(store);
    const empty = await open();
    for (const other of OTHER_OWNERS) {
      for (const port of Object.keys(callsOf(store, 0)) as (keyof Calls)[]) {
        const foreign = callsOf(store, lease.token)[port] as Record<string, Calls['runs']['get']>;
        const absent = callsOf(empty, lease.token)[port] as Record<string, Calls['runs']['get']>;
        for (const [method, call] of Object.entries(foreign)) {
          const without = await settle((absent[method] as Calls['runs']['get'])(other, lease.runId));
          expect(await settle(call(other, lease.runId)), `${port}.${method}`).toStrictEqual(without);
        }
      }
    }
    expect(await viewOf(store)).toStrictEqual(before);
    expect(await store.leases.renew(lease, 1_000)).toBe(true);
  });

  it('two owners use the same names side by side', async () => {
    const store = await open();
    const [other] = OTHER_OWNERS as [Owner];
    await fill(store);
    const edited = suite('core.s', '1.0.0', 'd1', []);
    await store.suites.put(other, edited, START);
    expect(await store.agents.put(other, agent('a', '1.0.0', 'd2'), START)).toBe('created');
    const claim = await store.idempotency.claim(other, CREATE, claimOf('d2', START));
    expect(claim).toEqual({ kind: 'claimed', creationId: 'c1' });
    expect(await store.suites.byDigest(other, digest)).toStrictEqual(edited.head);
    expect(await store.suites.byDigest(ACME, digest)).toStrictEqual(SUITE.head);
    expect((await store.agents.list(ACME)).map((found) => found.digest)).toEqual(['d1']);
  });

  it('a lease under a foreign owner writes nothing', async () => {
    const store = await open();
    const { lease } = await leasedRun(store, 'r1');
    const [other] = OTHER_OWNERS as [Owner];
    await expect(store.log.commit({ ...lease, owner: other }, endingCommit(0))).rejects.toBeInstanceOf(
      LeaseLost,
    );
    expect(await store.runs.get(ACME, lease.runId)).toMatchObject({ status: 'pending', eventCount: 0 });
  });

  it('a name that is another name up to a NUL is refused, not taken for it', async () => {
    const store = await open();
    await fill(store);
    const disguised = { tenant: 'acme\u0000x', workspace: 'main' };
    await expect(store.runs.get(disguised, runIdOf('r1'))).rejects.toMatchObject({
      code: 'validation_error',
    });
    await expect(store.agents.put(disguised, agent('a', '9.0.0', 'd'), START)).rejects.toMatchObject({
      code: 'validation_error',
    });
  });
}
