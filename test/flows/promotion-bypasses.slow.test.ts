import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  AGENT,
  activate,
  answer,
  askPeople,
  clerkSource,
  GRANTED,
  KEYS,
  keyOf,
  logOf,
  moduleOf,
  move,
  recordOf,
  recordsOf,
  stage,
  startDeploymentHost,
  statusOf,
} from './deployment-host.js';
import { ofType, payloadsOf, readJson } from './pack-host.js';
import type { WholeHost } from './whole-host.js';

// Goal: the ways around the gate that somebody once found stay closed. Method: each is taken again, over HTTP.
const GATE = { agentId: '*', to: 'active', approval: { requiredRole: 'approver' } };
const fileOf = (host: WholeHost, version: string): string => join(host.folder, moduleOf(version));
const runOn = (host: WholeHost, channel: string) =>
  readJson(host, '/v1/runs', { method: 'POST', body: { agentId: `${AGENT}@${channel}`, inputs: {} } });

it.each(['stable', 'latest', 'v1', ' 1.0.0', '1.0.0 ', '', '1'.repeat(65), '1.0.0@stable'])(
  'what is no version is none: %j',
  async (version) => {
    const host = await startDeploymentHost();
    await activate(host, '1.0.0', { channel: 'stable' });
    for (const by of ['lead', 'reader'] as const)
      expect(await move(host, version, { by })).toMatchObject({
        status: 400,
        body: { error: 'validation_error', details: { field: 'version' } },
      });
    expect((await recordsOf(host)).map((record) => record.version)).toEqual(['1.0.0', '2.0.0', '3.0.0']);
  },
);

it('a version without its file goes nowhere but out of service', async () => {
  const host = await startDeploymentHost();
  for (const version of ['1.0.0', '2.0.0']) await activate(host, version, { channel: 'stable' });
  await stage(host, '3.0.0');
  rmSync(fileOf(host, '2.0.0'));
  rmSync(fileOf(host, '3.0.0'));
  const forward = await move(host, '3.0.0', { toState: 'active', channel: 'stable' });
  expect(forward).toMatchObject({ status: 400, body: { details: { field: 'version' } } });
  expect(JSON.stringify(forward.body)).not.toContain(host.folder);
  expect(await move(host, '2.0.0', { channel: 'canary' })).toMatchObject({ status: 400 });
  expect(await move(host, '2.0.0', { transition: 'rollback' })).toMatchObject({
    status: 200,
    body: { state: 'rolled-back', rollbackPointer: '1.0.0' },
  });
  expect(await runOn(host, 'stable')).toMatchObject({ status: 201 });
});

it('a file that is gone when people agree is a conflict, and the run ends', async () => {
  const host = await startDeploymentHost({ gates: [GATE] });
  await stage(host, '1.0.0');
  const runId = await askPeople(host, '1.0.0', { channel: 'stable' });
  rmSync(fileOf(host, '1.0.0'));
  expect(await answer(host, runId, 'ann')).toMatchObject({ status: 200, body: { status: 'failed' } });
  expect(payloadsOf(await logOf(host, runId), 'run.failed')).toMatchObject([
    { error: { code: 'conflict', details: { reason: 'agent_changed' } } },
  ]);
});

it('bytes that are swapped on the way begin the way again', async () => {
  const host = await startDeploymentHost({
    gates: [{ agentId: '*', to: 'staged', approval: { requiredRole: 'approver' } }],
  });
  expect(await move(host, '1.0.0', { toState: 'test' })).toMatchObject({ status: 200 });
  const runId = await askPeople(host, '1.0.0', { toState: 'staged' });
  expect(await answer(host, runId, 'ann')).toMatchObject({ body: { status: 'completed' } });
  writeFileSync(fileOf(host, '1.0.0'), `${clerkSource('1.0.0')}// other bytes\n`);
  expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'draft' });
  expect(await move(host, '1.0.0', { toState: 'active' })).toMatchObject({ status: 400 });
  writeFileSync(fileOf(host, '1.0.0'), clerkSource('1.0.0'));
  expect(await move(host, '1.0.0', { toState: 'active' })).toMatchObject({ status: 200 });
});

it('an answer that is kept under an idempotency key is kept for whoever got it', async () => {
  const host = await startDeploymentHost({
    gates: [{ ...GATE, approval: { requiredRole: 'approver', quorum: 2 } }],
  });
  await stage(host, '1.0.0');
  const headers = { 'idempotency-key': 'one-for-all' };
  const asked = await move(host, '1.0.0', { toState: 'active', headers });
  expect(asked.status).toBe(202);
  expect(await move(host, '1.0.0', { toState: 'active', headers, by: 'reader' })).toMatchObject({
    status: 409,
    body: { error: 'idempotency_key_mismatch' },
  });
  const grant = (key: string) =>
    readJson(host, `/v1/runs/${asked.runId}/interrupts/approval`, {
      method: 'POST',
      key,
      headers: { 'idempotency-key': 'vote' },
      body: { resumeValue: GRANTED },
    });
  expect(await grant(keyOf('ann'))).toMatchObject({ status: 200 });
  expect(await grant(keyOf('ben'))).toMatchObject({
    status: 409,
    body: { error: 'idempotency_key_mismatch' },
  });
  const granted = ofType(await logOf(host, asked.runId as string), 'approval.granted');
  expect(granted).toHaveLength(1);
});

it('two answers in one are none', async () => {
  const host = await startDeploymentHost({ gates: [GATE] });
  await stage(host, '1.0.0');
  const runId = await askPeople(host, '1.0.0');
  expect(await answer(host, runId, 'ann', { decision: 'granted', action: 'reject' })).toMatchObject({
    status: 400,
    body: { error: 'INVALID_RESUME_VALUE' },
  });
  expect(await statusOf(host, runId)).toBe('waiting-approval');
  expect(await answer(host, runId, 'ann', { decision: 'granted', reason: '🙂'.repeat(512) })).toMatchObject({
    status: 200,
  });
});

it('a link of a run that was cancelled is a link to something closed', async () => {
  const host = await startDeploymentHost({ gates: [GATE] });
  await stage(host, '1.0.0');
  const runId = await askPeople(host, '1.0.0');
  const { body } = await readJson(host, `/v1/host/touchstone/runs/${runId}/interrupts/approval/tokens`, {
    method: 'POST',
    key: keyOf('ann'),
    body: {},
  });
  await readJson(host, `/v1/runs/${runId}/cancel`, { method: 'POST', body: {} });
  const answered = { method: 'POST', key: null, body: { resumeValue: GRANTED } };
  expect(await readJson(host, `/v1/interrupts/${body.token}`, answered)).toMatchObject({
    status: 409,
    body: { error: 'interrupt_already_resolved' },
  });
});

it('a link votes with the roles of the key that made it, not with those of the other keys of its principal', async () => {
  const lesser = 'test-key-of-acme-lesser-ann-0123456789';
  const host = await startDeploymentHost({
    gates: [GATE],
    config: { keys: [...KEYS, { key: lesser, tenant: 'acme', principal: 'ann', roles: ['responder'] }] },
  });
  await stage(host, '1.0.0');
  const runId = await askPeople(host, '1.0.0', { channel: 'stable' });
  expect(await answer(host, runId, 'ann', GRANTED, { key: lesser })).toMatchObject({ status: 403 });
  const linkBy = async (key: string): Promise<string> => {
    const path = `/v1/host/touchstone/runs/${runId}/interrupts/approval/tokens`;
    return (await readJson(host, path, { method: 'POST', key, body: {} })).body.token as string;
  };
  const vote = async (token: string) =>
    readJson(host, `/v1/interrupts/${token}`, { method: 'POST', key: null, body: { resumeValue: GRANTED } });
  expect(await vote(await linkBy(lesser))).toMatchObject({ status: 403 });
  expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'staged' });
  expect(await vote(await linkBy(keyOf('ann')))).toMatchObject({
    status: 200,
    body: { status: 'completed' },
  });
});
