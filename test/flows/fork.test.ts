import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReceiver, type Receiver } from '../../packages/touchstone/src/app/testing/webhook-world.js';
import { makeSource, SOURCES } from './fork-sources.js';
import { type Event, eventsOf, readJson } from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import {
  BLIND_KEY,
  command,
  diffOf,
  finishPlain,
  fork,
  openRunHost,
  pointersOf,
  type RunHost,
} from './run-host.js';

let setup: RunHost;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await createReceiver();
  setup = await openRunHost();
  const events = ['run.started', 'eval.scored', 'run.completed', 'run.failed', 'run.cancelled'];
  const registered = await command(setup.host, '/v1/webhooks', { url: receiver.url, events });
  expect(registered.status).toBe(201);
});
afterAll(async () => {
  await setup.close();
  await receiver.close();
});

/** Which runs deliveries were about, up to and with those of a run made for this: they are sent in order. */
async function told(): Promise<readonly string[]> {
  const last = await finishPlain(setup.host, { workflowId: 'conformance-noop' });
  const seen: string[] = [];
  for (let runId = ''; runId !== last; seen.push(runId)) runId = (await receiver.received.next()).runId;
  return seen;
}
const read = (path: string) => readJson(setup.host, path);
const summaryOf = (runId: string) => read(`/v1/runs/${runId}/eval-summary`);
/** A report without the run it is of. */
async function reportOf(runId: string): Promise<object> {
  const { status, body } = await read(`/v1/host/touchstone/runs/${runId}/report`);
  return { status, ...body, runId: undefined };
}
async function replay(source: string): Promise<string> {
  const created = await fork(setup.host, source, { mode: 'replay' });
  expect(created).toMatchObject({ status: 201, body: { sourceRunId: source, mode: 'replay', fromSeq: 0 } });
  const runId = created.body.runId as string;
  expect(created.body.eventsUrl).toBe(`${setup.host.url}/v1/runs/${runId}/events`);
  await eventsOf(setup.host, runId);
  return runId;
}

/** A replay is its source, event by event, under its own ids; the source is what it was. */
async function expectReplay(source: string, runId: string, before: readonly Event[]): Promise<void> {
  const [old, fresh] = [await eventsOf(setup.host, source), await eventsOf(setup.host, runId)];
  expect(JSON.stringify(old)).toBe(JSON.stringify(before));
  expect(fresh.map(({ eventId }) => eventId)).toEqual(fresh.map((_, index) => `${runId}:${index}`));
  // What the events say of a regression names the run it was found in, so only the envelope is of the new run.
  const envelope = /"(eventId|runId|causationId)":"([^":]+)/g;
  const named = JSON.stringify(fresh).replaceAll(envelope, (all, _, id) =>
    id === runId ? all.replace(runId, source) : all,
  );
  expect(named).toBe(JSON.stringify(old));
  expect(await diffOf(setup.host, source, runId)).toEqual({
    a: source,
    b: runId,
    divergedAtSeq: null,
    eventDiffs: [],
    stateDiff: {},
  });
  const [was, is] = [await read(`/v1/runs/${source}`), await read(`/v1/runs/${runId}`)];
  expect(is.body.status).toBe(was.body.status);
  expect(is.body.error).toEqual(was.body.error);
  expect(await summaryOf(runId)).toEqual(await summaryOf(source));
  expect(await reportOf(runId)).toEqual(await reportOf(source));
}

describe('a replay of', () => {
  it.each(Object.keys(SOURCES))('%s is that run again, and asks and tells nobody', async (name) => {
    const source = await makeSource(setup, name);
    expect(await told()).toContain(source);
    const before = await eventsOf(setup.host, source);
    const calls = setup.calls();

    const first = await replay(source);
    await expectReplay(source, first, before);
    const second = await replay(first);
    await expectReplay(first, second, await eventsOf(setup.host, first));
    await expectReplay(source, second, before);

    expect(setup.calls()).toBe(calls);
    const runs = await told();
    for (const runId of [source, first, second]) expect(runs).not.toContain(runId);
    const snapshot = await read(`/v1/runs/${second}`);
    expect(check('run-snapshot', snapshot.body)).toEqual([]);
    expect(snapshot.body.touchstone).toMatchObject({ fork: { source: first, mode: 'replay', fromSeq: 0 } });
  });
});

describe('a fork is refused', () => {
  let source: string;
  let length: number;
  beforeAll(async () => {
    source = await makeSource(setup, 'golden tasks');
    length = (await eventsOf(setup.host, source)).length;
  });
  const newest = async () =>
    ((await read('/v1/host/touchstone/runs?limit=1')).body.items as { runId: string }[])[0]?.runId;

  it.each<[string, (length: number) => object, number, string]>([
    ['without a mode', () => ({ fromSeq: 0 }), 400, '/mode'],
    ['in a mode there is none of', () => ({ mode: 'rewind' }), 400, '/mode'],
    ['as a branch from nowhere', () => ({ mode: 'branch' }), 400, '/fromSeq'],
    ['from before the beginning', () => ({ mode: 'branch', fromSeq: -1 }), 400, '/fromSeq'],
    ['from between two events', () => ({ mode: 'replay', fromSeq: 1.5 }), 400, '/fromSeq'],
    [
      'as a replay that changes something',
      () => ({ mode: 'replay', runOptionsOverlay: { tags: ['new'] } }),
      400,
      '/runOptionsOverlay',
    ],
    [
      'with an overlay of its own invention',
      () => ({ mode: 'branch', fromSeq: 0, runOptionsOverlay: { suite: 'other' } }),
      400,
      '/runOptionsOverlay/suite',
    ],
    [
      'with an overlay no run could have',
      () => ({ mode: 'branch', fromSeq: 0, runOptionsOverlay: { configurable: { concurrency: 0 } } }),
      400,
      '/runOptionsOverlay/configurable/concurrency',
    ],
    [
      'with other modes after they have been told',
      (end) => ({
        mode: 'branch',
        fromSeq: end - 2,
        runOptionsOverlay: { configurable: { evalModes: ['rubric'] } },
      }),
      400,
      '/runOptionsOverlay/configurable/evalModes/0',
    ],
  ])('%s, and nothing is created', async (_, bodyOf, status, pointer) => {
    const [before, calls] = [await newest(), setup.calls()];
    const answer = await fork(setup.host, source, bodyOf(length));
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status,
      error: 'validation_error',
    });
    expect(pointersOf(answer.body)).toContain(pointer);
    expect(check('error-envelope', answer.body)).toEqual([]);
    expect([await newest(), setup.calls()]).toEqual([before, calls]);
  });

  it.each(['replay', 'branch'])('as a %s from beyond the end', async (mode) => {
    for (const fromSeq of [length, length + 1_000_000])
      expect(await fork(setup.host, source, { mode, fromSeq })).toMatchObject({
        status: 422,
        body: { error: 'fork_point_invalid', details: { field: 'fromSeq', lastSequence: length - 1 } },
      });
  });

  it('to whoever does not own the run, as if there were none, and to whoever may not read it', async () => {
    const absent = await fork(setup.host, 'run-absent', { mode: 'replay' }, { key: OTHER_KEY });
    const foreign = await fork(setup.host, source, { mode: 'replay' }, { key: OTHER_KEY });
    expect(absent.status).toBe(404);
    expect(foreign).toEqual(absent);
    const blind = await fork(setup.host, source, { mode: 'replay' }, { key: BLIND_KEY });
    expect(blind).toMatchObject({ status: 403, body: { details: { scopeRequired: 'runs:read' } } });
  });
});

it('the same fork under one Idempotency-Key is one run', async () => {
  const source = await makeSource(setup, 'an agent alone');
  const headers = { 'idempotency-key': 'fork-once' };
  const first = await fork(setup.host, source, { mode: 'replay' }, { headers });
  const second = await fork(setup.host, source, { mode: 'replay' }, { headers });
  expect([first.status, second]).toEqual([201, first]);
  const other = await fork(setup.host, source, { mode: 'replay', fromSeq: 1 }, { headers });
  expect(other).toMatchObject({ status: 409, body: { error: 'idempotency_key_mismatch' } });
  const third = await fork(setup.host, source, { mode: 'replay' });
  expect(third.body.runId).not.toBe(first.body.runId);
});
