import { check } from '@touchstone/protocol/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { ACME, createTestHost, KEYS, type TestHost } from '../../../app/testing/test-host.js';

let host: TestHost;
beforeEach(async () => {
  host = await createTestHost();
});
afterEach(() => host.close());

const create = (body: object = {}, headers = {}) =>
  host.request('POST', '/v1/runs', { body: { workflowId: 'conformance-noop', ...body }, headers });
const created = async (body: object = {}) => (await create(body)).json<{ runId: string }>().runId;
const read = (runId: string, headers = {}) => host.request('GET', `/v1/runs/${runId}`, { headers });

describe('creating a run', () => {
  it('answers where to find it and never with a terminal status', async () => {
    const answer = await create({}, { host: 'evals.example' });
    expect(answer.status).toBe(201);
    expect(answer.json()).toEqual({
      runId: 'run-1',
      status: 'pending',
      eventsUrl: 'http://evals.example/v1/runs/run-1/events',
      statusUrl: 'http://evals.example/v1/runs/run-1',
    });
    expect(answer.headers.location).toBe('http://evals.example/v1/runs/run-1');
  });

  it.each([
    ['[::1]:8080', 'http://[::1]:8080/v1/runs/run-1/events'],
    ['evil.example/x?', '/v1/runs/run-1/events'],
  ])('called as %s, answers with %s', async (name, eventsUrl) => {
    expect((await create({}, { host: name })).json()).toMatchObject({ eventsUrl });
  });

  it('refuses members nobody knows and lists them all', async () => {
    const { details } = expectRefusal(await create({ one: 1, two: 2 }), 400, 'validation_error');
    expect(details.issues).toHaveLength(2);
  });

  it('gives back what the caller said, unchanged', async () => {
    const said = {
      tags: ['a', 'b'],
      metadata: { 'acme.x': [1, null] },
      configurable: { strange: { key: 'ü' } },
    };
    expect((await read(await created(said))).json()).toMatchObject(said);
  });

  it('does not create an eval run on a host that switched evaluation off', async () => {
    const off = await createTestHost({ config: { evalSuite: false } });
    const answer = await off.request('POST', '/v1/runs', { body: { mode: 'eval' } });
    expect(expectRefusal(answer, 501, 'capability_not_provided').details.capability).toBe('agents.evalSuite');
    await off.close();
  });
});

describe('X-Dedup', () => {
  const enforce = { 'x-dedup': 'enforce' };

  it('refuses a second active run of the same scope, and only of the same scope', async () => {
    await create({ scopeId: 'order-1' }, enforce);
    const answer = await create({ scopeId: 'order-1' }, enforce);
    const { details } = expectRefusal(answer, 409, 'run_already_active');
    expect(details).toEqual({ activeRunId: 'run-1', activeHost: 'cloud', retryAfter: 5 });
    expect(answer.headers['retry-after']).toBe('5');
    expect((await create({ scopeId: 'order-2' }, enforce)).status).toBe(201);
    await host.request('POST', '/v1/runs/run-1/cancel');
    expect((await create({ scopeId: 'order-1' }, enforce)).status).toBe(201);
  });

  it('needs a scope and knows one word', async () => {
    expect(expectRefusal(await create({}, enforce), 400, 'validation_error').details.field).toBe('scopeId');
    expect(
      expectRefusal(await create({ scopeId: 'x' }, { 'x-dedup': 'maybe' }), 400, 'validation_error').details
        .field,
    ).toBe('X-Dedup');
  });
});

describe('reading a run', () => {
  it('fits the published schema in every state', async () => {
    const runId = await created();
    const seen: unknown[] = [];
    const look = async () => {
      const body = (await read(runId)).json();
      expect(check('run-snapshot', body)).toEqual([]);
      seen.push(body.status);
    };
    await look();
    await host.append(
      runId,
      [{ type: 'run.started', at: 1_000, payload: { workflowId: 'conformance-noop' } }],
      'running',
    );
    await look();
    await host.request('POST', `/v1/runs/${runId}:pause`);
    await look();
    const error = { code: 'node_failed', message: 'It failed.' } as const;
    await host.append(runId, [{ type: 'run.failed', at: 2_000, payload: { error } }], 'failed');
    await look();
    expect(seen).toEqual(['pending', 'running', 'paused', 'failed']);
  });

  it('costs nothing twice: the tag changes with the state and not without it', async () => {
    const runId = await created();
    const first = (await read(runId)).headers.etag as string;
    const again = await read(runId, { 'if-none-match': first });
    expect(again).toMatchObject({ status: 304, text: '' });
    await host.request('POST', `/v1/runs/${runId}:pause`);
    const paused = await read(runId, { 'if-none-match': first });
    expect(paused.status).toBe(200);
    await host.append(runId, [{ type: 'run.completed', at: 2_000, payload: {} }], 'completed');
    expect((await read(runId, { 'if-none-match': paused.headers.etag as string })).status).toBe(200);
  });

  it('tells what has been spent before there is a scorecard', async () => {
    const runId = (await host.request('POST', '/v1/runs', { body: { agentId: 'local.acme.echo' } })).json<{
      runId: string;
    }>().runId;
    const usage = { provider: 'p', model: 'm', inputTokens: 1, outputTokens: 1, costUsd: 0.25 };
    await host.store.ledger.record(ACME, runId as never, [usage as never]);
    expect((await read(runId)).json()).toMatchObject({
      metrics: { openwopCost: { usd: 0.25 } },
      agent: { agentId: 'local.acme.echo', version: '1.0.0' },
      touchstone: { kind: 'agent', origin: 'host' },
    });
  });
});

describe('cancelling', () => {
  it('answers the new status, once and again', async () => {
    const runId = await created();
    const cancel = () => host.request('POST', `/v1/runs/${runId}/cancel`, { body: { reason: 'enough' } });
    expect((await cancel()).json()).toEqual({ runId, status: 'cancelled' });
    expect((await cancel()).json()).toEqual({ runId, status: 'cancelled' });
  });

  it('is refused when the run has ended otherwise', async () => {
    const runId = await created();
    await host.append(runId, [{ type: 'run.completed', at: 1, payload: {} }], 'completed');
    expectRefusal(await host.request('POST', `/v1/runs/${runId}/cancel`), 409, 'run_terminal');
  });

  it('in bulk answers for each id, in order, whatever became of the others', async () => {
    const [one, two] = [await created(), await created()];
    await host.append(two, [{ type: 'run.completed', at: 1, payload: {} }], 'completed');
    const answer = await host.request('POST', '/v1/runs:bulk-cancel', {
      body: { runIds: ['run-404', two, one, one] },
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      results: [
        { runId: 'run-404', ok: false, error: { code: 'not_found', message: 'There is no such run.' } },
        { runId: two, ok: false, error: { code: 'run_terminal', message: expect.any(String) } },
        { runId: one, ok: true, status: 'cancelled' },
        { runId: one, ok: true, status: 'cancelled' },
      ],
    });
  });

  it('in bulk has a limit, and says it', async () => {
    const runIds = Array.from({ length: 101 }, (_, n) => `run-${n}`);
    const answer = await host.request('POST', '/v1/runs:bulk-cancel', { body: { runIds } });
    expect(expectRefusal(answer, 400, 'validation_error').details.maxRunIds).toBe(100);
    expectRefusal(
      await host.request('POST', '/v1/runs:bulk-cancel', { body: { runIds: [] } }),
      400,
      'validation_error',
    );
  });
});

describe('pausing and going on', () => {
  const pause = (runId: string, headers = {}) => host.request('POST', `/v1/runs/${runId}:pause`, { headers });
  const resume = (runId: string) => host.request('POST', `/v1/runs/${runId}:resume`);

  it('goes there and back', async () => {
    const runId = await created();
    const paused = await pause(runId);
    expect(paused.status).toBe(202);
    expect(paused.json()).toEqual({ runId, status: 'paused', pausedAt: '1970-01-01T00:00:05.000Z' });
    const resumed = await resume(runId);
    expect(resumed.status).toBe(202);
    expect(resumed.json()).toMatchObject({ runId, status: 'running', resumedAt: expect.any(String) });
  });

  it('is refused with the status that stands in the way', async () => {
    const runId = await created();
    expect(expectRefusal(await resume(runId), 409, 'run_state_conflict').details).toEqual({
      runStatus: 'pending',
    });
    await pause(runId);
    const again = expectRefusal(await pause(runId), 409, 'run_state_conflict');
    expect(again.details).toEqual({ runStatus: 'paused', pausedAt: '1970-01-01T00:00:05.000Z' });
    await host.request('POST', `/v1/runs/${runId}/cancel`);
    expect(expectRefusal(await pause(runId), 409, 'run_state_conflict').details).toEqual({
      runStatus: 'cancelled',
    });
  });

  it('repeats its answer to the same Idempotency-Key', async () => {
    const runId = await created();
    const first = await pause(runId, { 'idempotency-key': 'p' });
    const second = await pause(runId, { 'idempotency-key': 'p' });
    expect([second.status, second.text]).toEqual([202, first.text]);
    expect(second.headers['openwop-idempotent-replay']).toBe('true');
  });

  it('knows two policies', async () => {
    const answer = await host.request('POST', `/v1/runs/${await created()}:pause`, {
      body: { drainPolicy: 'slowly' },
    });
    expect(expectRefusal(answer, 400, 'validation_error').details.field).toBe('drainPolicy');
  });
});

describe('the list of runs', () => {
  it('is newest first, filtered, in pages', async () => {
    for (let n = 0; n < 3; n += 1) await created();
    await host.request('POST', '/v1/runs', { body: { agentId: 'local.acme.echo' } });
    await host.request('POST', '/v1/runs/run-2/cancel');
    type List = { items: { runId: string }[]; nextCursor?: string };
    const list = async (query: string) =>
      (await host.request('GET', `/v1/host/touchstone/runs?${query}`, { key: KEYS.reader })).json<List>();
    const ids = ({ items }: List) => items.map(({ runId }) => runId);
    const first = await list('limit=3');
    expect(ids(first)).toEqual(['run-4', 'run-3', 'run-2']);
    expect(ids(await list(`limit=3&cursor=${first.nextCursor}`))).toEqual(['run-1']);
    expect(ids(await list('status=cancelled'))).toEqual(['run-2']);
    expect(ids(await list('agentId=local.acme.echo'))).toEqual(['run-4']);
  });

  it.each([
    ['limit=0'],
    ['limit=201'],
    ['limit=1.5'],
    ['limit='],
    ['limit=2&limit=3'],
    ['status=tired'],
    ['cursor=%21'],
  ])('refuses %s', async (query) => {
    const answer = await host.request('GET', `/v1/host/touchstone/runs?${query}`);
    expect(expectRefusal(answer, 400, 'validation_error').details.field).toBe(query.split('=')[0]);
  });
});
