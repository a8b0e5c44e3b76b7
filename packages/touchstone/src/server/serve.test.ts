import { connect } from 'node:net';
import type { Principal } from '@touchstone/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../app/config/config.js';
import { hashKey } from '../app/principal.js';
import { systemClock } from '../app/system.js';
import { completed, scored, started } from '../app/testing/events.js';
import { openStream } from '../app/testing/listening.js';
import { ACME, createTestHost, KEYS, type TestHost } from '../app/testing/test-host.js';
import type { Touchstone } from '../app/touchstone.js';
import { type HostOptions, type RunningHost, startHost } from './serve.js';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ids = { token: () => 'made-up-key' };
const withKeys = { keys: [{ key: KEYS.acme, tenant: 'acme', roles: ['admin'] }] };
const CI: Principal = { id: 'ci', owner: ACME, roles: [], scopes: new Set() };

let behind: TestHost;
let running: RunningHost | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
  await behind.close();
});

/** A listening host. `calls` notes what is done to its parts at the end, `watchers` counts who listens at the log. */
async function start(config: object, options: Partial<HostOptions> = {}) {
  behind = await createTestHost();
  const { touchstone, store } = behind;
  const calls: string[] = [];
  let watching = 0;
  const watch: typeof store.log.watch = (runId, listener) => {
    const unwatch = store.log.watch(runId, listener);
    watching += 1;
    return () => {
      watching -= 1;
      unwatch();
    };
  };
  const noted: Touchstone = {
    ...touchstone,
    store: { ...store, log: { ...store.log, watch } },
    engine: { ...touchstone.engine, shutdown: async () => void calls.push('engine') },
    close: async () => void calls.push('store'),
  };
  const parts = { touchstone: noted, config: parseConfig(config, '/'), log: QUIET, clock: systemClock, ids };
  running = await startHost({ ...parts, ...options });
  return { host: running, url: running.url, calls, watchers: () => watching };
}

const ask = (url: string, key: string = KEYS.acme) =>
  fetch(url, { headers: { authorization: `Bearer ${key}` } });
const createRun = async () => (await behind.touchstone.createRun(CI, { workflowId: 'w' })).runId;
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};
const socketTo = (url: string) => connect({ host: '127.0.0.1', port: Number(new URL(url).port) });

describe('without keys', () => {
  it('a key is made for the tenant local, and works', async () => {
    const { host, url } = await start({});
    expect(host.generatedKey).toBe('made-up-key');
    const headers = { authorization: 'Bearer made-up-key', 'content-type': 'application/json' };
    const body = '{"workflowId":"conformance-noop"}';
    const created = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body });
    const { statusUrl } = (await created.json()) as { statusUrl: string };
    const owner = { tenant: 'local', workspace: 'main', principal: 'local' };
    expect(await (await ask(statusUrl, 'made-up-key')).json()).toMatchObject({ owner });
  });

  it("that key is also the operator's: it reads the numbers of the host", async () => {
    const { url } = await start({});
    for (const path of ['metrics', 'usage'])
      expect((await ask(`${url}/v1/host/touchstone/${path}`, 'made-up-key')).status).toBe(200);
  });

  it('only this machine is listened to', async () => {
    await expect(start({}, { address: '0.0.0.0' })).rejects.toThrow('loopback');
  });
});

describe('with keys', () => {
  it('none is made', async () => {
    const { host, url } = await start(withKeys);
    expect(host.generatedKey).toBeUndefined();
    expect((await ask(`${url}/v1/agents`)).status).toBe(200);
    expect((await ask(`${url}/v1/agents`, 'made-up-key')).status).toBe(401);
  });

  it('in the store alone, any address may be listened to', async () => {
    behind = await createTestHost();
    const key = { keyHash: hashKey('stored'), owner: ACME, principal: 'ci', roles: ['admin'], createdAt: 1 };
    await behind.store.keys.put(key);
    const { touchstone } = behind;
    const parts = { touchstone, config: parseConfig({}, '/'), log: QUIET, clock: systemClock, ids };
    running = await startHost({ ...parts, address: '0.0.0.0' });
    const { port } = new URL(running.url);
    expect((await ask(`http://127.0.0.1:${port}/v1/agents`, 'stored')).status).toBe(200);
  });

  it('in the store, the key that is made for their absence does not exist after a restart', async () => {
    const { url } = await start({});
    const key = { keyHash: hashKey('stored'), owner: ACME, principal: 'ci', roles: ['admin'], createdAt: 1 };
    await behind.store.keys.put(key);
    expect((await ask(`${url}/v1/agents`, 'stored')).status).toBe(200);
    const parts = {
      touchstone: behind.touchstone,
      config: parseConfig({}, '/'),
      log: QUIET,
      clock: systemClock,
      ids,
    };
    const second = await startHost(parts);
    expect(second.generatedKey).toBeUndefined();
    await second.app.close();
  });
});

describe('closing', () => {
  it('ends streams and long polls in good order, then lets go of runs, then closes the store', async () => {
    const { host, url, watchers, calls } = await start(withKeys);
    const [one, two] = [await createRun(), await createRun()];
    await behind.append(one, [started], 'running');
    const reader = await openStream(`${url}/v1/runs/${one}/events`);
    const polled = ask(`${url}/v1/runs/${two}/events/poll?timeout=60`);
    expect(await reader.next()).toMatchObject({ event: 'run.started' });
    await until(() => watchers() === 2);
    await host.close();
    expect(await reader.rest()).toEqual([]);
    expect(await (await polled).json()).toEqual({ events: [], isComplete: false });
    expect(calls).toEqual(['engine', 'store']);
    await expect(ask(`${url}/v1/agents`)).rejects.toThrow();
  });

  it('may be asked for twice', async () => {
    const { host, calls } = await start(withKeys);
    await Promise.all([host.close(), host.close()]);
    expect(calls).toEqual(['engine', 'store']);
  });

  it('does not wait for connections on which nothing was asked', async () => {
    const { host, url } = await start(withKeys);
    const silent = socketTo(url);
    await new Promise((resolve) => silent.once('connect', resolve));
    const cut = new Promise((resolve) => silent.once('close', resolve));
    await Promise.all([host.close(), cut]);
  });
});

describe('readers', () => {
  it('that leave are forgotten', async () => {
    const { url, watchers } = await start(withKeys);
    const runId = await createRun();
    const modes = ['updates', 'values', 'debug', 'messages', 'updates&bufferMs=5000'];
    const paths = [
      ...modes.map((mode) => `/v1/runs/${runId}/events?streamMode=${mode}`),
      `/v1/host/touchstone/runs/${runId}/progress`,
    ];
    const readers = await Promise.all(
      paths.flatMap((path) => [openStream(url + path), openStream(url + path)]),
    );
    await until(() => watchers() === 1 && behind.progressListeners() === 2);
    await Promise.all(readers.map((reader) => reader.leave()));
    await until(() => watchers() === 0 && behind.progressListeners() === 0);
  });

  it('that take nothing hold up neither the run nor the others', async () => {
    const { url } = await start(withKeys);
    const runId = await createRun();
    const path = `/v1/runs/${runId}/events?streamMode=debug`;
    const stalled = socketTo(url);
    stalled.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEYS.acme}\r\n\r\n`);
    stalled.pause();
    const reader = await openStream(url + path);
    const large = { ...scored('t'), payload: { ...scored('t').payload, pad: 'x'.repeat(100_000) } };
    for (let n = 0; n < 10; n += 1) await behind.append(runId, Array(20).fill(large));
    await behind.append(runId, [completed], 'completed');
    expect(await reader.rest()).toHaveLength(201);
    stalled.destroy();
  });
});
