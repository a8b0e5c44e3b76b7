import { type AgentDeployments, asId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import {
  type Commit,
  DeploymentsMoved,
  LeaseLost,
  type Store,
} from '../../../packages/touchstone/src/ports/index.js';
import { auditEntry } from './audit-cases.js';
import { ACME, endingCommit, events, leasedRun, OTHER_OWNERS, refusalOf, START, started } from './givens.js';

export const deployments = (
  revision: number,
  state: AgentDeployments['versions'][number]['state'] = 'test',
  agentId = 'local.acme.support',
): AgentDeployments => ({
  agentId: asId(agentId),
  revision,
  versions: [{ version: asId('1.0.0'), state, digest: asId('sha256:agent') }],
  channels: state === 'active' ? { stable: [asId('1.0.0')] } : {},
});

/** A move as the end of its run: what serves, the events that say so, and the audit record. */
export const moving = (next: AgentDeployments): Commit => ({
  ...endingCommit(0),
  entries: [events(started())],
  deployments: next,
  audit: [auditEntry()],
});

const AGENT = deployments(1).agentId;

export function deploymentsCases(open: () => Promise<Store>): void {
  it('what serves is what the latest commit says, and nothing before the first', async () => {
    const store = await open();
    expect(await store.deployments.get(ACME, AGENT)).toBeUndefined();
    for (const next of [deployments(1), deployments(2, 'staged'), deployments(3, 'active')]) {
      const { lease } = await leasedRun(store, `r${next.revision}`);
      await store.log.commit(lease, moving(next));
      expect(await store.deployments.get(ACME, AGENT)).toStrictEqual(next);
    }
    expect(await store.deployments.get(ACME, asId('other'))).toBeUndefined();
  });

  it('agents and owners move without each other', async () => {
    const store = await open();
    const other = deployments(1, 'staged', 'other');
    const [otherOwner = ACME] = OTHER_OWNERS;
    const foreign = deployments(1, 'paused');
    await store.log.commit((await leasedRun(store, 'r1')).lease, moving(deployments(1)));
    await store.log.commit((await leasedRun(store, 'r2')).lease, moving(other));
    await store.log.commit((await leasedRun(store, 'r3', { owner: otherOwner })).lease, moving(foreign));
    expect(await store.deployments.get(ACME, AGENT)).toStrictEqual(deployments(1));
    expect(await store.deployments.get(ACME, other.agentId)).toStrictEqual(other);
    expect(await store.deployments.get(otherOwner, AGENT)).toStrictEqual(foreign);
    expect(await store.deployments.agentIds(ACME)).toEqual([AGENT, other.agentId]);
    expect(await store.deployments.agentIds(otherOwner)).toEqual([AGENT]);
  });

  it.each([
    ['the same revision again', 2],
    ['an older one', 1],
    ['one that skips a change', 4],
  ])('a change decided on another picture leaves nothing: %s', async (_, revision) => {
    const store = await open();
    for (const next of [deployments(1), deployments(2, 'staged')])
      await store.log.commit((await leasedRun(store, `r${next.revision}`)).lease, moving(next));
    const { run, lease } = await leasedRun(store, 'late');
    const refusal = await refusalOf(store.log.commit(lease, moving(deployments(revision, 'active'))));
    expect(refusal).toBeInstanceOf(DeploymentsMoved);
    expect(await store.deployments.get(ACME, AGENT)).toStrictEqual(deployments(2, 'staged'));
    expect(await store.log.read(ACME, run.runId, -1, 9)).toEqual([]);
    expect(await store.runs.get(ACME, run.runId)).toMatchObject({ status: 'pending', eventCount: 0 });
    expect(await store.audit.read(ACME, 0, 9)).toHaveLength(2);
    // The run is still its driver's, who can say in the log how it ended.
    await store.log.commit(lease, endingCommit(0, 'failed'));
  });

  it('a first change is number one', async () => {
    const store = await open();
    const { lease } = await leasedRun(store, 'r1');
    const refusal = await refusalOf(store.log.commit(lease, moving(deployments(2))));
    expect(refusal).toBeInstanceOf(DeploymentsMoved);
    expect(await store.deployments.get(ACME, AGENT)).toBeUndefined();
  });

  it('a driver that has lost its run moves nothing, and is told of the lease whatever else is wrong', async () => {
    const store = await open();
    const { lease } = await leasedRun(store, 'r1');
    await store.leases.release(lease);
    for (const revision of [1, 7]) {
      const refusal = await refusalOf(store.log.commit(lease, moving(deployments(revision))));
      expect(refusal).toBeInstanceOf(LeaseLost);
    }
    expect(await store.deployments.get(ACME, AGENT)).toBeUndefined();
    expect(await store.audit.last(ACME)).toBeUndefined();
  });

  it('a move together with sealed work is one step', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    await store.log.commit(lease, { ...moving(deployments(1)), run: { waitUntil: START + 5 } });
    expect(await store.runs.get(ACME, run.runId)).toMatchObject({ waitUntil: START + 5, eventCount: 1 });
    const broken: Commit = {
      entries: [{ kind: 'step', ordinal: 0, repeats: 1, eventCount: 2, at: START }],
      firstSequence: 1,
      deployments: deployments(2),
    };
    expect(await refusalOf(store.log.commit(lease, broken))).toMatchObject({ code: 'internal_error' });
    expect(await store.deployments.get(ACME, AGENT)).toStrictEqual(deployments(1));
  });
}
