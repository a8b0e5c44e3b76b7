import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import {
  answer,
  auditOf,
  keyOf,
  logOf,
  type Person,
  startDeploymentHost,
  statusOf,
  suspendedRun,
  typesOf,
  untilStatus,
} from './deployment-host.js';
import { payloadsOf, readJson } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import { command, diffOf, fork } from './run-host.js';
import type { WholeHost } from './whole-host.js';

// Goal: what the interrupt profiles of the protocol ask for, on the workflows that its conformance suite runs. Method: what
// that suite does, and then what it leaves out: who may, what is recorded, and what a replay does.

const auditOfRun = async (host: WholeHost, runId: string) =>
  (await auditOf(host)).filter((item) => item.runId === runId);

it('the profiles are advertised by their workflows, whose definitions say what they ask for', async () => {
  const host = await startDeploymentHost();
  const { body } = await readJson(host, '/.well-known/openwop', { key: null });
  for (const [workflowId, config] of Object.entries({
    'conformance-interrupt-quorum': { requiredApprovals: 3, rejectionPolicy: 'majority' },
    'conformance-interrupt-auth-required': { authRequired: true },
    'conformance-interrupt-external-event': { kind: 'external-event', timeoutMs: 60_000 },
  })) {
    expect(body.fixtures).toContain(workflowId);
    const { body: definition } = await readJson(host, `/v1/workflows/${workflowId}`);
    expect(definition).toMatchObject({ id: workflowId, nodes: [{ config }] });
  }
});

describe('conformance-interrupt-quorum', () => {
  const begin = (host: WholeHost) =>
    suspendedRun(host, { workflowId: 'conformance-interrupt-quorum', status: 'waiting-approval' });
  const vote = (host: WholeHost, runId: string, value: object, by: Person = 'lead') =>
    answer(host, runId, by, value, { nodeId: 'gate' });

  it('goes on with the third vote for, and no sooner', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    for (const voter of ['approver-1', 'approver-2']) {
      expect(await vote(host, runId, { action: 'accept', voter })).toMatchObject({
        status: 200,
        body: { status: 'waiting-approval' },
      });
      expect(await statusOf(host, runId)).toBe('waiting-approval');
    }
    expect(await vote(host, runId, { action: 'accept', voter: 'approver-3' })).toMatchObject({ status: 200 });
    await untilStatus(host, runId, 'completed');
    const events = await logOf(host, runId);
    expect(typesOf(events).slice(4)).toEqual([
      ...Array(3).fill('approval.received'),
      'interrupt.resolved',
      'node.completed',
      'run.completed',
    ]);
    expect(payloadsOf(events, 'interrupt.requested')).toMatchObject([
      { kind: 'approval', data: { requiredApprovals: 3, rejectionPolicy: 'majority' } },
    ]);
    expect(payloadsOf(events, 'approval.received').map(({ decidedBy }) => decidedBy)).toEqual([
      'approver-1',
      'approver-2',
      'approver-3',
    ]);
    // Who named the voter is on record, too.
    expect(await auditOfRun(host, runId)).toMatchObject(Array(3).fill({ principal: 'lead', allowed: true }));
  });

  it('fails with the second vote against, which is the majority of three', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    await vote(host, runId, { action: 'accept', voter: 'approver-0' });
    await vote(host, runId, { action: 'reject', voter: 'approver-1' });
    expect(await statusOf(host, runId)).toBe('waiting-approval');
    expect(typesOf(await logOf(host, runId))).not.toContain('interrupt.resolved');
    await vote(host, runId, { action: 'reject', voter: 'approver-2' });
    await untilStatus(host, runId, 'failed');
    const { body } = await readJson(host, `/v1/runs/${runId}`);
    expect(body).toMatchObject({ error: { code: 'approval_rejected' } });
    expect(await vote(host, runId, { action: 'accept', voter: 'approver-3' })).toMatchObject({ status: 409 });
  });

  it('counts a voter once, however often the vote is sent, and lets nobody change it', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    for (let sent = 0; sent < 4; sent++)
      expect(await vote(host, runId, { action: 'accept', voter: 'approver-1' })).toMatchObject({
        status: 200,
      });
    expect(await vote(host, runId, { action: 'reject', voter: 'approver-1' })).toMatchObject({ status: 409 });
    expect(await statusOf(host, runId)).toBe('waiting-approval');
    expect(payloadsOf(await logOf(host, runId), 'approval.received')).toHaveLength(1);
    expect(await auditOfRun(host, runId)).toHaveLength(4);
  });

  it('counts whoever answers where no voter is named', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    for (const by of ['ann', 'ann', 'ben', 'cem'] as const)
      expect(await vote(host, runId, { action: 'accept' }, by)).toMatchObject({ status: 200 });
    await untilStatus(host, runId, 'completed');
  });

  it('refuses a voter that is no name', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    for (const voter of ['', 7, null, {}, 'x'.repeat(300)])
      expect(await vote(host, runId, { action: 'accept', voter })).toMatchObject({
        status: 400,
        body: { error: 'INVALID_RESUME_VALUE', details: { issues: [{ pointer: '/resumeValue/voter' }] } },
      });
    expect(payloadsOf(await logOf(host, runId), 'approval.received')).toEqual([]);
  });
});

describe('conformance-interrupt-external-event', () => {
  const MATCH = { orderId: 'fixture-order-1', status: 'completed' };
  const begin = (host: WholeHost) =>
    suspendedRun(host, { workflowId: 'conformance-interrupt-external-event', status: 'waiting-external' });
  type Waiting = { readonly interruptToken: string; readonly callbackUrl: string };
  async function waitingFor(host: WholeHost, runId: string, key = KEY): Promise<Waiting | undefined> {
    const { body } = await readJson(host, `/v1/runs/${runId}`, { key });
    return body.interrupt as Waiting | undefined;
  }
  const send = (host: WholeHost, token: string, resumeValue: unknown) =>
    readJson(host, `/v1/interrupts/${encodeURIComponent(token)}`, {
      method: 'POST',
      key: null,
      body: { resumeValue },
    });

  it('goes on when the event that it waits for is sent to its callback', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    const { interruptToken: token, callbackUrl } = (await waitingFor(host, runId)) as Waiting;
    expect(callbackUrl).toBe(`${host.url}/v1/interrupts/${token}`);
    const value = { ...MATCH, externalReference: 'conformance-test-123' };
    expect(await send(host, token, value)).toMatchObject({ status: 200 });
    await untilStatus(host, runId, 'completed');
    const events = await logOf(host, runId);
    expect(typesOf(events)).toEqual([
      'run.started',
      'node.started',
      'interrupt.requested',
      'node.suspended',
      'interrupt.resolved',
      'node.completed',
      'run.completed',
    ]);
    expect(payloadsOf(events, 'interrupt.requested')).toMatchObject([
      { kind: 'external-event', data: { correlation: MATCH }, timeoutMs: 60_000 },
    ]);
    expect(payloadsOf(events, 'interrupt.resolved')).toMatchObject([{ resumeValue: value }]);
    expect(await send(host, token, value)).toMatchObject({
      status: 409,
      body: { error: 'interrupt_already_resolved' },
    });
    expect(await waitingFor(host, runId)).toBeUndefined();
    expect(host.logs.join('')).not.toContain(token);
  });

  it('goes on waiting when another event comes', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    const { interruptToken: token } = (await waitingFor(host, runId)) as Waiting;
    const others = [{}, null, 'x', { ...MATCH, orderId: 'different-order' }, { orderId: MATCH.orderId }];
    for (const value of others)
      expect(await send(host, token, value)).toMatchObject({
        status: 400,
        body: { error: 'INVALID_RESUME_VALUE' },
      });
    expect(await statusOf(host, runId)).toBe('waiting-external');
  });

  it('keeps what looks like a secret in the event out of the log', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    const { interruptToken: token } = (await waitingFor(host, runId)) as Waiting;
    await send(host, token, { ...MATCH, note: `cred${'_'}of-a-tenant-that-is-not-yours` });
    await untilStatus(host, runId, 'completed');
    expect(payloadsOf(await logOf(host, runId), 'interrupt.resolved')).toMatchObject([
      { resumeValue: { ...MATCH, note: '[REDACTED]' } },
    ]);
  });

  it('shows its callback to those who may answer, the same one each time', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    expect(await waitingFor(host, runId)).toEqual(await waitingFor(host, runId));
    expect(await waitingFor(host, runId, keyOf('reader'))).toBeUndefined();
    expect(await waitingFor(host, runId, OTHER_KEY)).toBeUndefined();
    const { body } = await readJson(host, '/v1/host/touchstone/runs');
    expect(JSON.stringify(body)).not.toContain('interruptToken');
  });

  it('fails when the event does not come in time', async () => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const host = await startDeploymentHost({ host: { clock } });
    const runId = await begin(host);
    const { interruptToken: token } = (await waitingFor(host, runId)) as Waiting;
    aheadMs = 61_000;
    expect(await send(host, token, MATCH)).toMatchObject({ status: 410 });
    const late = await answer(host, runId, 'lead', MATCH, { nodeId: 'wait-for-event' });
    expect(late).toMatchObject({ status: 409 });
    await untilStatus(host, runId, 'failed');
    const { body } = await readJson(host, `/v1/runs/${runId}`);
    expect(body).toMatchObject({ error: { code: 'interrupt_timeout' } });
  });
});

describe('conformance-interrupt-auth-required', () => {
  const begin = (host: WholeHost) =>
    suspendedRun(host, { workflowId: 'conformance-interrupt-auth-required', status: 'waiting-approval' });

  it('is answered with a key that may answer, and with nothing else', async () => {
    const host = await startDeploymentHost();
    const runId = await begin(host);
    const url = `/v1/runs/${runId}/interrupts/gate`;
    const body = { resumeValue: { action: 'accept' } };
    expect((await host.fetch(url, { method: 'POST', body, key: null })).status).toBe(401);
    expect((await host.fetch(url, { method: 'POST', body, key: keyOf('reader') })).status).toBe(403);
    expect((await host.fetch(url, { method: 'POST', body, key: OTHER_KEY })).status).toBe(404);
    for (const intent of ['resolve', 'inspect'])
      expect(
        await readJson(host, `/v1/host/touchstone/runs/${runId}/interrupts/gate/tokens`, {
          method: 'POST',
          body: { intent },
        }),
      ).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    const { body: waiting } = await readJson(host, `/v1/runs/${runId}`);
    expect(waiting).not.toHaveProperty('interrupt');
    expect((await host.fetch(url, { method: 'POST', body, key: keyOf('ann') })).status).toBe(200);
    await untilStatus(host, runId, 'completed');
  });
});

it.each([
  ['conformance-interrupt-quorum', 'waiting-approval'],
  ['conformance-interrupt-external-event', 'waiting-external'],
  ['conformance-interrupt-auth-required', 'waiting-approval'],
])('%s can be cancelled, and what it wrote fits the protocol and replays', async (workflowId, status) => {
  const host = await startDeploymentHost();
  const runId = await suspendedRun(host, { workflowId, status });
  expect(await command(host, `/v1/runs/${runId}/cancel`)).toMatchObject({ status: 200 });
  await untilStatus(host, runId, 'cancelled');
  const events = await logOf(host, runId);
  const replay = (await fork(host, runId, { mode: 'replay' })).body.runId as string;
  await untilStatus(host, replay, 'cancelled');
  expect(typesOf(await logOf(host, replay))).toEqual(typesOf(events));
});

describe('conformance-interrupt-parent-child-cancel', () => {
  const PARENT = 'conformance-interrupt-parent-child-cancel';
  type Snapshot = { readonly childRuns?: readonly { readonly runId: string; readonly status: string }[] };
  const childOf = async (host: WholeHost, runId: string) =>
    ((await readJson(host, `/v1/runs/${runId}`)).body as Snapshot).childRuns?.[0];
  async function begin(host: WholeHost): Promise<{ parent: string; child: string }> {
    const parent = await suspendedRun(host, { workflowId: PARENT, status: 'waiting-approval' });
    const { runId: child = '' } = (await childOf(host, parent)) ?? {};
    await untilStatus(host, child, 'waiting-approval');
    return { parent, child };
  }
  const resolve = (host: WholeHost, runId: string, nodeId: string, action = 'accept') =>
    answer(host, runId, 'lead', { action } as never, { nodeId });
  const endOf = async (host: WholeHost, runId: string) => (await logOf(host, runId)).at(-1);

  it('takes its child along when it is cancelled, and the question of the child is gone', async () => {
    const host = await startDeploymentHost();
    const { parent, child } = await begin(host);
    const link = await readJson(host, `/v1/host/touchstone/runs/${child}/interrupts/child-gate/tokens`, {
      method: 'POST',
      body: {},
    });
    expect(await command(host, `/v1/runs/${parent}/cancel`, { reason: 'no longer needed' })).toMatchObject({
      status: 200,
    });
    for (const runId of [parent, child]) await untilStatus(host, runId, 'cancelled');
    expect((await endOf(host, child))?.payload).toMatchObject({
      reason: 'parent-cancelled',
      parentRunId: parent,
      cancelledBy: 'lead',
    });
    const own = (await endOf(host, parent))?.payload;
    expect(own).toMatchObject({ reason: 'no longer needed' });
    expect(own).not.toHaveProperty('parentRunId');
    const gone = { status: 410, body: { error: 'interrupt_gone' } };
    expect(await resolve(host, child, 'child-gate')).toMatchObject(gone);
    const url = `/v1/interrupts/${encodeURIComponent(link.body.token as string)}`;
    const body = { resumeValue: { action: 'accept' } };
    expect(await readJson(host, url, { method: 'POST', key: null, body })).toMatchObject(gone);
    expect(await childOf(host, parent)).toEqual({ runId: child, status: 'cancelled' });
  });

  it('goes on when its child is done, and fails when its child is not', async () => {
    const host = await startDeploymentHost();
    for (const [act, ends] of [
      [(child: string) => resolve(host, child, 'child-gate'), 'completed'],
      [(child: string) => resolve(host, child, 'child-gate', 'reject'), 'failed'],
      [(child: string) => command(host, `/v1/runs/${child}/cancel`), 'failed'],
    ] as const) {
      const { parent, child } = await begin(host);
      expect(await act(child)).toMatchObject({ status: 200 });
      await untilStatus(host, parent, ends);
      const events = await logOf(host, parent);
      expect(typesOf(events)).toEqual([
        'run.started',
        'node.started',
        'node.dispatched',
        ends === 'completed' ? 'node.completed' : 'node.failed',
        ends === 'completed' ? 'run.completed' : 'run.failed',
      ]);
      expect(payloadsOf(events, 'node.dispatched')).toMatchObject([{ childRunId: child }]);
    }
  });

  it('has no question of its own, and its child can be cancelled like any run', async () => {
    const host = await startDeploymentHost();
    const { parent, child } = await begin(host);
    expect(await resolve(host, parent, 'child')).toMatchObject({ status: 404 });
    await command(host, `/v1/runs/${child}/cancel`);
    await untilStatus(host, child, 'cancelled');
    expect((await endOf(host, child))?.payload).not.toHaveProperty('parentRunId');
    expect(await resolve(host, child, 'child-gate')).toMatchObject({
      status: 422,
      body: { error: 'interrupt_cancelled' },
    });
    await untilStatus(host, parent, 'failed');
  });

  it('belongs to one owner, child and all', async () => {
    const host = await startDeploymentHost();
    const { parent, child } = await begin(host);
    for (const runId of [parent, child])
      expect((await readJson(host, `/v1/runs/${runId}`, { key: OTHER_KEY })).status).toBe(404);
    const { body } = await readJson(host, `/v1/runs/${child}`);
    expect(body).toMatchObject({ owner: { tenant: 'acme', principal: 'lead' } });
  });

  it('replays without another child', async () => {
    const host = await startDeploymentHost();
    const { parent, child } = await begin(host);
    await resolve(host, child, 'child-gate');
    await untilStatus(host, parent, 'completed');
    const replay = (await fork(host, parent, { mode: 'replay' })).body.runId as string;
    await untilStatus(host, replay, 'completed');
    expect(await diffOf(host, parent, replay)).toMatchObject({ divergedAtSeq: null, eventDiffs: [] });
    expect(await childOf(host, replay)).toMatchObject({ runId: child });
  });
});
