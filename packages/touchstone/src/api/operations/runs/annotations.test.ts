import { check } from '@touchstone/protocol/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completed, paused, scored, started } from '../../../app/testing/events.js';
import { type Frame, listen, openStream } from '../../../app/testing/listening.js';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { createTestHost, KEYS, type TestHost } from '../../../app/testing/test-host.js';

/** Put together here, so that nothing in this file is a secret by itself. */
const CANARY = `sk${'-'}canary-4f9d-do-not-leak`;
const REVIEWER = 'acme-reviewer-key';
const RUNNER = 'acme-runner-key';
const config = {
  roles: { reader: ['runs:read'], reviewer: ['runs:annotate'], runner: ['runs:create'] },
  keys: [
    { key: KEYS.acme, tenant: 'acme', principal: 'lead', roles: ['admin'] },
    { key: KEYS.reader, tenant: 'acme', principal: 'viewer', roles: ['reader'] },
    { key: REVIEWER, tenant: 'acme', principal: 'reviewer', roles: ['reviewer'] },
    { key: RUNNER, tenant: 'acme', principal: 'ci', roles: ['runner'] },
    { key: KEYS.rival, tenant: 'rival', principal: 'rival', roles: ['admin'] },
  ],
};
const flag = { signal: { kind: 'flag' } };

let host: TestHost;
let runId: string;
beforeEach(async () => {
  host = await createTestHost({ config });
  const body = { workflowId: 'conformance-noop' };
  runId = (await host.request('POST', '/v1/runs', { body })).json<{ runId: string }>().runId;
  await host.append(runId, [started], 'running');
});
afterEach(() => host.close());

const annotate = (body: unknown, key = KEYS.acme, headers = {}) =>
  host.request('POST', `/v1/runs/${runId}/annotations`, { body, key, headers });
const list = async (key = KEYS.acme) =>
  (await host.request('GET', `/v1/runs/${runId}/annotations`, { key })).json<{
    annotations: { note?: string }[];
  }>().annotations;

describe('recording', () => {
  it('answers with the annotation, which is then listed for its run alone', async () => {
    const other = await host.request('POST', '/v1/runs', { body: { workflowId: 'conformance-noop' } });
    const answer = await annotate({ signal: { kind: 'rating', rating: 2 }, note: 'Curt.' }, REVIEWER);
    expect(answer.status).toBe(201);
    expect(check('annotation', answer.json())).toEqual([]);
    expect(answer.json()).toMatchObject({ actor: { principalRef: 'reviewer' }, target: { runId } });
    expect(await list(KEYS.reader)).toEqual([answer.json()]);
    const path = `/v1/runs/${other.json<{ runId: string }>().runId}/annotations`;
    expect((await host.request('GET', path)).json()).toEqual({ annotations: [] });
  });

  it('works on a run that is over, and leaves its events alone', async () => {
    await host.append(runId, [completed], 'completed');
    const poll = async () => (await host.request('GET', `/v1/runs/${runId}/events/poll`)).text;
    const before = await poll();
    expect((await annotate(flag)).status).toBe(201);
    expect(await poll()).toBe(before);
  });

  it('happens once however often it is sent under one key', async () => {
    const send = () => annotate(flag, KEYS.acme, { 'idempotency-key': 'once' });
    expect((await send()).text).toBe((await send()).text);
    expect(await list()).toHaveLength(1);
  });

  it.each([
    [{}, '/signal'],
    [{ signal: { kind: 'rating' } }, '/signal/rating'],
    [{ signal: { kind: 'rating', rating: 6 } }, '/signal/rating'],
    [{ signal: { kind: 'praise' } }, '/signal/kind'],
    [{ ...flag, target: { runId: 'run-1' } }, '/target/runId'],
    [{ ...flag, extra: 1 }, '/extra'],
    [{ ...flag, note: 'x'.repeat(8_193) }, '/note'],
  ])('refuses %j and points at what is wrong', async (body, pointer) => {
    const { details } = expectRefusal(await annotate(body), 400, 'validation_error');
    expect(details.issues).toMatchObject([{ pointer }]);
  });

  it('asks for runs:annotate, and takes runs:create as well', async () => {
    expect((await annotate(flag, REVIEWER)).status).toBe(201);
    expect((await annotate(flag, RUNNER)).status).toBe(201);
    const { details } = expectRefusal(await annotate(flag, KEYS.reader), 403, 'forbidden');
    expect(details).toEqual({ scopeRequired: 'runs:annotate' });
    const listing = await host.request('GET', `/v1/runs/${runId}/annotations`, { key: REVIEWER });
    expectRefusal(listing, 403, 'forbidden');
  });

  it("of another tenant's run finds no run", async () => {
    expectRefusal(await annotate(flag, KEYS.rival), 404, 'not_found');
    const listing = await host.request('GET', `/v1/runs/${runId}/annotations`, { key: KEYS.rival });
    expectRefusal(listing, 404, 'not_found');
    expect(await list()).toEqual([]);
  });

  it('keeps a secret out of answers, lists, repetitions and the log of the host', async () => {
    const body = { signal: { kind: 'correction', correction: `Use ${CANARY}` }, note: CANARY };
    const send = () => annotate(body, KEYS.acme, { 'idempotency-key': 'canary' });
    const seen = [(await send()).text, (await send()).text, await list(), host.lines];
    expect(JSON.stringify(seen)).not.toContain('canary-4f9d');
    expect(seen[0]).toContain('Use [REDACTED]');
    expect(host.lines.map(({ event }) => event)).toContain('annotation.recorded');
  });
});

describe('an open stream', () => {
  let url: string;
  beforeEach(async () => {
    url = await listen(host.app);
  });
  const stream = (query = '', headers = {}) => openStream(`${url}/v1/runs/${runId}/events${query}`, headers);
  const names = (frames: readonly (Frame | undefined)[]) =>
    frames.map((frame) => `${frame?.id ?? '-'} ${frame?.event}`);

  it.each([[''], ['?streamMode=debug'], ['?streamMode=messages,updates'], ['?streamMode=debug,updates']])(
    '%s is told of a remark at once, by the same name and without an id',
    async (query) => {
      const reader = await stream(query, { 'last-event-id': '0' });
      const recorded = (await annotate({ ...flag, note: `Not ${CANARY}` })).json();
      const frame = (await reader.next()) as Frame;
      expect(names([frame])).toEqual(['- run.annotated']);
      expect(JSON.parse(frame.data)).toEqual(recorded);
      expect(recorded.note).toBe('Not [REDACTED]');
      await reader.leave();
    },
  );

  it('tells remarks in order among the events, and comes back after its last event', async () => {
    const reader = await stream();
    await reader.next();
    for (const note of ['a', 'b']) await annotate({ ...flag, note });
    const told = [await reader.next(), await reader.next()];
    expect(told.map((frame) => JSON.parse(frame?.data ?? '{}').note)).toEqual(['a', 'b']);
    await host.append(runId, [scored('t')]);
    expect(names([await reader.next()])).toEqual(['1 eval.scored']);
    await annotate(flag);
    expect(names([await reader.next()])).toEqual(['- run.annotated']);
    await reader.leave();
    await host.append(runId, [completed], 'completed');
    // The remarks are not told again: they are no part of the log that the id counts.
    expect(names(await (await stream('', { 'last-event-id': '1' })).rest())).toEqual(['2 run.completed']);
    expect(names(await (await stream()).rest())).toEqual([
      '0 run.started',
      '1 eval.scored',
      '2 run.completed',
    ]);
  });

  it.each([['messages'], ['values']])('of %s is told of none', async (mode) => {
    const reader = await stream(`?streamMode=${mode}`);
    await annotate(flag);
    await host.append(runId, [completed], 'completed');
    expect((await reader.rest()).map(({ event }) => event)).not.toContain('run.annotated');
  });

  it('with a buffer gets a remark by itself, whatever is being collected', async () => {
    const reader = await stream('?streamMode=debug&bufferMs=5000');
    await annotate(flag);
    expect(names([await reader.next()])).toEqual(['- run.annotated']);
    await host.append(runId, [paused], 'paused');
    const batch = await reader.next();
    expect(names([batch])).toEqual(['1 batch']);
    expect(batch?.data).not.toContain('run.annotated');
    await reader.leave();
  });

  it('of another run or another tenant hears nothing of it', async () => {
    const body = { workflowId: 'conformance-noop' };
    const own = (await host.request('POST', '/v1/runs', { body })).json<{ runId: string }>().runId;
    const theirs = (await host.request('POST', '/v1/runs', { body, key: KEYS.rival })).json<{
      runId: string;
    }>().runId;
    const foreign = await stream('', { authorization: `Bearer ${KEYS.rival}` });
    expect(foreign.status).toBe(404);
    const beside = await openStream(`${url}/v1/runs/${own}/events`);
    const rival = await openStream(`${url}/v1/runs/${theirs}/events`, {
      authorization: `Bearer ${KEYS.rival}`,
    });
    await annotate(flag);
    await host.append(own, [started, completed], 'completed');
    expect(names(await beside.rest())).toEqual(['0 run.started', '1 run.completed']);
    await host.request('POST', `/v1/runs/${theirs}/cancel`, { key: KEYS.rival, body: {} });
    expect(names(await rival.rest())).toEqual(['0 run.cancelled']);
  });
});
