import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT,
  activate,
  answer,
  askPeople,
  auditOf,
  deploymentEvents,
  expectSoundAudit,
  keyOf,
  logOf,
  managementRuns,
  move,
  openDeploymentHost,
  recordsOf,
  SIDE_KEY,
  stage,
} from './deployment-host.js';
import { readJson } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import type { WholeHost } from './whole-host.js';

// Goal: what serves, who moved it and who has to agree is each owner's own, also where the agent is everybody's. Method:
// one agent of the host's, and owners who move it in different ways at the same time.

let host: WholeHost;
beforeAll(async () => {
  const gates = [
    {
      gateId: 'acme-board',
      agentId: '*',
      to: 'active',
      tenant: 'acme',
      approval: { requiredRole: 'approver' },
    },
  ];
  host = await openDeploymentHost({ gates });
});
afterAll(() => host.close());

const run = (key: string, reference: string) =>
  readJson(host, '/v1/runs', { method: 'POST', key, body: { agentId: reference, inputs: { who: true } } });
const statesOf = async (key: string) => (await recordsOf(host, AGENT, key)).map(({ state }) => state);

describe('an agent of the host’s', () => {
  let moved: string;
  beforeAll(async () => {
    await stage(host, '1.0.0');
    moved = await askPeople(host, '1.0.0', { channel: 'stable' });
  });

  it('is moved by each owner for itself', async () => {
    expect(await statesOf(OTHER_KEY)).toEqual(['draft', 'draft', 'draft']);
    expect(await statesOf(SIDE_KEY)).toEqual(['draft', 'draft', 'draft']);
    // The gate is acme's; nobody is asked elsewhere.
    await activate(host, '2.0.0', { key: OTHER_KEY, channel: 'stable' });
    expect(await statesOf(OTHER_KEY)).toEqual(['draft', 'active', 'draft']);
    expect(await statesOf(KEY)).toEqual(['staged', 'draft', 'draft']);
    expect(await run(OTHER_KEY, `${AGENT}@stable`)).toMatchObject({ status: 201 });
    for (const key of [KEY, SIDE_KEY])
      expect(await run(key, `${AGENT}@stable`)).toMatchObject({
        status: 400,
        body: { error: 'no_active_deployment' },
      });
  });

  it('has a gate in every workspace of the tenant that the gate is for', async () => {
    await stage(host, '3.0.0', { key: SIDE_KEY });
    const asked = await move(host, '3.0.0', { key: SIDE_KEY, toState: 'active' });
    expect(asked).toMatchObject({ status: 202 });
    // People of the main workspace do not exist in this one.
    expect(await answer(host, asked.runId as string, 'ann')).toMatchObject({ status: 404 });
    expect(await statesOf(SIDE_KEY)).toEqual(['draft', 'draft', 'staged']);
  });

  it('is moved in runs that no other owner can see, answer, stop, copy or offer as proof', async () => {
    for (const key of [OTHER_KEY, SIDE_KEY]) {
      const absent = async (method: string, path: (runId: string) => string, body?: object) => {
        const ask = (runId: string) =>
          readJson(host, path(runId), { method, key, ...(body !== undefined && { body }) });
        const [foreign, nobodys] = [await ask(moved), await ask('run-of-nobody')];
        expect(foreign.status).toBe(404);
        expect(JSON.stringify(foreign).replaceAll(moved, 'run-of-nobody')).toEqual(JSON.stringify(nobodys));
      };
      await absent('GET', (runId) => `/v1/runs/${runId}`);
      await absent('GET', (runId) => `/v1/runs/${runId}/events`);
      await absent('GET', (runId) => `/v1/runs/${runId}/events/poll?timeout=1`);
      await absent('GET', (runId) => `/v1/runs/${runId}/debug-bundle`);
      await absent('POST', (runId) => `/v1/runs/${runId}/cancel`, {});
      await absent('POST', (runId) => `/v1/runs/${runId}:fork`, { mode: 'replay' });
      await absent('POST', (runId) => `/v1/runs/${runId}/interrupts/approval`, {
        resumeValue: { decision: 'granted' },
      });
      await absent('POST', (runId) => `/v1/host/touchstone/runs/${runId}/interrupts/approval/tokens`, {});
      expect((await managementRuns(host, 200, key)).map(({ runId }) => runId)).not.toContain(moved);
      expect(await move(host, '1.0.0', { key, evalRunId: moved })).toMatchObject({
        status: 403,
        body: { details: { reason: 'not_found' } },
      });
    }
    expect(deploymentEvents(await logOf(host, moved))).toEqual([]);
    expect(await answer(host, moved, 'ann')).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await statesOf(KEY)).toEqual(['active', 'draft', 'draft']);
    expect(await statesOf(OTHER_KEY)).toEqual(['draft', 'active', 'draft']);
  });

  it('leaves its traces in the chain of whoever moved it', async () => {
    const [acme, globex, side] = await Promise.all(
      [KEY, OTHER_KEY, SIDE_KEY].map((key) => auditOf(host, 0, key)),
    );
    for (const [chain, key] of [
      [acme, KEY],
      [globex, OTHER_KEY],
      [side, SIDE_KEY],
    ] as const) {
      expect(chain?.[0]).toMatchObject({ seq: 1, previous: `sha256:${'0'.repeat(64)}` });
      expect(await expectSoundAudit(host, key)).toBe(chain?.length);
    }
    expect(JSON.stringify(globex)).not.toContain('lead');
    expect(JSON.stringify([acme, side])).not.toContain('stranger');
    expect(JSON.stringify([globex, side])).not.toContain(moved);
    const heads = [acme, globex, side].map((chain) => chain?.at(-1)?.digest);
    expect(new Set(heads).size).toBe(3);
  });

  it('leaves traces that only those may read who may', async () => {
    for (const path of ['/v1/host/touchstone/audit', '/v1/audit/verify'])
      for (const by of ['releaser', 'ann', 'reader'] as const)
        expect(await readJson(host, path, { key: keyOf(by) })).toMatchObject({
          status: 403,
          body: { details: { scopeRequired: 'audit:read' } },
        });
  });
});
