import { type AuditEntry, asId, type Digest, type RunId } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import { expect, it } from 'vitest';
import type { Store, TaskRecord } from '../../../packages/touchstone/src/ports/index.js';
import { annotation } from './annotations-cases.js';
import { auditEntry, verifiedChain } from './audit-cases.js';
import { blessing } from './baselines-cases.js';
import { deployments, moving } from './deployments-cases.js';
import {
  ACME,
  body,
  commitSteps,
  createRun,
  decided,
  endingCommit,
  leasedRun,
  OTHER_OWNERS,
  record,
  START,
  step,
  taskName,
} from './givens.js';

const SECRET = 'SECRET-CONTENT';
const USAGE = { provider: asId<never>('p'), model: asId<never>('m'), inputTokens: 1, outputTokens: 1 };
const note = (runId: RunId): AuditEntry =>
  auditEntry({ action: asId('runs:delete'), resource: asId(`runs/${runId}`), runId });

/** An ended run with rows in every table that a run has. */
async function endedRun(store: Store, name: string, tasks = 3): Promise<RunId> {
  const { run, lease } = await leasedRun(store, name, { request: { inputs: body({ SECRET }), tags: ['t'] } });
  const ordinals = Array.from({ length: tasks }, (_, ordinal) => ordinal);
  const next = await commitSteps(store, lease, ordinals);
  await store.ledger.record(ACME, run.runId, [{ ...USAGE, costUsd: 0.5 }]);
  await store.annotations.add(ACME, annotation('a1', {}, run.runId));
  await store.log.commit(lease, endingCommit(next));
  await store.leases.release(lease);
  return run.runId;
}

async function sweepAll(store: Store): Promise<number> {
  let steps = 0;
  while (await store.retention.sweep()) steps += 1;
  return steps;
}

async function isAbsent(store: Store, runId: RunId): Promise<void> {
  expect(await store.runs.get(ACME, runId)).toBeUndefined();
  expect((await store.runs.list(ACME, { limit: 99 })).items.map((run) => run.runId)).not.toContain(runId);
  expect(await store.log.read(ACME, runId, -1, 99)).toEqual([]);
  expect(await store.log.records(ACME, runId, 0)).toEqual([]);
  expect(await store.log.results(ACME, runId, 0, 9)).toEqual([]);
  expect(await store.annotations.list(ACME, runId)).toEqual([]);
  expect(await store.ledger.total(ACME, runId)).toEqual({ usd: 0, unpriced: 0 });
}

const worded = (ordinal: number): TaskRecord => ({
  ...record(ordinal, 0, [decided(taskName(ordinal), SECRET), decided(taskName(ordinal), SECRET, 0)]),
  bodies: { reason: SECRET, criteria: [{ met: true, reason: SECRET }] },
});

export function retentionCases(open: () => Promise<Store>): void {
  it('a run that an unfinished run reads stays until that one has ended', async () => {
    const store = await open();
    const source = await endedRun(store, 'source');
    const { run, lease } = await leasedRun(store, 'reader');
    await store.log.commit(lease, endingCommit(0));
    await store.leases.release(lease);
    const fork = { runId: source, fromSeq: 0, mode: 'replay' };
    const reader = await leasedRun(store, 'fork', { plan: { ...run.plan, fork } as never });
    expect(await store.retention.remove(ACME, source, note(source))).toBe(false);
    expect(await store.retention.removeBodies(ACME, source, note(source))).toBe(false);
    await store.log.commit(reader.lease, endingCommit(0));
    expect(await store.retention.remove(ACME, source, note(source))).toBe(true);
  });

  it('a removed run is absent at once and after its rows are gone, and others keep theirs', async () => {
    const store = await open();
    const [gone, stays] = [await endedRun(store, 'r1', 200), await endedRun(store, 'r2')];
    const before = await store.log.read(ACME, stays, -1, 99);
    const page = await store.log.results(ACME, gone, 0, 9);
    expect(await store.retention.remove(ACME, gone, note(gone))).toBe(true);
    await isAbsent(store, gone);
    expect(page).toHaveLength(9);
    expect(await store.retention.remove(ACME, gone, note(gone))).toBe(false);
    // A run that is made while rows of the removed one are still there gets none of them.
    const fresh = await createRun(store, 'r3');
    expect(await sweepAll(store)).toBeGreaterThan(3);
    await isAbsent(store, gone);
    expect(await store.log.read(ACME, fresh.runId, -1, 99)).toEqual([]);
    expect(await store.log.read(ACME, stays, -1, 99)).toEqual(before);
    expect(await verifiedChain(store.audit, ACME)).toMatchObject([{ action: 'runs:delete', runId: gone }]);
  });

  it('removing the newest run gives its number to the next one without its rows', async () => {
    const store = await open();
    const gone = await endedRun(store, 'r1');
    await store.retention.remove(ACME, gone, note(gone));
    await sweepAll(store);
    const again = await endedRun(store, 'r1');
    expect(await store.log.read(ACME, again, -1, 99)).toHaveLength(11);
  });

  it('neither an unfinished run nor a foreign one is removed, and nothing is recorded of it', async () => {
    const store = await open();
    const ended = await endedRun(store, 'r1');
    const { run } = await leasedRun(store, 'r2');
    for (const owner of OTHER_OWNERS)
      expect(await store.retention.remove(owner, ended, note(ended))).toBe(false);
    for (const removal of [store.retention.remove, store.retention.removeBodies])
      expect(await removal(ACME, run.runId, note(run.runId))).toBe(false);
    expect(await store.audit.last(ACME)).toBeUndefined();
    expect(await store.runs.get(ACME, ended)).toBeDefined();
  });

  it('a blessed run and the proof of a deployment stay, whatever a caller has read before', async () => {
    const store = await open();
    const [blessed, proof] = [await endedRun(store, 'r1'), await endedRun(store, 'r2')];
    await store.baselines.bless(ACME, blessing('r1'));
    const { lease } = await leasedRun(store, 'r3');
    const next = deployments(1, 'active');
    const versions = next.versions.map((version) => ({ ...version, evalRunId: proof }));
    await store.log.commit(lease, moving({ ...next, versions }));
    for (const runId of [blessed, proof]) {
      expect(await store.retention.remove(ACME, runId, note(runId))).toBe(false);
      expect(await store.retention.removeBodies(ACME, runId, note(runId))).toBe(false);
    }
    expect(await store.retention.evidence(ACME)).toEqual([
      { runId: proof, agent: 'local.acme.support@1.0.0' },
    ]);
    for (const owner of OTHER_OWNERS) expect(await store.retention.evidence(owner)).toEqual([]);
  });

  it('a removed run is not blessed, whatever a caller has read before', async () => {
    const store = await open();
    const runId = await endedRun(store, 'r1');
    expect(await store.retention.remove(ACME, runId, note(runId))).toBe(true);
    expect(await store.baselines.bless(ACME, blessing('r1'))).toBe(false);
    expect(await store.baselines.list(ACME)).toEqual([]);
  });

  it('without its bodies a run keeps scores and events, and no word of content, before the sweep and after', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1', {
      request: { inputs: body({ SECRET }), tags: ['t'] },
    });
    const payload = { workflowId: 'w', inputs: body({ SECRET }) };
    const opening: NewEvent = { type: 'run.started', at: START, payload };
    await store.log.commit(lease, {
      entries: [{ kind: 'events', events: [opening] }],
      firstSequence: 0,
      run: { status: 'running' },
    });
    let next = 1;
    for (let ordinal = 0; ordinal < 100; ordinal += 1) {
      const commit = { seals: [worded(ordinal)], entries: [step(ordinal)], firstSequence: next };
      await store.log.commit(lease, commit);
      next += 3;
    }
    await store.log.commit(lease, endingCommit(next));
    const [events, results] = [
      await store.log.read(ACME, run.runId, -1, 999),
      await store.log.results(ACME, run.runId, 0, 999),
    ];
    expect(JSON.stringify(events)).toContain(SECRET);
    const digest = asId<Digest>('sha256:as-it-was');
    expect(await store.retention.removeBodies(ACME, run.runId, note(run.runId), digest)).toBe(true);
    // The second time there is nothing to remove, and the digest of what was there stays.
    expect(await store.retention.removeBodies(ACME, run.runId, note(run.runId))).toBe(false);

    const check = async () => {
      const left = await store.log.read(ACME, run.runId, -1, 999);
      const records = await store.log.records(ACME, run.runId, 99);
      const row = await store.runs.get(ACME, run.runId);
      expect(JSON.stringify([left, records, row])).not.toContain(SECRET);
      expect(left.map(({ eventId, type }) => [eventId, type])).toEqual(
        events.map(({ eventId, type }) => [eventId, type]),
      );
      expect(records).toMatchObject([{ ordinal: 99, score: worded(99).score }]);
      expect(row).toMatchObject({ bodiesRemovedAt: START, logDigest: digest, request: { tags: ['t'] } });
      expect(await store.log.results(ACME, run.runId, 0, 999)).toEqual(results);
    };
    await check();
    expect(await sweepAll(store)).toBeGreaterThan(2);
    await check();
    expect(JSON.stringify(await store.log.entries(ACME, run.runId, 0, 999))).not.toContain(SECRET);
    expect(await store.retention.remove(ACME, run.runId, note(run.runId))).toBe(true);
    await sweepAll(store);
    await isAbsent(store, run.runId);
  });

  it('usage counts the runs, cost and size of each owner, and removed runs no longer', async () => {
    const store = await open();
    expect(await store.retention.usage()).toEqual([]);
    const gone = await endedRun(store, 'r1');
    await endedRun(store, 'r2');
    await createRun(store, 'r3', { createdAt: START + 9 });
    const [other = ACME] = OTHER_OWNERS;
    await createRun(store, 'r4', { owner: other });
    const before = await store.retention.usage();
    expect(before).toMatchObject([
      { owner: other, runs: 1, unfinished: 1, costUsd: 0, bytes: 0 },
      { owner: ACME, runs: 3, unfinished: 1, costUsd: 1, oldestAt: START, newestAt: START + 9 },
    ]);
    expect(before[1]?.bytes).toBeGreaterThan(500);
    expect(await store.retention.owners()).toEqual([other, ACME]);
    await store.retention.remove(ACME, gone, note(gone));
    const after = await store.retention.usage();
    expect(after).toMatchObject([{ runs: 1 }, { runs: 2, costUsd: 0.5 }]);
    expect(after[1]?.bytes).toBe((before[1]?.bytes ?? 0) / 2);
  });
}
