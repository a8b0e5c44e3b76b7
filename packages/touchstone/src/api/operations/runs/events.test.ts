import { check } from '@touchstone/protocol/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completed, decided, invoked, paused, scored, started } from '../../../app/testing/events.js';
import { type Frame, listen, openStream } from '../../../app/testing/listening.js';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { createTestHost, type TestHost } from '../../../app/testing/test-host.js';

let host: TestHost;
let url: string;
let runId: string;
beforeEach(async () => {
  host = await createTestHost();
  url = await listen(host.app);
  runId = (await host.request('POST', '/v1/runs', { body: { workflowId: 'conformance-noop' } })).json<{
    runId: string;
  }>().runId;
});
afterEach(() => host.close());

const stream = (query = '', headers = {}) => openStream(`${url}/v1/runs/${runId}/events${query}`, headers);
const names = (frames: readonly Frame[]) => frames.map(({ id, event }) => `${id} ${event}`);
const wholeRun = () =>
  host.append(
    runId,
    [started, invoked('t'), decided('t', 'Hello'), scored('t'), decided('u', 7), completed],
    'completed',
  );

describe('a stream', () => {
  it('sends what is there, then what comes, and ends with the run', async () => {
    await host.append(runId, [started], 'running');
    const reader = await stream();
    expect(reader.status).toBe(200);
    expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await reader.next()).toMatchObject({ id: 0, event: 'run.started' });
    await host.append(runId, [invoked('t'), scored('t')]);
    const live = (await reader.next()) as Frame;
    expect(live).toMatchObject({ id: 2, event: 'eval.scored' });
    expect(check('run-event', JSON.parse(live.data))).toEqual([]);
    await host.append(runId, [completed], 'completed');
    expect(names(await reader.rest())).toEqual(['3 run.completed']);
  });

  it('goes on after the last id it was given, not with it', async () => {
    await wholeRun();
    expect(names(await (await stream('', { 'last-event-id': '3' })).rest())).toEqual(['5 run.completed']);
    expect(names(await (await stream('?streamMode=debug', { 'last-event-id': '-1' })).rest())).toHaveLength(
      6,
    );
    expect(names(await (await stream('?streamMode=debug', { 'last-event-id': '' })).rest())).toHaveLength(6);
  });

  it('of a run that is over has nothing newer, and says so at once', async () => {
    await wholeRun();
    for (const id of ['5', '4000']) {
      const reader = await stream('', { 'last-event-id': id });
      expect([reader.status, await reader.rest()]).toEqual([200, []]);
    }
  });

  it('ends for a reader that is ahead of the log when the run ends', async () => {
    const reader = await stream('', { 'last-event-id': '4000' });
    await host.append(runId, [started, completed], 'completed');
    expect(await reader.rest()).toEqual([]);
  });

  it('reads a long log in pages without losing or repeating an event', async () => {
    const events = Array.from({ length: 1_000 }, (_, n) => scored(`t-${n}`));
    for (let from = 0; from < 1_000; from += 100) await host.append(runId, events.slice(from, from + 100));
    await host.append(runId, [completed], 'completed');
    const frames = await (await stream('?streamMode=debug')).rest();
    expect(frames.map(({ id }) => id)).toEqual(Array.from({ length: 1_001 }, (_, n) => n));
  });

  it.each([['x'], ['1.5'], ['-2'], ['1e3']])('refuses the last id %s', async (id) => {
    const answer = await host.request('GET', `/v1/runs/${runId}/events`, {
      headers: { 'last-event-id': id },
    });
    expect(expectRefusal(answer, 400, 'validation_error').details.field).toBe('Last-Event-ID');
  });

  it('carries the trace context of its request', async () => {
    await wholeRun();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect((await stream('', { traceparent })).headers.get('traceparent')).toBe(traceparent);
  });
});

describe('modes', () => {
  it('updates is the default and leaves the agent out', async () => {
    await wholeRun();
    const expected = ['0 run.started', '3 eval.scored', '5 run.completed'];
    expect(names(await (await stream()).rest())).toEqual(expected);
    expect(names(await (await stream('?streamMode=updates')).rest())).toEqual(expected);
  });

  it('updates has what begins in another run', async () => {
    const payload = { nodeId: 'child', childRunId: 'run-2' } as never;
    await host.append(
      runId,
      [started, { type: 'node.dispatched', at: 2, nodeId: 'child', payload }, completed],
      'completed',
    );
    expect(names(await (await stream()).rest())).toEqual([
      '0 run.started',
      '1 node.dispatched',
      '2 run.completed',
    ]);
  });

  it('debug sends everything', async () => {
    await wholeRun();
    expect((await (await stream('?streamMode=debug')).rest()).map(({ id }) => id)).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
  });

  it('messages sends one chunk per answer in words', async () => {
    await wholeRun();
    const frames = await (await stream('?streamMode=messages')).rest();
    expect(names(frames)).toEqual(['2 ai.message.chunk']);
    expect(JSON.parse(frames[0]?.data ?? '')).toEqual({ nodeId: 't', runId, chunk: 'Hello', isLast: true });
  });

  it('mixed names the type of the event, and an answer in words comes twice', async () => {
    await wholeRun();
    expect(names(await (await stream('?streamMode=messages,updates')).rest())).toEqual([
      '0 run.started',
      '2 ai.message.chunk',
      '3 eval.scored',
      '5 run.completed',
    ]);
    // Only the last frame of an event bears its id: a reader cut off before it is sent all of them again.
    const both = names(await (await stream('?streamMode=debug,messages')).rest());
    expect(both.slice(2, 4)).toEqual(['undefined agent.decided', '2 ai.message.chunk']);
  });

  it('values sends the state: at once, after each change, and at the end', async () => {
    const reader = await stream('?streamMode=values');
    const state = (frame: Frame | undefined) => JSON.parse(frame?.data ?? '{}') as { status: string };
    const first = (await reader.next()) as Frame;
    expect(first.event).toBe('state.snapshot');
    expect(first).not.toHaveProperty('id');
    expect(check('run-snapshot', state(first))).toEqual([]);
    await host.append(runId, [started], 'running');
    const second = await reader.next();
    expect([second?.id, state(second).status]).toEqual([0, 'running']);
    await host.append(runId, [invoked('t'), completed], 'completed');
    const last = await reader.rest();
    expect(last.map((frame) => [frame.id, state(frame).status])).toEqual([[2, 'completed']]);
    expect(await (await stream('?streamMode=values', { 'last-event-id': '2' })).rest()).toEqual([]);
    expect(await (await stream('?streamMode=values', { 'last-event-id': '1' })).rest()).toHaveLength(1);
  });

  it.each([['everything'], ['values,updates'], ['updates,'], ['Updates'], ['']])(
    'refuses %j',
    async (mode) => {
      const answer = await host.request('GET', `/v1/runs/${runId}/events?streamMode=${mode}`);
      const { details } = expectRefusal(answer, 400, 'unsupported_stream_mode');
      expect(details.supported).toEqual(['values', 'updates', 'messages', 'debug']);
    },
  );

  it('are looked at before the run is', async () => {
    expectRefusal(
      await host.request('GET', '/v1/runs/run-404/events?streamMode=x'),
      400,
      'unsupported_stream_mode',
    );
    expectRefusal(await host.request('GET', '/v1/runs/run-404/events'), 404, 'not_found');
  });
});

describe('bufferMs', () => {
  const batch = (frame: Frame | undefined) =>
    (JSON.parse(frame?.data ?? '[]') as { sequence: number }[]).map(({ sequence }) => sequence);

  it('collects events, and the end sends what there is', async () => {
    const reader = await stream('?streamMode=debug&bufferMs=5000');
    await host.append(runId, [started], 'running');
    await host.append(runId, [invoked('t'), scored('t')]);
    await host.append(runId, [completed], 'completed');
    const frames = await reader.rest();
    expect(frames.map((frame) => [frame.event, frame.id, batch(frame)])).toEqual([
      ['batch', 3, [0, 1, 2, 3]],
    ]);
  });

  it('a pause sends what there is', async () => {
    const reader = await stream('?bufferMs=5000');
    await host.append(runId, [started], 'running');
    await host.append(runId, [paused], 'paused');
    expect(batch(await reader.next())).toEqual([0, 1]);
    await reader.leave();
  });

  it('a run that begins to wait for people sends what there is', async () => {
    const payload = { nodeId: 'gate', interruptId: 'i-1', kind: 'approval', key: 'k' } as const;
    const reader = await stream('?bufferMs=5000');
    await host.append(runId, [started, { type: 'node.suspended', at: 2, nodeId: 'gate', payload }]);
    expect(batch(await reader.next())).toEqual([0, 1]);
    await reader.leave();
  });

  it.each([['5001'], ['99999'], ['-1'], ['x']])('refuses %s', async (ms) => {
    const answer = await host.request('GET', `/v1/runs/${runId}/events?bufferMs=${ms}`);
    const { details } = expectRefusal(answer, 400, 'validation_error');
    expect(details.field).toBe('bufferMs');
  });

  it('time sends what there is', async () => {
    const reader = await stream('?bufferMs=1');
    await host.append(runId, [started], 'running');
    expect(batch(await reader.next())).toEqual([0]);
    await reader.leave();
  });
});

describe('the stream as JSON', () => {
  const asJson = (query = '', headers = {}) =>
    host.request('GET', `/v1/runs/${runId}/events${query}`, {
      headers: { accept: 'application/json', ...headers },
    });

  it('is what a poll answers: all events, whatever the mode', async () => {
    await wholeRun();
    const polled = await host.request('GET', `/v1/runs/${runId}/events/poll`);
    for (const query of ['', '?streamMode=updates', '?streamMode=values&bufferMs=100']) {
      const answer = await asJson(query);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect([answer.status, answer.text]).toEqual([200, polled.text]);
    }
  });

  it('goes on after Last-Event-ID, and does not wait', async () => {
    await host.append(runId, [started, invoked('t')], 'running');
    const later = await asJson('', { 'last-event-id': '0' });
    expect(later.json()).toMatchObject({ events: [{ sequence: 1 }], isComplete: false });
    expect((await asJson('', { 'last-event-id': '1' })).json()).toEqual({ events: [], isComplete: false });
  });

  it('is not given to a caller who takes the stream too, or anything', async () => {
    await wholeRun();
    for (const accept of ['text/event-stream, application/json;q=0.5', '*/*', 'application/json;q=0, */*']) {
      const answer = await asJson('', { accept });
      expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    }
    const axios = await asJson('', { accept: 'application/json, text/plain, */*' });
    expect(axios.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('is refused like the stream', async () => {
    expectRefusal(await asJson('?streamMode=bogus'), 400, 'unsupported_stream_mode');
    expectRefusal(await asJson('?bufferMs=99999'), 400, 'validation_error');
  });
});

describe('polling', () => {
  type Polled = { events: { sequence: number }[]; isComplete: boolean };
  const poll = async (query = '') =>
    (await host.request('GET', `/v1/runs/${runId}/events/poll${query}`)).json<Polled>();
  const sequences = ({ events }: Polled) => events.map(({ sequence }) => sequence);
  const hundred = (part: number) => Array.from({ length: 100 }, (_, n) => scored(`t-${part}-${n}`));

  it('answers at once with what is there', async () => {
    await host.append(runId, [started, invoked('t')], 'running');
    const first = await poll();
    expect([sequences(first), first.isComplete]).toEqual([[0, 1], false]);
    expect(sequences(await poll('?lastSequence=0'))).toEqual([1]);
  });

  it('waits for something to happen', async () => {
    await host.append(runId, [started], 'running');
    const waiting = poll('?lastSequence=0&timeout=60');
    await host.append(runId, [completed], 'completed');
    expect(await waiting).toMatchObject({ events: [{ sequence: 1 }], isComplete: true });
  });

  it('of a run that is over is complete, with or without anything new', async () => {
    await wholeRun();
    const all = await poll();
    expect([all.events.length, all.isComplete]).toEqual([6, true]);
    expect(await poll('?lastSequence=5')).toEqual({ events: [], isComplete: true });
    expect(await poll('?lastSequence=900')).toEqual({ events: [], isComplete: true });
  });

  it('of a run that was followed live answers all of it, however short the pages were that the follower read', async () => {
    const follower = await stream('?streamMode=debug');
    await host.append(runId, [started], 'running');
    await follower.next();
    for (let n = 0; n < 62; n += 1) {
      await host.append(runId, [scored(`t-${n}`)]);
      await follower.next();
    }
    await host.append(runId, [completed], 'completed');
    await follower.rest();
    const all = await poll();
    expect([sequences(all), all.isComplete]).toEqual([Array.from({ length: 64 }, (_, n) => n), true]);
  });

  it('answers the whole log of a run of some hundred tasks', async () => {
    for (let part = 0; part < 15; part += 1) await host.append(runId, hundred(part));
    await host.append(runId, [completed], 'completed');
    const all = await poll();
    expect([all.events.length, all.isComplete]).toEqual([1_501, true]);
  });

  it('hands out a long log in pieces', async () => {
    for (let part = 0; part < 105; part += 1) await host.append(runId, hundred(part));
    await host.append(runId, [completed], 'completed');
    expect((await poll()).isComplete).toBe(false);
    const seen: number[] = [];
    for (let last = -1, complete = false; !complete; ) {
      const part = await poll(last < 0 ? '' : `?lastSequence=${last}`);
      seen.push(...sequences(part));
      complete = part.isComplete;
      last = seen.at(-1) ?? -1;
    }
    expect(seen).toEqual(Array.from({ length: 10_501 }, (_, n) => n));
  });

  it('ends a piece by bytes, and says how to go on', async () => {
    const long = 'x'.repeat(400_000);
    for (let n = 0; n < 6; n += 1) await host.append(runId, [decided(`t-${n}`, long), scored(`t-${n}`)]);
    await host.append(runId, [decided('u', long.repeat(5)), completed], 'completed');
    const pieces: number[] = [];
    for (let path: string | undefined = `/v1/runs/${runId}/events/poll`; path !== undefined; ) {
      const answer = await host.request('GET', path);
      pieces.push(answer.json<Polled>().events.length);
      expect(answer.text.length).toBeLessThan(4_200_000);
      path = /^<(.*)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
      expect(answer.json<Polled>().isComplete).toBe(path === undefined);
    }
    expect(pieces).toEqual([12, 2]);
  });

  it.each([['lastSequence=-1'], ['lastSequence=x'], ['timeout=0'], ['timeout=61'], ['timeout=5s']])(
    'refuses %s',
    async (query) => {
      const answer = await host.request('GET', `/v1/runs/${runId}/events/poll?${query}`);
      expect(expectRefusal(answer, 400, 'validation_error').details.field).toBe(query.split('=')[0]);
    },
  );
});
