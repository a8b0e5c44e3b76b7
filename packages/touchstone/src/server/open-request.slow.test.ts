import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hashKey } from '../app/principal.js';
import { decided, started } from '../app/testing/events.js';
import { listen, openStream, type Reader } from '../app/testing/listening.js';
import { createManualClock, type ManualClock } from '../app/testing/manual-clock.js';
import { expectRefusal } from '../app/testing/scorecards.js';
import { ACME, createTestHost, KEYS, type TestHost, type TestHostOptions } from '../app/testing/test-host.js';
import { cutOffWhenStalled } from './send-answer.js';

const KEY = 'key-that-will-not-last';

let clock: ManualClock;
let host: TestHost;
let url: string;
let runId: string;
const readers: Reader[] = [];
const sockets: Socket[] = [];

async function start(config: TestHostOptions['config'] = {}): Promise<void> {
  clock = createManualClock();
  host = await createTestHost({ clock, config });
  url = await listen(host.app);
  const created = await host.request('POST', '/v1/runs', { body: { workflowId: 'conformance-noop' } });
  ({ runId } = created.json<{ runId: string }>());
}
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.leave();
  for (const socket of sockets.splice(0)) socket.destroy();
  await host.close();
});

async function open(path: string, key: string = KEYS.acme): Promise<Reader> {
  const reader = await openStream(url + path, { authorization: `Bearer ${key}` });
  readers.push(reader);
  return reader;
}

describe('a key that stops working', () => {
  beforeEach(async () => {
    await start();
    const row = { keyHash: hashKey(KEY), owner: ACME, principal: 'guest', roles: ['reader'] };
    await host.store.keys.put({ ...row, createdAt: clock.now(), expiresAt: clock.now() + 600_000 });
    await host.append(runId, [started], 'running');
  });
  const fiveSeconds = async () => {
    for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  };
  const streams = () => [
    `/v1/runs/${runId}/events?streamMode=debug`,
    `/v1/runs/${runId}/events?streamMode=values`,
    `/v1/runs/${runId}/events?bufferMs=5000`,
    `/v1/host/touchstone/runs/${runId}/progress`,
  ];

  it('ends its streams within five seconds after it was revoked, and those of other keys go on', async () => {
    const ended = await Promise.all(streams().map((path) => open(path, KEY)));
    const other = await open(`/v1/runs/${runId}/events?streamMode=debug`);
    await other.next();
    // Long enough for everything that is remembered of the key to be as new as it can be.
    await fiveSeconds();
    await host.store.keys.revoke(hashKey(KEY), clock.now());
    await fiveSeconds();
    await Promise.all(ended.map((reader) => reader.rest()));
    await host.append(runId, [decided('t', 'for those who may read it')]);
    expect(await other.next()).toMatchObject({ id: 1, event: 'agent.decided' });
  });

  it('ends its streams also when the store could not be read in between', async () => {
    const reader = await open(`/v1/runs/${runId}/events?streamMode=debug`, KEY);
    await reader.next();
    const away = vi.spyOn(host.store.keys, 'get').mockRejectedValue(new Error('The disk is full.'));
    await fiveSeconds();
    expect(away).toHaveBeenCalled();
    away.mockRestore();
    await host.store.keys.revoke(hashKey(KEY), clock.now());
    await fiveSeconds();
    await reader.rest();
  });

  it('ends its streams when it expires', async () => {
    const [reader] = await Promise.all([open(`/v1/runs/${runId}/events`, KEY)]);
    await reader.next();
    await clock.advance(600_000);
    await fiveSeconds();
    expect((await reader.rest()).filter(({ event }) => event !== ':')).toEqual([]);
  });

  it('ends a long poll, which is then unauthorized', async () => {
    const path = `/v1/runs/${runId}/events/poll?lastSequence=0&timeout=60`;
    const waiting = fetch(url + path, { headers: { authorization: `Bearer ${KEY}` } });
    await until(async () => expect(await streamsOpen()).toBe(1));
    await host.store.keys.revoke(hashKey(KEY), clock.now());
    await fiveSeconds();
    const answer = await waiting;
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: 'key_revoked' }]);
  });
});

/** Waits for something to be so. */
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000 });

async function metric(name: string): Promise<number | undefined> {
  const { text } = await host.request('GET', '/v1/host/touchstone/metrics', { key: KEYS.operator });
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
const streamsOpen = () => metric('touchstone_streams_open');

describe('streams of a tenant', () => {
  beforeEach(() => start({ limits: { perTenant: { openStreams: 2 } } }));

  it('beyond its limit are refused with a time to come back; other tenants open theirs', async () => {
    const path = `/v1/runs/${runId}/events`;
    const first = await open(path);
    const poll = fetch(`${url}${path}/poll`, { headers: { authorization: `Bearer ${KEYS.reader}` } });
    await until(async () => expect(await streamsOpen()).toBe(2));
    for (const further of [path, `${path}/poll`, `/v1/host/touchstone/runs/${runId}/progress`]) {
      const refused = await host.request('GET', further);
      const { details } = expectRefusal(refused, 429, 'rate_limited');
      expect([refused.headers['retry-after'], details]).toEqual([
        '5',
        { limit: 'openStreams', scope: 'tenant', retryAfter: 5, retryAfterMs: 5_000 },
      ]);
    }
    expect(await metric('touchstone_limit_reached_total{limit="openStreams"}')).toBe(3);
    const created = await host.request('POST', '/v1/runs', {
      key: KEYS.rival,
      body: { workflowId: 'conformance-noop' },
    });
    const rivals = created.json<{ runId: string }>().runId;
    expect((await open(`/v1/runs/${rivals}/events`, KEYS.rival)).status).toBe(200);
    await first.leave();
    await until(async () => expect((await open(path)).status).toBe(200));
    await host.append(runId, [started]);
    expect((await poll).status).toBe(200);
  });
});

/** Asks for something and does not read the answer. */
function connectAndIgnore(path: string, key: string = KEYS.acme): Socket {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) }, () =>
    socket.write(`GET ${path} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer ${key}\r\n\r\n`),
  );
  socket.pause();
  sockets.push(socket);
  return socket;
}

describe('answers that are not read', () => {
  const MIB = 1024 * 1024;
  // Far more than a connection on this machine takes up by itself.
  const LONG = 'x'.repeat(16 * MIB);
  const startWith = async (unreadBytes: number) => {
    await start({ limits: { perTenant: { unreadBytes } } });
    await host.append(runId, [started, decided('t', LONG), decided('u', LONG)], 'running');
  };
  const unread = async () => (await metric('touchstone_unread_bytes')) ?? 0;

  it('fill what a tenant may use: its next requests are refused, and those of others are answered', async () => {
    await startWith(2 * MIB);
    const reader = connectAndIgnore(`/v1/runs/${runId}/events/poll?lastSequence=0`);
    await until(async () => expect(await unread()).toBeGreaterThan(16 * MIB));
    const refused = await host.request('GET', `/v1/runs/${runId}`);
    expect(expectRefusal(refused, 429, 'rate_limited').details).toMatchObject({ limit: 'unreadBytes' });
    expect((await host.request('GET', '/v1/agents', { key: KEYS.rival })).status).toBe(200);
    reader.destroy();
    await until(async () => expect((await host.request('GET', `/v1/runs/${runId}`)).status).toBe(200));
    expect(await unread()).toBeLessThan(MIB);
  });

  it('of many streams hold no more than a tenant may use, and other tenants read on', async () => {
    await startWith(40 * MIB);
    for (let n = 0; n < 20; n += 1) connectAndIgnore(`/v1/runs/${runId}/events?streamMode=debug`);
    await until(async () => expect(await streamsOpen()).toBe(20));
    await until(async () => expect(await unread()).toBeGreaterThan(32 * MIB));
    expect(await unread()).toBeLessThan(40 * MIB);
    expect(await metric('touchstone_limit_reached_total{limit="unreadBytes"}')).toBe(1);
    const created = await host.request('POST', '/v1/runs', {
      key: KEYS.rival,
      body: { workflowId: 'conformance-noop' },
    });
    const rivals = created.json<{ runId: string }>().runId;
    const stream = await open(`/v1/runs/${rivals}/events?streamMode=values`, KEYS.rival);
    expect(await stream.next()).toMatchObject({ event: 'state.snapshot' });
  });
});

it('a caller that takes nothing is cut off, and what it was sent is let go', async () => {
  const sent = new Promise<string>((resolve) => {
    const server = createServer((request, response) => {
      const { socket } = request;
      response.once('close', () => resolve(socket.destroyed ? 'cut off' : 'sent'));
      cutOffWhenStalled(response, 50);
      response.end(Buffer.alloc(64 * 1024 * 1024));
      server.close();
    }).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const socket = connect({ host: '127.0.0.1', port }, () =>
        socket.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n'),
      );
      socket.pause();
      sockets.push(socket);
    });
  });
  await start();
  expect(await sent).toBe('cut off');
});
