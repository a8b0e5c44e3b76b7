import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import {
  AGENT,
  answer,
  askPeople,
  auditOf,
  clerkSuite,
  deploymentEvents,
  expectSoundAudit,
  GRANTED,
  KEYS,
  keyOf,
  logOf,
  moduleOf,
  move,
  recordOf,
  recordsOf,
  SUITE,
  stage,
  startDeploymentHost,
  statusOf,
  typesOf,
  untilStatus,
} from './deployment-host.js';
import { type Event, type HostClient, payloadsOf, readJson } from './pack-host.js';
import { command, finish, installSuite } from './run-host.js';
import { createSkippingClock } from './skipping-clock.js';
import type { WholeHost } from './whole-host.js';

// Goal: a gate opens only for as many people as it asks for, of the kind it asks for, who say so on their own behalf and
// about what then really happens. Method: a host with gates, and people of all kinds who answer over HTTP.

const gate = (approval: object, extra: object = {}): object => ({
  gateId: 'board',
  agentId: '*',
  to: 'active',
  approval: { requiredRole: 'approver', ...approval },
  ...extra,
});
async function gated(approval: object = {}, extra: object = {}, clock?: Clock): Promise<WholeHost> {
  return started([gate(approval, extra)], {}, clock);
}
async function started(
  gates: readonly object[],
  config: object = {},
  clock: Clock = systemClock,
): Promise<WholeHost> {
  const host = await startDeploymentHost({ gates, config, host: { clock } });
  for (const version of ['1.0.0', '2.0.0', '3.0.0']) await stage(host, version);
  return host;
}
const REJECTED = { decision: 'rejected', reason: 'not today' };
const promotedIn = (events: readonly Event[]): readonly object[] => payloadsOf(events, 'deployment.promoted');
const questionsIn = (events: readonly Event[]): readonly unknown[] =>
  payloadsOf(events, 'node.suspended').map(({ interruptId }) => interruptId);

/** The run waits, nothing has moved. */
async function expectWaiting(host: HostClient, runId: string, version = '1.0.0'): Promise<void> {
  expect((await readJson(host, `/v1/runs/${runId}`)).body).toMatchObject({
    status: 'waiting-approval',
    currentNodeId: 'approval',
  });
  expect(deploymentEvents(await logOf(host, runId))).toEqual([]);
  expect(await recordOf(host, version)).toMatchObject({ state: 'staged' });
}

describe('a quorum of two', () => {
  it('is two different people', async () => {
    const host = await gated({ quorum: 2 });
    const runId = await askPeople(host, '1.0.0', { channel: 'stable', by: 'releaser' });
    await expectWaiting(host, runId);
    expect(await answer(host, runId, 'ann')).toMatchObject({
      status: 200,
      body: { runId, nodeId: 'approval', status: 'waiting-approval' },
    });
    expect(await answer(host, runId, 'ann')).toMatchObject({
      status: 409,
      body: { error: 'interrupt_already_resolved' },
    });
    await expectWaiting(host, runId);
    expect(await answer(host, runId, 'ben', { action: 'accept' })).toMatchObject({
      status: 200,
      body: { status: 'completed' },
    });
    const events = await logOf(host, runId);
    expect(typesOf(events)).toEqual([
      'run.started',
      'authorization.decided',
      'interrupt.requested',
      'node.suspended',
      'authorization.decided',
      'approval.granted',
      'authorization.decided',
      'approval.granted',
      'interrupt.resolved',
      'deployment.promoted',
      'run.completed',
    ]);
    expect(payloadsOf(events, 'approval.granted')).toEqual([
      { gateId: 'board', principal: 'ann', quorumProgress: { granted: 1, required: 2 } },
      { gateId: 'board', principal: 'ben', quorumProgress: { granted: 2, required: 2 } },
    ]);
    expect(promotedIn(events)).toEqual([
      { agentId: AGENT, toVersion: '1.0.0', toState: 'active', channel: 'stable', approvalGateId: 'board' },
    ]);
    expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'active', approvalGateId: 'board' });
    const people = (await auditOf(host))
      .filter((line) => line.runId === runId)
      .map(({ principal, allowed }) => [principal, allowed]);
    expect(people).toEqual([
      ['releaser', true],
      ['ann', true],
      ['ben', true],
      ['releaser', true],
    ]);
    expect(await answer(host, runId, 'cem')).toMatchObject({ status: 409 });
    await expectSoundAudit(host);
  });

  it('begins anew when somebody rejects, and is asked as another question', async () => {
    const host = await gated({ quorum: 2 });
    const runId = await askPeople(host, '1.0.0');
    await answer(host, runId, 'ann');
    expect(await answer(host, runId, 'ben', REJECTED)).toMatchObject({
      status: 200,
      body: { status: 'waiting-approval' },
    });
    const [first, second, ...rest] = questionsIn(await logOf(host, runId));
    expect(rest).toEqual([]);
    expect(second).not.toBe(first);
    await expectWaiting(host, runId);
    // What was granted before is gone, and whoever rejected may change their mind.
    expect(await answer(host, runId, 'ben')).toMatchObject({ body: { status: 'waiting-approval' } });
    expect(await answer(host, runId, 'ben')).toMatchObject({ status: 409 });
    expect(await answer(host, runId, 'ann')).toMatchObject({ body: { status: 'completed' } });
    const events = await logOf(host, runId);
    expect(payloadsOf(events, 'approval.rejected')).toEqual([
      { gateId: 'board', principal: 'ben', reason: 'not today' },
    ]);
    expect(payloadsOf(events, 'approval.granted').map(({ quorumProgress }) => quorumProgress)).toMatchObject([
      { granted: 1 },
      { granted: 1 },
      { granted: 2 },
    ]);
    expect(payloadsOf(events, 'interrupt.resolved').map(({ interruptId }) => interruptId)).toEqual([
      first,
      second,
    ]);
    expect(promotedIn(events)).toHaveLength(1);
  });

  it('is not made of people who have no say, and each of them leaves a trace', async () => {
    const host = await gated({ quorum: 2 });
    const runId = await askPeople(host, '1.0.0', { by: 'releaser' });
    // Everything is allowed to an admin, but not to be somebody else.
    for (const by of ['lead', 'bystander', 'chief'] as const)
      for (const value of [GRANTED, REJECTED, { ...GRANTED, override: true, reason: 'because' }])
        expect(await answer(host, runId, by, value)).toMatchObject({
          status: 403,
          body: { error: 'forbidden', details: { gateId: 'board' } },
        });
    for (const by of ['reader', 'runner', 'releaser'] as const)
      expect(await answer(host, runId, by)).toMatchObject({
        status: 403,
        body: { details: { scopeRequired: 'approvals:respond' } },
      });
    await expectWaiting(host, runId);
    const denied = payloadsOf(await logOf(host, runId), 'authorization.decided').filter(
      ({ allowed }) => allowed === false,
    );
    expect(denied.map(({ principal }) => principal)).toEqual([
      ...['lead', 'lead', 'lead', 'bystander', 'bystander', 'bystander', 'chief', 'chief', 'chief'],
    ]);
    const audit = (await auditOf(host)).filter(
      ({ action, allowed }) => action === 'approvals:respond' && !allowed,
    );
    expect(new Set(audit.map(({ principal }) => principal))).toEqual(
      new Set(['lead', 'bystander', 'chief', 'reader', 'runner', 'releaser']),
    );
    await answer(host, runId, 'ann');
    expect(await answer(host, runId, 'cem')).toMatchObject({ body: { status: 'completed' } });
  });
});

it('somebody with two keys is one person', async () => {
  const key = 'second-test-key-of-ann-0123456789';
  const keys = [...KEYS, { key, tenant: 'acme', principal: 'ann', roles: ['approver'] }];
  const host = await started([gate({ quorum: 2 })], { keys });
  const runId = await askPeople(host, '1.0.0');
  expect(await answer(host, runId, 'ann')).toMatchObject({ status: 200 });
  expect(await answer(host, runId, 'ann', GRANTED, { key })).toMatchObject({ status: 409 });
  await expectWaiting(host, runId);
});

it('a secret that somebody puts into a reason is nowhere to be read again', async () => {
  // Put together here, so that nobody who scans these sources takes it for a real one.
  const secret = `gh${'p_'}${'Zq7Rt2Lm9Kx4Wp8Vb3Nc6Hd5Jf2Gs9Ty7Ue4'}`;
  const reason = `See ${secret}.`;
  const host = await gated({ quorum: 2, override: { requiredRole: 'chief' } });
  const runId = await askPeople(host, '1.0.0', { reason });
  await answer(host, runId, 'ann', { ...REJECTED, reason });
  await answer(host, runId, 'ann', { ...GRANTED, reason });
  await answer(host, runId, 'chief', { ...GRANTED, override: true, reason });
  expect(await statusOf(host, runId)).toBe('completed');
  const seen = {
    events: await logOf(host, runId),
    snapshot: await readJson(host, `/v1/runs/${runId}`),
    audit: await auditOf(host),
    logs: host.logs,
  };
  for (const [place, text] of Object.entries(seen))
    expect({ place, told: JSON.stringify(text).includes(secret) }).toEqual({ place, told: false });
  await expectSoundAudit(host);
});

describe('an override', () => {
  const override = (reason?: string) => ({
    ...GRANTED,
    override: true,
    ...(reason !== undefined && { reason }),
  });

  it('has a reason, an author of the right role, and the weight of one vote', async () => {
    const host = await gated({ quorum: 2, override: { requiredRole: 'chief' } });
    const runId = await askPeople(host, '1.0.0');
    for (const reason of [undefined, '', '   '])
      expect(await answer(host, runId, 'chief', override(reason))).toMatchObject({
        status: 400,
        body: { error: 'INVALID_RESUME_VALUE' },
      });
    // Who may grant may not therefore override, nor the other way round.
    expect(await answer(host, runId, 'ann', override('because'))).toMatchObject({ status: 403 });
    expect(await answer(host, runId, 'chief', GRANTED)).toMatchObject({ status: 403 });
    await expectWaiting(host, runId);
    expect(await answer(host, runId, 'chief', override('the shop is burning'))).toMatchObject({
      status: 200,
      body: { status: 'waiting-approval' },
    });
    expect(await answer(host, runId, 'chief', override('still burning'))).toMatchObject({ status: 409 });
    expect(await answer(host, runId, 'ben')).toMatchObject({ body: { status: 'completed' } });
    const events = await logOf(host, runId);
    expect(payloadsOf(events, 'approval.overridden')).toEqual([
      { gateId: 'board', principal: 'chief', reason: 'the shop is burning' },
    ]);
    expect(promotedIn(events)).toHaveLength(1);
    expect(
      (await auditOf(host)).filter(({ reason }) => reason?.includes('the shop is burning')),
    ).toMatchObject([{ principal: 'chief', allowed: true, runId }]);
  });

  it('opens the gate alone where it is said to', async () => {
    const policy = { quorum: 3, override: { requiredRole: 'chief' }, overrideBypassesQuorum: true };
    const host = await gated(policy);
    const runId = await askPeople(host, '1.0.0');
    expect(await answer(host, runId, 'chief', override())).toMatchObject({ status: 400 });
    expect(await answer(host, runId, 'ann')).toMatchObject({ body: { status: 'waiting-approval' } });
    expect(await answer(host, runId, 'chief', override('the shop is burning'))).toMatchObject({
      status: 200,
      body: { status: 'completed' },
    });
    expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'active' });
  });
});

describe('a question', () => {
  it.each<[string, unknown]>([
    ['nothing', null],
    ['no members', {}],
    ['another word', { decision: 'maybe' }],
    ['another action', { action: 'refine' }],
    ['a name that every object has', { action: 'constructor' }],
    ['a text', 'granted'],
    ['a list', [GRANTED]],
    ['a number for a reason', { ...GRANTED, reason: 5 }],
    ['a very long reason', { ...GRANTED, reason: 'x'.repeat(513) }],
    ['a word for a flag', { ...GRANTED, override: 'yes' }],
  ])('answered with %s stays open', async (_, value) => {
    const host = await gated();
    const runId = await askPeople(host, '1.0.0');
    const before = await logOf(host, runId);
    const given = await answer(host, runId, 'ann', value);
    expect(given).toMatchObject({ status: 400, body: { error: 'INVALID_RESUME_VALUE' } });
    expect(await logOf(host, runId)).toEqual(before);
    await expectWaiting(host, runId);
  });

  it('answered in another form than an answer has stays open', async () => {
    const host = await gated();
    const runId = await askPeople(host, '1.0.0');
    const url = `/v1/runs/${runId}/interrupts/approval`;
    for (const body of [{}, GRANTED, { resumeValue: GRANTED, principal: 'ben' }])
      expect((await host.fetch(url, { method: 'POST', key: keyOf('ann'), body })).status).toBe(400);
    expect((await host.fetch(url, { method: 'POST', key: keyOf('ann'), body: '{' })).status).toBe(400);
    expect((await host.fetch(url, { method: 'POST', key: keyOf('ann') })).status).toBe(400);
    await expectWaiting(host, runId);
    expect(await answer(host, runId, 'ann', GRANTED, { nodeId: 'elsewhere' })).toMatchObject({
      status: 404,
      body: { error: 'interrupt_not_found' },
    });
    expect(await answer(host, 'run-of-nobody', 'ann')).toMatchObject({ status: 404 });
  });

  it('that nobody answers in time is answered with no, by the clock', async () => {
    const clock = createSkippingClock();
    const host = await gated({ quorum: 2, timeoutSec: 3_600 }, {}, clock);
    const runId = await askPeople(host, '1.0.0', { channel: 'stable' });
    expect(await answer(host, runId, 'ann')).toMatchObject({ status: 200 });
    clock.skip(3_600_000);
    await untilStatus(host, runId, 'failed');
    const events = await logOf(host, runId);
    expect(payloadsOf(events, 'approval.rejected')).toMatchObject([{ gateId: 'board', reason: 'timeout' }]);
    expect(payloadsOf(events, 'run.failed')).toMatchObject([{ error: { code: 'approval_timeout' } }]);
    expect(deploymentEvents(events)).toEqual([]);
    expect(await answer(host, runId, 'ben')).toMatchObject({ status: 409 });
    expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'staged' });
    expect((await auditOf(host)).filter((line) => line.runId === runId).at(-1)).toMatchObject({
      allowed: false,
      reason: 'timeout',
    });
    await expectSoundAudit(host);
  });

  it('that is rejected again and again has no more time than it had', async () => {
    const clock = createSkippingClock();
    const host = await gated({ timeoutSec: 3_600 }, {}, clock);
    const runId = await askPeople(host, '1.0.0');
    for (const _ of ['once', 'twice', 'three times']) {
      clock.skip(1_000_000);
      await untilStatus(host, runId, 'waiting-approval');
      expect(await answer(host, runId, 'ann', REJECTED)).toMatchObject({ status: 200 });
    }
    clock.skip(1_000_000);
    await untilStatus(host, runId, 'failed');
    const events = await logOf(host, runId);
    expect(payloadsOf(events, 'approval.rejected').at(-1)).toMatchObject({ reason: 'timeout' });
    const ends = events
      .filter(({ type, payload }) => type === 'interrupt.requested' && Number(payload.timeoutMs) > 0)
      .map(
        ({ payload, ...event }) =>
          Date.parse((event as unknown as { timestamp: string }).timestamp) + Number(payload.timeoutMs),
      );
    expect(new Set(ends).size).toBe(1);
  });

  it('is withdrawn when the run is cancelled', async () => {
    const host = await gated({ quorum: 2 });
    const runId = await askPeople(host, '1.0.0');
    await answer(host, runId, 'ann');
    expect(await command(host, `/v1/runs/${runId}/cancel`)).toMatchObject({ status: 200 });
    await untilStatus(host, runId, 'cancelled');
    expect(await answer(host, runId, 'ben')).toMatchObject({
      status: 422,
      body: { error: 'interrupt_cancelled' },
    });
    expect(deploymentEvents(await logOf(host, runId))).toEqual([]);
    // The way is free for another one.
    const again = await askPeople(host, '1.0.0');
    for (const by of ['ann', 'ben'] as const) await answer(host, again, by);
    expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'active' });
  });

  it('answered by several at once is answered by one of them', async () => {
    const host = await gated();
    for (let round = 0; round < 5; round++) {
      const runId = await askPeople(host, '1.0.0');
      const answers = await Promise.all(
        (['ann', 'ben', 'cem'] as const).map((by) => answer(host, runId, by)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      const events = await logOf(host, runId);
      expect(payloadsOf(events, 'approval.granted')).toHaveLength(1);
      expect(deploymentEvents(events)).toHaveLength(1);
      expect(await statusOf(host, runId)).toBe('completed');
      expect(await move(host, '1.0.0', { transition: 'pause' })).toMatchObject({ status: 200 });
    }
  });

  it('answered yes by one and no by another at once is answered in one order or the other', async () => {
    const host = await gated();
    for (let round = 0; round < 5; round++) {
      const runId = await askPeople(host, '1.0.0');
      const [yes, no] = await Promise.all([answer(host, runId, 'ann'), answer(host, runId, 'ben', REJECTED)]);
      const events = await logOf(host, runId);
      // A rejection that comes second is too late; a grant that comes second answers the question asked anew.
      expect([yes.status, [200, 409].includes(no.status)]).toEqual([200, true]);
      expect(payloadsOf(events, 'approval.rejected')).toHaveLength(no.status === 200 ? 1 : 0);
      expect(deploymentEvents(events)).toHaveLength(1);
      await move(host, '1.0.0', { transition: 'pause' });
    }
  });

  it('cannot be answered by the one who asks where that is excluded', async () => {
    const policy = { requiredScope: 'approvals:respond', excludeRequester: true };
    const host = await started([{ gateId: 'four-eyes', agentId: '*', to: 'active', approval: policy }]);
    const runId = await askPeople(host, '1.0.0', { by: 'lead' });
    expect(await answer(host, runId, 'lead')).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    await expectWaiting(host, runId);
    expect(await answer(host, runId, 'bystander')).toMatchObject({ body: { status: 'completed' } });
  });

  it('follows another where two gates are on the way', async () => {
    const host = await started([
      gate({ quorum: 1 }, { gateId: 'first' }),
      { gateId: 'second', agentId: AGENT, to: 'active', approval: { requiredRole: 'chief' } },
    ]);
    const runId = await askPeople(host, '1.0.0');
    expect(await answer(host, runId, 'chief')).toMatchObject({ status: 403 });
    expect(await answer(host, runId, 'ann')).toMatchObject({ body: { status: 'waiting-approval' } });
    expect((await readJson(host, `/v1/runs/${runId}`)).body).toMatchObject({ currentNodeId: 'approval-2' });
    expect(await answer(host, runId, 'ann')).toMatchObject({ status: 409 });
    expect(await answer(host, runId, 'ann', GRANTED, { nodeId: 'approval-2' })).toMatchObject({
      status: 403,
    });
    expect(await answer(host, runId, 'chief', GRANTED, { nodeId: 'approval-2' })).toMatchObject({
      body: { status: 'completed' },
    });
    const events = await logOf(host, runId);
    expect(payloadsOf(events, 'approval.granted').map(({ gateId }) => gateId)).toEqual(['first', 'second']);
    expect(promotedIn(events)).toHaveLength(1);
  });

  it('is not asked where there is nothing to agree to', async () => {
    const host = await gated();
    for (const asking of [{ by: 'reader' }, { toState: 'staged' }, { channel: 'latest' }] as const)
      expect((await move(host, '1.0.0', { toState: 'active', ...asking })).status).toBeGreaterThanOrEqual(
        400,
      );
    expect(await move(host, '1.0.0', { transition: 'pause' })).toMatchObject({ status: 400 });
  });
});

describe('between the question and the answer', () => {
  it('the proof may have become none', async () => {
    const own = 'local.test.evals.own';
    const host = await started([gate({}, { requiredEval: { suite: own } })]);
    await installSuite(host, clerkSuite({ suiteId: own }));
    const evalRunId = await finish(host, own, { agentId: `${AGENT}@1.0.0` });
    expect(await move(host, '1.0.0', { toState: 'active' })).toMatchObject({
      status: 403,
      body: { error: 'eval_gate_unmet', details: { reason: 'no_eval_run' } },
    });
    const runId = await askPeople(host, '1.0.0', { evalRunId });
    await installSuite(host, clerkSuite({ suiteId: own, version: '1.0.1' }, 4));
    expect(await answer(host, runId, 'ann')).toMatchObject({ status: 200, body: { status: 'failed' } });
    const events = await logOf(host, runId);
    expect(payloadsOf(events, 'run.failed')).toMatchObject([
      { error: { code: 'eval_gate_unmet', details: { reason: 'suite_changed' } } },
    ]);
    expect(deploymentEvents(events)).toEqual([]);
    expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'staged' });
    expect((await auditOf(host)).at(-1)).toMatchObject({
      allowed: false,
      reason: 'eval_gate_unmet: suite_changed',
    });
  });

  it('the agent may have become another', async () => {
    const host = await gated();
    const runId = await askPeople(host, '1.0.0');
    writeFileSync(join(host.folder, moduleOf('1.0.0')), 'export default () => "something else";\n');
    expect(await answer(host, runId, 'ann')).toMatchObject({ status: 200, body: { status: 'failed' } });
    const events = await logOf(host, runId);
    expect(payloadsOf(events, 'run.failed')).toMatchObject([
      { error: { code: 'conflict', details: { reason: 'agent_changed' } } },
    ]);
    expect(deploymentEvents(events)).toEqual([]);
  });

  it('something else may have come to serve', async () => {
    const host = await gated();
    const [first, second, elsewhere] = [
      await askPeople(host, '1.0.0', { channel: 'stable' }),
      await askPeople(host, '2.0.0', { channel: 'stable' }),
      await askPeople(host, '3.0.0', { channel: 'canary' }),
    ];
    expect(await answer(host, first, 'ann')).toMatchObject({ body: { status: 'completed' } });
    expect(await answer(host, second, 'ann')).toMatchObject({ status: 200, body: { status: 'failed' } });
    const events = await logOf(host, second);
    expect(payloadsOf(events, 'run.failed')).toMatchObject([
      { error: { code: 'conflict', details: { reason: 'deployments_moved' } } },
    ]);
    expect(deploymentEvents(events)).toEqual([]);
    // Of what is done elsewhere nothing is different.
    expect(await answer(host, elsewhere, 'ann')).toMatchObject({ body: { status: 'completed' } });
    expect((await recordsOf(host)).map(({ state }) => state)).toEqual(['active', 'staged', 'active']);
  });

  it('the same may have been granted to somebody else', async () => {
    const host = await gated();
    const runs = [await askPeople(host, '1.0.0'), await askPeople(host, '1.0.0', { by: 'releaser' })];
    // Whoever asks for the same again is led to the question that is open.
    expect(await askPeople(host, '1.0.0')).toBe(runs[0]);
    const done = await Promise.all(runs.map((runId) => answer(host, runId, 'ann')));
    expect(done.map(({ body }) => body.status).sort()).toEqual(['completed', 'failed']);
    const logs = await Promise.all(runs.map((runId) => logOf(host, runId)));
    expect(logs.flatMap(deploymentEvents)).toHaveLength(1);
  });

  it('other business goes on', async () => {
    const host = await started([gate({}, { agentId: `${AGENT}*` })]);
    const runId = await askPeople(host, '2.0.0');
    const side = await finish(host, SUITE, { agentId: `${AGENT}@1.0.0` });
    expect(await statusOf(host, side)).toBe('completed');
    expect(await statusOf(host, runId)).toBe('waiting-approval');
  });
});

describe('there is no way around', () => {
  const FORKS = [{ mode: 'replay' }, { mode: 'branch', fromSeq: 0 }, { mode: 'branch', fromSeq: 2 }];

  it('by a copy of the run, whatever became of it', async () => {
    const host = await gated();
    const denied = await move(host, '2.0.0', { by: 'reader' });
    const waiting = await askPeople(host, '1.0.0', { channel: 'stable' });
    const done = await askPeople(host, '3.0.0', { channel: 'canary' });
    await answer(host, done, 'ann');
    const before = await recordsOf(host);
    for (const runId of [denied.runId as string, waiting, done])
      for (const body of FORKS)
        for (const by of ['runner', 'lead'] as const) {
          const response = await host.fetch(`/v1/runs/${runId}:fork`, {
            method: 'POST',
            key: keyOf(by),
            body,
          });
          expect([400, 409, 422]).toContain(response.status);
        }
    expect(await recordsOf(host)).toEqual(before);
  });

  it('by starting such a run like any other, or judging, pausing or resuming it', async () => {
    const host = await gated();
    const started = await readJson(host, '/v1/runs', {
      method: 'POST',
      body: {
        workflowId: 'touchstone.deployment',
        inputs: { agentId: AGENT, version: '1.0.0', transition: 'promote' },
      },
    });
    expect(started.status).toBeGreaterThanOrEqual(400);
    const runId = await askPeople(host, '1.0.0');
    const orders = [
      `/v1/runs/${runId}:pause`,
      `/v1/runs/${runId}:resume`,
      `/v1/host/touchstone/runs/${runId}:rejudge`,
    ];
    for (const path of orders)
      expect((await host.fetch(path, { method: 'POST', body: {} })).status).toBeGreaterThanOrEqual(400);
    await expectWaiting(host, runId);
    expect(await answer(host, runId, 'ann')).toMatchObject({ body: { status: 'completed' } });
  });

  it('by cancelling at the same moment: it is granted or withdrawn', async () => {
    const host = await gated();
    for (let round = 0; round < 8; round++) {
      const runId = await askPeople(host, '1.0.0');
      const [given] = await Promise.all([
        answer(host, runId, 'ann'),
        command(host, `/v1/runs/${runId}/cancel`),
      ]);
      const status = await untilStatus(host, runId, 'completed', 'cancelled');
      const moves = deploymentEvents(await logOf(host, runId)).length;
      const { state } = await recordOf(host, '1.0.0');
      expect([200, 409, 422]).toContain(given.status);
      expect({ status, moves, isActive: state === 'active' }).toEqual(
        status === 'completed' ? { status, moves: 1, isActive: true } : { status, moves: 0, isActive: false },
      );
      if (state === 'active')
        expect(await move(host, '1.0.0', { transition: 'pause' })).toMatchObject({ status: 200 });
    }
  });

  it('by a wish that says that nobody need be asked', async () => {
    const host = await gated();
    for (const extra of [{ approved: true }, { approvalGateId: 'board' }, { override: true }]) {
      const body = { version: '1.0.0', transition: 'promote', ...extra };
      const answered = await host.fetch(`/v1/agents/${AGENT}/deployments`, { method: 'POST', body });
      expect(answered.status).toBe(400);
    }
    // A step that leads elsewhere than to the gate is not a step.
    for (const toState of ['test', 'paused', 'rolled-back'])
      expect(await move(host, '1.0.0', { toState })).toMatchObject({ status: 400 });
    expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'staged' });
  });
});
