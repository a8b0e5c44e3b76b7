import { createHash } from 'node:crypto';
import { check } from '@touchstone/protocol/wire';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { openStream } from '../../packages/touchstone/src/app/testing/listening.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import { openStoreBeside } from '../setup/flow-store.js';
import {
  answer,
  askPeople,
  deploymentEvents,
  GRANTED,
  keyOf,
  logOf,
  type Person,
  recordOf,
  SIDE_KEY,
  stage,
  startDeploymentHost,
  statusOf,
  suspendedRun,
  typesOf,
  untilStatus,
} from './deployment-host.js';
import { eventsOf, payloadsOf, readJson } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import { command, fork } from './run-host.js';
import type { WholeHost } from './whole-host.js';

// Goal: a run that asks is answered once, by someone who may, in a form that fits; and a link stands for exactly the one
// answer it was made for. Method: the two floor workflows that ask, a gate of a deployment, and links in all conditions.

type Floor = {
  readonly workflowId: string;
  readonly nodeId: string;
  readonly status: string;
  readonly kind: string;
  readonly good: object;
};
const APPROVAL: Floor = {
  workflowId: 'conformance-approval',
  nodeId: 'gate',
  status: 'waiting-approval',
  kind: 'approval',
  good: { action: 'accept' },
};
const CLARIFICATION: Floor = {
  workflowId: 'conformance-clarification',
  nodeId: 'ask',
  status: 'waiting-input',
  kind: 'clarification',
  good: { answers: { q1: 'the colour' } },
};

const resolve = (
  host: WholeHost,
  runId: string,
  { nodeId }: Pick<Floor, 'nodeId'>,
  value: unknown,
  by: Person = 'lead',
) => answer(host, runId, by, value, { nodeId });

describe.each([APPROVAL, CLARIFICATION])('$workflowId', (floor) => {
  it('waits, says for what, and goes on when it is answered', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    const { body: waiting } = await readJson(host, `/v1/runs/${runId}`);
    expect(check('run-snapshot', waiting)).toEqual([]);
    expect(waiting).toMatchObject({ status: floor.status, currentNodeId: floor.nodeId });
    expect(await resolve(host, runId, floor, floor.good, 'bystander')).toMatchObject({
      status: 200,
      body: { runId, nodeId: floor.nodeId },
    });
    await untilStatus(host, runId, 'completed');
    const { body: done } = await readJson(host, `/v1/runs/${runId}`);
    expect(check('run-snapshot', done)).toEqual([]);
    expect(done).not.toHaveProperty('currentNodeId');
    const events = await logOf(host, runId);
    expect(typesOf(events)).toEqual([
      'run.started',
      'node.started',
      'interrupt.requested',
      'node.suspended',
      floor === APPROVAL ? 'approval.received' : 'clarification.resolved',
      'interrupt.resolved',
      'node.completed',
      'run.completed',
    ]);
    expect(payloadsOf(events, 'interrupt.requested')).toMatchObject([{ kind: floor.kind }]);
    expect(events.slice(1, -1).map(({ nodeId }) => nodeId)).toEqual(Array(6).fill(floor.nodeId));
    const said = events[4]?.payload;
    expect(said).toMatchObject(
      floor === APPROVAL
        ? { action: 'accept', decidedBy: 'bystander' }
        : { answers: { q1: 'the colour' }, answeredBy: 'bystander' },
    );
  });

  it('tells its readers as it happens', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    const headers = { authorization: `Bearer ${KEY}` };
    const reader = await openStream(`${host.url}/v1/runs/${runId}/events?streamMode=updates`, headers);
    const values = await openStream(`${host.url}/v1/runs/${runId}/events?streamMode=values`, headers);
    const seen: string[] = [];
    while (!seen.includes('node.suspended')) seen.push((await reader.next())?.event as string);
    await resolve(host, runId, floor, floor.good);
    const rest = await reader.rest();
    const all = [...seen, ...rest.map(({ event }) => event)].filter((event) => event !== ':');
    expect(all).toEqual(
      expect.arrayContaining(['interrupt.requested', 'interrupt.resolved', 'run.completed']),
    );
    expect(all.indexOf('interrupt.resolved')).toBeGreaterThan(all.indexOf('node.suspended'));
    expect(all.at(-1)).toBe('run.completed');
    const states = (await values.rest())
      .filter(({ data }) => data.startsWith('{'))
      .map(({ data }) => (JSON.parse(data) as { status?: string }).status);
    expect(states).toContain(floor.status);
    expect(states.at(-1)).toBe('completed');
  });

  it('keeps waiting when the answer does not fit', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    const before = await logOf(host, runId);
    const bad: readonly unknown[] = [
      null,
      '',
      [],
      {},
      { action: 'refine' },
      { action: 7 },
      { answers: {} },
      { answers: { q1: '' } },
      { answers: { q1: 7 } },
      { answers: { q2: 'yes' } },
      { answers: 'yes' },
    ];
    for (const value of bad)
      expect(await resolve(host, runId, floor, value)).toMatchObject({
        status: 400,
        body: { error: 'INVALID_RESUME_VALUE' },
      });
    expect(await logOf(host, runId)).toEqual(before);
    expect(await statusOf(host, runId)).toBe(floor.status);
    expect(await resolve(host, runId, floor, floor.good)).toMatchObject({ status: 200 });
  });

  it('is not found under another name, by another owner or before it asks', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    for (const nodeId of ['elsewhere', 'constructor', 'noop', 'x'.repeat(200)])
      expect(await resolve(host, runId, { nodeId }, floor.good)).toMatchObject({
        status: 404,
        body: { error: 'interrupt_not_found' },
      });
    for (const key of [OTHER_KEY, SIDE_KEY]) {
      const foreign = await answer(host, runId, 'lead', floor.good, { nodeId: floor.nodeId, key });
      const absent = await answer(host, 'run-of-nobody', 'lead', floor.good, { nodeId: floor.nodeId, key });
      expect(foreign).toMatchObject({ status: 404 });
      expect(foreign).toEqual(absent);
    }
    const noop = await readJson(host, '/v1/runs', {
      method: 'POST',
      body: { workflowId: 'conformance-noop' },
    });
    const nothing = await resolve(host, noop.body.runId as string, { nodeId: 'noop' }, floor.good);
    expect(nothing).toMatchObject({ status: 404 });
    expect(await statusOf(host, runId)).toBe(floor.status);
  });

  it('is for those who may answer', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    for (const by of ['reader', 'runner', 'releaser'] as const)
      expect(await resolve(host, runId, floor, floor.good, by)).toMatchObject({
        status: 403,
        body: { error: 'forbidden', details: { scopeRequired: 'approvals:respond' } },
      });
    const nobody = await host.fetch(`/v1/runs/${runId}/interrupts/${floor.nodeId}`, {
      method: 'POST',
      key: null,
      body: { resumeValue: floor.good },
    });
    expect(nobody.status).toBe(401);
    expect(await statusOf(host, runId)).toBe(floor.status);
  });

  it('is answered once', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    const answers = await Promise.all(
      (['ann', 'ben', 'cem', 'chief'] as const).map((by) => resolve(host, runId, floor, floor.good, by)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    await untilStatus(host, runId, 'completed');
    for (const value of [floor.good, {}])
      expect(await resolve(host, runId, floor, value)).toMatchObject({
        status: 409,
        body: { error: 'interrupt_already_resolved' },
      });
    expect(payloadsOf(await logOf(host, runId), 'interrupt.resolved')).toHaveLength(1);
  });

  it('is answered once even if the answer is sent again, where the sender says that it is the same', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    const send = () =>
      readJson(host, `/v1/runs/${runId}/interrupts/${floor.nodeId}`, {
        method: 'POST',
        body: { resumeValue: floor.good },
        headers: { 'idempotency-key': `answer-${runId}` },
      });
    const first = await send();
    expect(first).toMatchObject({ status: 200 });
    expect(await send()).toEqual(first);
  });

  it('has no question any more when it is cancelled, and can be', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    expect(await command(host, `/v1/runs/${runId}/cancel`)).toMatchObject({ status: 200 });
    await untilStatus(host, runId, 'cancelled');
    expect(await resolve(host, runId, floor, floor.good)).toMatchObject({
      status: 422,
      body: { error: 'interrupt_cancelled' },
    });
    expect(typesOf(await logOf(host, runId)).at(-1)).toBe('run.cancelled');
  });

  it('replays without asking anybody', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, floor);
    await resolve(host, runId, floor, floor.good);
    const original = await eventsOf(host, runId);
    const replay = (await fork(host, runId, { mode: 'replay' })).body.runId as string;
    expect(typesOf(await eventsOf(host, replay))).toEqual(typesOf(original));
    expect(await statusOf(host, replay)).toBe('completed');
    expect(await resolve(host, replay, floor, floor.good)).toMatchObject({ status: 409 });
  });
});

it('conformance-approval that is rejected ends as a failure', async () => {
  const host = await startDeploymentHost();
  const runId = await suspendedRun(host, APPROVAL);
  expect(await resolve(host, runId, APPROVAL, { action: 'reject' })).toMatchObject({ status: 200 });
  await untilStatus(host, runId, 'failed');
  const events = await logOf(host, runId);
  expect(payloadsOf(events, 'approval.received')).toMatchObject([{ action: 'reject', decidedBy: 'lead' }]);
  expect(payloadsOf(events, 'run.failed')).toMatchObject([{ error: { code: 'approval_rejected' } }]);
});

describe('a link', () => {
  type Link = {
    readonly token: string;
    readonly url: string;
    readonly intent: string;
    readonly expiresAt: string;
  };
  type LinkWish = { readonly intent?: string; readonly expiresInSec?: number; readonly by?: Person };
  async function link(host: WholeHost, runId: string, nodeId: string, wish: LinkWish = {}): Promise<Link> {
    const { by = 'lead', ...body } = wish;
    const made = await readJson(host, `/v1/host/touchstone/runs/${runId}/interrupts/${nodeId}/tokens`, {
      method: 'POST',
      key: keyOf(by),
      body,
    });
    expect(made).toMatchObject({ status: 201 });
    return made.body as unknown as Link;
  }
  const look = (host: WholeHost, token: string) =>
    readJson(host, `/v1/interrupts/${encodeURIComponent(token)}`, { key: null });
  const use = (host: WholeHost, token: string, resumeValue: unknown) =>
    readJson(host, `/v1/interrupts/${encodeURIComponent(token)}`, {
      method: 'POST',
      key: null,
      body: { resumeValue },
    });
  const board = (approval: object = {}): { gates: object[] } => ({
    gates: [
      { gateId: 'board', agentId: '*', to: 'active', approval: { requiredRole: 'approver', ...approval } },
    ],
  });
  async function waiting(approval: object = {}, clock?: Clock): Promise<{ host: WholeHost; runId: string }> {
    const host = await startDeploymentHost({ ...board(approval), ...(clock && { host: { clock } }) });
    await stage(host, '1.0.0');
    return { host, runId: await askPeople(host, '1.0.0') };
  }

  it.each([APPROVAL, CLARIFICATION])(
    'shows the question of $workflowId and answers it, once',
    async (floor) => {
      const host = await startDeploymentHost();
      const runId = await suspendedRun(host, floor);
      const { token, url, intent } = await link(host, runId, floor.nodeId, { by: 'ann' });
      expect({ url, intent }).toEqual({ url: `${host.url}/v1/interrupts/${token}`, intent: 'resolve' });
      expect(await look(host, token)).toMatchObject({
        status: 200,
        body: { runId, nodeId: floor.nodeId, kind: floor.kind, interruptId: expect.any(String), intent },
      });
      expect(await use(host, token, { action: 'refine' })).toMatchObject({ status: 400 });
      expect(await use(host, token, floor.good)).toMatchObject({ status: 200, body: { runId } });
      await untilStatus(host, runId, 'completed');
      expect(await use(host, token, floor.good)).toMatchObject({
        status: 409,
        body: { error: 'interrupt_already_resolved' },
      });
      expect(await look(host, token)).toMatchObject({ status: 409 });
      const [said] = (await logOf(host, runId)).slice(4);
      expect(JSON.stringify(said)).toContain('"ann"');
      // Whoever reads logs must not be able to answer.
      expect(host.logs.join('')).not.toContain(token);
    },
  );

  it('has Idempotency-Keys of its own: those of other tenants and of other links are not in its way', async () => {
    const host = await startDeploymentHost();
    const vote = (token: string) =>
      readJson(host, `/v1/interrupts/${encodeURIComponent(token)}`, {
        method: 'POST',
        key: null,
        body: { resumeValue: APPROVAL.good },
        headers: { 'idempotency-key': 'approve-1' },
      });
    const tokens: string[] = [];
    for (const key of [OTHER_KEY, KEY, KEY]) {
      const runId = await suspendedRun(host, APPROVAL, key);
      const path = `/v1/host/touchstone/runs/${runId}/interrupts/gate/tokens`;
      tokens.push((await readJson(host, path, { method: 'POST', key, body: {} })).body.token as string);
    }
    for (const token of tokens) {
      const first = await vote(token);
      expect(first).toMatchObject({ status: 200 });
      expect(await vote(token)).toEqual(first);
    }
    const nowhere = tokens.map((token) => vote(`${token.slice(0, -4)}AAAA`));
    for (const answered of await Promise.all(nowhere))
      expect(answered).toMatchObject({ status: 404, body: { error: 'interrupt_not_found' } });
  });

  it('goes out as the trusted proxy says that its creator came', async () => {
    const host = await startDeploymentHost({ config: { trustedProxies: ['127.0.0.1'] } });
    const runId = await suspendedRun(host, APPROVAL);
    const made = await readJson(host, `/v1/host/touchstone/runs/${runId}/interrupts/gate/tokens`, {
      method: 'POST',
      body: {},
      headers: {
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evals.example',
      },
    });
    const { token, url } = made.body;
    expect(url).toBe(`https://evals.example/v1/interrupts/${token}`);
  });

  it('for looking is for looking', async () => {
    const { host, runId } = await waiting();
    const { token } = await link(host, runId, 'approval', { intent: 'inspect', by: 'ann' });
    expect(await look(host, token)).toMatchObject({ status: 200, body: { intent: 'inspect' } });
    expect(await use(host, token, GRANTED)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(await statusOf(host, runId)).toBe('waiting-approval');
  });

  it('is good for half an hour, or as long as was asked for, and never longer than the question', async () => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const { host, runId } = await waiting({ timeoutSec: 3_600 }, clock);
    const made = Date.now();
    const [usual, short, long] = [
      await link(host, runId, 'approval', { by: 'ann' }),
      await link(host, runId, 'approval', { by: 'ann', expiresInSec: 60 }),
      await link(host, runId, 'approval', { by: 'ann', expiresInSec: 86_400 }),
    ];
    const { body } = await look(host, long.token);
    expect(long.expiresAt).toBe(body.deadline);
    expect(Date.parse(usual.expiresAt)).toBeGreaterThanOrEqual(made + 30 * 60_000);
    aheadMs = 61_000;
    for (const token of [short.token]) {
      expect(await look(host, token)).toMatchObject({ status: 410, body: { error: 'interrupt_expired' } });
      expect(await use(host, token, GRANTED)).toMatchObject({ status: 410 });
    }
    expect(await look(host, usual.token)).toMatchObject({ status: 200 });
    aheadMs = 31 * 60_000;
    expect(await use(host, usual.token, GRANTED)).toMatchObject({ status: 410 });
    expect(await statusOf(host, runId)).toBe('waiting-approval');
    expect(await use(host, long.token, GRANTED)).toMatchObject({
      status: 200,
      body: { status: 'completed' },
    });
  });

  it('of which a single bit is another leads nowhere', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, APPROVAL);
    const { token } = await link(host, runId, 'gate');
    const [payload = '', signature = ''] = token.split('.');
    const flipped = [payload, signature].flatMap((part, at) => {
      const bytes = Buffer.from(part, 'base64url');
      // One bit of every byte, another one each time.
      return Array.from({ length: bytes.length }, (_, place) => {
        const changed = Buffer.from(bytes);
        changed[place] = (changed[place] as number) ^ (1 << (place & 7));
        const text = changed.toString('base64url');
        return at === 0 ? `${text}.${signature}` : `${payload}.${text}`;
      });
    });
    expect(flipped.length).toBeGreaterThan(100);
    for (const [index, wrong] of flipped.entries()) {
      const { status, body } = index % 2 ? await look(host, wrong) : await use(host, wrong, APPROVAL.good);
      expect({ wrong, status, error: body.error }).toEqual({
        wrong,
        status: 404,
        error: 'interrupt_not_found',
      });
    }
    expect(await statusOf(host, runId)).toBe('waiting-approval');
    expect(await look(host, token)).toMatchObject({ status: 200 });
  });

  it('of another shape leads nowhere, and breaks nothing', async () => {
    const host = await startDeploymentHost();
    const runId = await suspendedRun(host, APPROVAL);
    const { token } = await link(host, runId, 'gate');
    const [payload = '', signature = ''] = token.split('.');
    const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const shapes = [
      '.',
      'x',
      payload,
      `${payload}.`,
      `.${signature}`,
      `${signature}.${payload}`,
      `${token}.${signature}`,
      `${encoded(null)}.${signature}`,
      `${encoded({ runId, nodeId: 'gate', intent: 'resolve', expiresAt: 9e15 })}.${signature}`,
      'é.✓',
      '\u0000.\u0000',
      '../../runs',
      'x'.repeat(5_000),
    ];
    for (const shape of shapes) {
      const url = `/v1/interrupts/${encodeURIComponent(shape)}`;
      const statuses = [
        (await host.fetch(url, { key: null })).status,
        (await host.fetch(url, { key: null, method: 'POST', body: { resumeValue: APPROVAL.good } })).status,
      ];
      for (const status of statuses) expect([400, 404, 414]).toContain(status);
    }
    expect(await statusOf(host, runId)).toBe('waiting-approval');
  });

  it('counts as the word of whoever made it', async () => {
    const { host, runId } = await waiting({ quorum: 2 });
    const { token } = await link(host, runId, 'approval', { by: 'ann' });
    expect(await use(host, token, GRANTED)).toMatchObject({
      status: 200,
      body: { status: 'waiting-approval' },
    });
    expect(await use(host, token, GRANTED)).toMatchObject({ status: 409 });
    expect(await answer(host, runId, 'ann')).toMatchObject({ status: 409 });
    expect(payloadsOf(await logOf(host, runId), 'approval.granted')).toMatchObject([{ principal: 'ann' }]);
    expect(await answer(host, runId, 'ben')).toMatchObject({ body: { status: 'completed' } });
  });

  it('of someone who has no say says nothing', async () => {
    const { host, runId } = await waiting();
    const { token } = await link(host, runId, 'approval', { by: 'bystander' });
    expect(await use(host, token, GRANTED)).toMatchObject({ status: 403 });
    expect(payloadsOf(await logOf(host, runId), 'authorization.decided').at(-1)).toMatchObject({
      principal: 'bystander',
      allowed: false,
    });
    expect(await statusOf(host, runId)).toBe('waiting-approval');
  });

  it('is for one question, not for the next one of the same gate', async () => {
    const { host, runId } = await waiting();
    const { token } = await link(host, runId, 'approval', { by: 'ann' });
    expect(await answer(host, runId, 'ben', { decision: 'rejected' })).toMatchObject({ status: 200 });
    expect(await look(host, token)).toMatchObject({ status: 409 });
    expect(await use(host, token, GRANTED)).toMatchObject({ status: 409 });
    expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'staged' });
    const { token: next } = await link(host, runId, 'approval', { by: 'ann' });
    expect(await use(host, next, GRANTED)).toMatchObject({ status: 200, body: { status: 'completed' } });
  });

  it('leads nowhere when the run was cancelled', async () => {
    const { host, runId } = await waiting();
    const { token } = await link(host, runId, 'approval', { by: 'ann' });
    await command(host, `/v1/runs/${runId}/cancel`);
    await untilStatus(host, runId, 'cancelled');
    expect([409, 422]).toContain((await use(host, token, GRANTED)).status);
    expect((await look(host, token)).status).toBe(409);
    expect(deploymentEvents(await logOf(host, runId))).toEqual([]);
  });

  it('of someone whose key has been taken away since says nothing any more', async () => {
    const { host, runId } = await waiting();
    const { token } = await link(host, runId, 'approval', { by: 'ann' });
    const store = await openStoreBeside(host.folder);
    const keyHash = `sha256:${createHash('sha256').update(keyOf('ann')).digest('hex')}`;
    const owner = { tenant: 'acme', workspace: 'main' };
    await store.keys.put({ keyHash, owner, principal: 'ann', roles: ['approver'], createdAt: Date.now() });
    await store.keys.revoke(keyHash, Date.now());
    await store.close();
    expect(await use(host, token, GRANTED)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(await statusOf(host, runId)).toBe('waiting-approval');
  });

  it('is made by those who may answer, and only where there is a question', async () => {
    const { host, runId } = await waiting();
    const url = (run: string, node: string) => `/v1/host/touchstone/runs/${run}/interrupts/${node}/tokens`;
    const ask = (path: string, key: string, body: unknown = {}) =>
      readJson(host, path, { method: 'POST', key, body });
    expect(await ask(url(runId, 'approval'), keyOf('releaser'))).toMatchObject({ status: 403 });
    expect(await ask(url(runId, 'elsewhere'), keyOf('ann'))).toMatchObject({ status: 404 });
    for (const key of [OTHER_KEY, SIDE_KEY])
      expect(await ask(url(runId, 'approval'), key)).toEqual(
        await ask(url('run-of-nobody', 'approval'), key),
      );
    for (const body of [{ intent: 'own' }, { expiresInSec: 0 }, { expiresInSec: 1e9 }, { principal: 'ben' }])
      expect(await ask(url(runId, 'approval'), keyOf('ann'), body)).toMatchObject({ status: 400 });
    await answer(host, runId, 'ann');
    expect(await ask(url(runId, 'approval'), keyOf('ann'))).toMatchObject({ status: 409 });
  });
});
