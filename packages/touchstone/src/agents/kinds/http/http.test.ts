import type { ServerResponse } from 'node:http';
import type { Json } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuard } from '../../../net/guard.js';
import { createPaces } from '../../../net/pace.js';
import type { Answer } from '../../../ports/index.js';
import { type ManualClock, manualClock } from '../../fixtures/manual-clock.js';
import { openForTest } from '../../fixtures/open-for-test.js';
import { invocationOf, recordingHost } from '../../fixtures/recording-host.js';
import { type Answering, reply, serve, type TestServer } from '../../fixtures/serve.js';
import type { AgentParts } from '../../open.js';

type Script = (response: ServerResponse) => void;
const ok: Script = (response) => reply(response, 200, { output: 'fine' });
const status =
  (code: number, headers: { [name: string]: string } = {}): Script =>
  (response) =>
    reply(response, code, 'whatever', headers);
const reset: Script = (response) => response.socket?.destroy();

/** Answers the n-th request with the n-th script, and with the last one from then on. */
function inTurn(...scripts: readonly Script[]): Answering {
  let count = 0;
  return (_body, response) => scripts[Math.min(count++, scripts.length - 1)]?.(response);
}

async function start(
  answering: Answering,
  run: object = {},
  clock = manualClock(),
  more: Partial<AgentParts> = {},
) {
  const server = await serve(answering);
  const paceOf = createPaces(clock);
  const agent = await openForTest({ kind: 'http', url: server.url, ...run }, clock, {
    paceOf,
    limits: { maxOutputBytes: 10_000 },
    ...more,
  });
  onTestFinished(async () => {
    await agent.close();
    await server.close();
  });
  const ask = (input: Json = 'hi', host = recordingHost()): Promise<Answer> =>
    agent.invoke(invocationOf(input), host);
  return { server, clock, ask, paceOf };
}

/** Lets every short sleep pass and writes down how long it was, until the answer is there. */
async function untilAnswered(answer: Promise<Answer>, clock: ManualClock) {
  const sleeps: number[] = [];
  let isOver = false;
  const settled = answer.finally(() => {
    isOver = true;
  });
  const passTime = async () => {
    while (!isOver) {
      const ms = await Promise.race([
        clock.asleep((length) => length < 50_000),
        settled.then(() => undefined),
      ]);
      if (ms === undefined) return;
      sleeps.push(ms);
      clock.advance(ms);
    }
  };
  await Promise.all([passTime(), settled]);
  return { answer: await settled, sleeps };
}

const requestsOf = (server: TestServer) => server.requests.length;

describe('what is tried again', () => {
  it.each([
    ['a lost connection', reset],
    ['a 500', status(500)],
    ['a 503', status(503)],
    ['a 429', status(429)],
  ])('%s, until it goes well', async (_name, trouble) => {
    const { server, clock, ask } = await start(inTurn(trouble, trouble, ok));
    const { answer, sleeps } = await untilAnswered(ask(), clock);
    expect(answer).toMatchObject({
      kind: 'answered',
      output: 'fine',
      effort: { attempts: 3, waitedMs: 375 + 750 },
    });
    expect(sleeps).toEqual([375, 750]);
    expect(requestsOf(server)).toBe(3);
  });

  it.each([
    ['lost connections', reset, 'ECONNRESET'],
    ['errors', status(502), 'HTTP 502'],
  ])('four %s make the agent unreachable', async (_name, trouble, words) => {
    const { server, clock, ask } = await start(inTurn(trouble));
    const { answer } = await untilAnswered(ask(), clock);
    expect(answer).toMatchObject({ kind: 'unreachable', effort: { attempts: 4 } });
    expect(answer).toHaveProperty('reason', expect.stringContaining(words));
    expect(requestsOf(server)).toBe(4);
  });

  it('nobody listening is unreachable too', async () => {
    const { server, clock, ask } = await start(ok as never);
    await server.close();
    const { answer } = await untilAnswered(ask(), clock);
    expect(answer).toMatchObject({ kind: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') });
  });

  it('a request that took twenty seconds to fail is not begun again', async () => {
    const clock = manualClock();
    const { server, ask } = await start(
      (_body, response) => {
        clock.advance(20_000);
        status(500)(response);
      },
      {},
      clock,
    );
    expect((await ask()).kind).toBe('unreachable');
    expect(requestsOf(server)).toBe(1);
  });
});

describe('what is not tried again', () => {
  it.each<[string, Script, string]>([
    ['a 400', status(400), 'HTTP 400'],
    ['a 422', status(422), 'HTTP 422'],
    ['a redirect', status(307, { location: 'http://127.0.0.1:1/' }), 'redirect'],
    ['text that is not JSON', (response) => reply(response, 200, '<html>'), 'not JSON'],
    ['nothing at all', (response) => reply(response, 200, ''), 'not JSON'],
    ['JSON of the wrong shape', (response) => reply(response, 200, { answer: 1 }), '/output'],
    [
      'an answer without end',
      (response) => reply(response, 200, { output: 'x'.repeat(10_001) }),
      '10000 bytes',
    ],
    ['something that is not HTTP', (response) => response.socket?.end('SSH-2.0-hello\r\n'), 'HPE_'],
  ])('%s is a failure after one request', async (_name, script, words) => {
    const { server, ask } = await start(inTurn(script));
    const answer = await ask();
    expect(answer).toMatchObject({ kind: 'failed', effort: { attempts: 1 } });
    expect(answer).toHaveProperty('reason', expect.stringContaining(words));
    expect(requestsOf(server)).toBe(1);
  });

  it.each([
    [401, undefined],
    [402, undefined],
    [403, undefined],
    [407, undefined],
    [404, true],
  ])('a %i is denied access after one request', async (code, onlyAtFirst) => {
    const { server, ask } = await start(inTurn(status(code)));
    const answer = await ask();
    expect(answer).toMatchObject({ kind: 'denied', denial: { status: code }, effort: { attempts: 1 } });
    expect(answer.kind === 'denied' && answer.onlyAtFirst).toBe(onlyAtFirst);
    expect(requestsOf(server)).toBe(1);
  });

  it('the body of a refusal is never shown', async () => {
    const { ask } = await start(inTurn((response) => reply(response, 422, 'the customer said SECRET')));
    expect(JSON.stringify(await ask())).not.toContain('SECRET');
  });
});

describe('a provider that asks for patience', () => {
  it('gets as much as it asks for, beyond tries and time of its own', async () => {
    const patient = status(429, { 'retry-after': '30' });
    const { server, clock, ask } = await start(inTurn(patient, patient, patient, patient, patient, ok));
    const { answer } = await untilAnswered(ask(), clock);
    // Longer than the agent's own timeout, too: waiting is not working.
    expect(answer).toMatchObject({ kind: 'answered', effort: { attempts: 6, waitedMs: 150_000 } });
    expect(requestsOf(server)).toBe(6);
  });

  it('can name a date', async () => {
    const clock = manualClock(Date.UTC(2030, 0, 1));
    const at = new Date(Date.UTC(2030, 0, 1, 0, 0, 40)).toUTCString();
    const { ask } = await start(inTurn(status(429, { 'retry-after': at }), ok), {}, clock);
    const { answer, sleeps } = await untilAnswered(ask(), clock);
    expect(answer.kind).toBe('answered');
    expect(sleeps).toEqual([40_000]);
  });

  it('is waited for by everyone who asks the same origin', async () => {
    const { server, clock, ask, paceOf } = await start(inTurn(status(429, { 'retry-after': '30' }), ok));
    const first = ask();
    await clock.asleep(30_000);
    const other = await openForTest({ kind: 'http', url: `${server.url}another/path` }, clock, { paceOf });
    const second = other.invoke(invocationOf('hi'), recordingHost());
    clock.advance(29_999);
    expect(requestsOf(server)).toBe(1);
    clock.advance(1);
    expect((await first).kind).toBe('answered');
    expect(await second).toMatchObject({ kind: 'answered', effort: { attempts: 1, waitedMs: 30_000 } });
    await other.close();
  });

  it('is not waited for after a cancellation', async () => {
    const { clock, ask } = await start(inTurn(status(429, { 'retry-after': '86400' })));
    const host = recordingHost();
    const answer = ask('hi', host);
    await clock.asleep(3_600_000);
    host.cancel('enough');
    await expect(answer).rejects.toBe('enough');
  });
});

describe('requests', () => {
  it('carry the protocol, the configured headers and nothing about an evaluation', async () => {
    const seen: unknown[] = [];
    const headers = { authorization: 'Bearer t' };
    const { server, ask } = await start(
      (_body, response, request) => {
        seen.push(request.method, request.headers.authorization, request.headers['content-type']);
        ok(response);
      },
      { headers },
    );
    await ask({ q: 1 });
    expect(seen).toEqual(['POST', 'Bearer t', 'application/json']);
    expect(JSON.parse(server.requests[0] ?? '')).toEqual({
      protocol: 'touchstone.agent/1',
      runId: 'run-1',
      invocationId: expect.stringMatching(/^inv-/),
      agentId: 'local.acme.actor',
      input: { q: 1 },
      memory: [{ id: 'm1', content: 'remembered', tags: [], createdAt: '2030-01-01T00:00:00.000Z' }],
      tools: [{ toolId: 'local:kb.search' }],
      turn: 0,
    });
  });

  it('of a tenant go nowhere when the guard says no', async () => {
    const server = await serve(inTurn(ok));
    const clock = manualClock();
    const fetchGuard = createGuard();
    const agent = await openForTest({ kind: 'http', url: server.url }, clock, { fetchGuard });
    expect(await agent.invoke(invocationOf('hi'), recordingHost())).toMatchObject({ kind: 'failed' });
    expect(requestsOf(server)).toBe(0);
    await server.close();
  });

  it('of a tenant connect to the address that was checked, under the name that was given', async () => {
    const hosts: (string | undefined)[] = [];
    const server = await serve((_body, response, request) => {
      hosts.push(request.headers.host);
      ok(response);
    });
    const clock = manualClock();
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const url = server.url.replace('127.0.0.1', 'agent.example');
    const admitted = await openForTest({ kind: 'http', url }, clock, {
      fetchGuard: createGuard({ allowPrivate: true, resolve }),
    });
    expect((await admitted.invoke(invocationOf('hi'), recordingHost())).kind).toBe('answered');
    expect(asked).toEqual(['agent.example']);
    expect(hosts[0]).toMatch(/^agent\.example:\d+$/);
    await admitted.close();
    const https = url.replace('http:', 'https:');
    const refused = await openForTest({ kind: 'http', url: https }, clock, {
      fetchGuard: createGuard({ resolve }),
    });
    const answer = await refused.invoke(invocationOf('hi'), recordingHost());
    expect(answer).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not public') });
    expect(requestsOf(server)).toBe(1);
    await server.close();
  });
});

describe('a long answer', () => {
  const LONG = 'x'.repeat(20_000);

  it('waits until the host has time for it, and the wait counts neither as latency nor for the timeout', async () => {
    const clock = manualClock();
    const asked: number[] = [];
    const takeAnswer = async (characters: number) => {
      asked.push(characters);
      await Promise.resolve();
      clock.advance(90_000);
    };
    const more = { takeAnswer, limits: { maxOutputBytes: 100_000 } };
    const long = (response: ServerResponse) => reply(response, 200, { output: LONG });
    const { ask } = await start(inTurn(long), { timeoutMs: 60_000 }, clock, more);
    expect(await ask()).toMatchObject({ kind: 'answered', output: LONG, effort: { waitedMs: 90_000 } });
    expect(asked).toEqual([JSON.stringify({ output: LONG }).length]);
  });

  it('and a short one are taken at once while the host has time', async () => {
    const taken: number[] = [];
    const takeAnswer = (characters: number) => void taken.push(characters);
    const { ask } = await start(inTurn(ok), {}, manualClock(), { takeAnswer });
    expect(await ask()).toMatchObject({ output: 'fine', effort: { waitedMs: 0 } });
    expect(taken).toHaveLength(1);
  });
});
