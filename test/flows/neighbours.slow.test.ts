// Goal: what one tenant does, or what is done to it, does not reach another. Method: a whole host with two tenants; rival
// attacks, acme evaluates, and acme's scores are right.
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startDnsServer } from '../../packages/touchstone/src/net/testing/dns-server.js';
import { KEY, kill, OTHER_KEY, serve } from './processes.js';
import {
  answer,
  closeAll,
  type HostClient,
  hostAt,
  open,
  projectFolder,
  startGateway,
  startHost,
  startRun,
  summaryOf,
  untilRunning,
} from './two-tenants.js';
import { metricsOf } from './whole-host.js';

afterEach(closeAll);

/** Waits for an event, however busy the machine is. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000 });

describe('a server that asks one tenant to wait', () => {
  it('is still asked by another, also when the wait is for an hour', async () => {
    let refused: () => void = () => undefined;
    const heldBack = new Promise<void>((resolve) => {
      refused = resolve;
    });
    const gateway = await startGateway({
      '/limited': (response) => {
        response.writeHead(429, { 'retry-after': '3600' }).end();
        refused();
      },
    });
    const host = await startHost();
    await startRun(host, 'globex', OTHER_KEY, `${gateway}/limited`);
    await heldBack;
    const runId = await startRun(host, 'acme', KEY, `${gateway}/agent`);
    expect(await summaryOf(host, runId, KEY)).toMatchObject({ passed: true, passedCount: 3 });
  });
});

describe('a name whose servers do not answer', () => {
  it('keeps the agent of another tenant from nothing, and is asked for once by all tasks', async () => {
    const dns = await startDnsServer(() => 'silent');
    open.push(dns);
    const gateway = await startGateway({});
    const host = await startHost({ dnsServers: [dns.address] });
    const url = 'http://agent.silent.example:9000/';
    await startRun(host, 'globex', OTHER_KEY, url, { tasks: 200, concurrency: 200 });
    await until(() => expect(dns.asked.length).toBeGreaterThan(0));
    const runId = await startRun(host, 'acme', KEY, gateway.replace('127.0.0.1', 'localhost'));
    expect(await summaryOf(host, runId, KEY)).toMatchObject({ passed: true, passedCount: 3 });
    // A question is sent again when it is not answered; 200 tasks would have asked 200 times.
    expect(dns.asked.length).toBeLessThan(100);
  });
});

describe('agents that do not answer', () => {
  it('leave connections for another tenant, and the tasks that wait are counted', async () => {
    let connections = 0;
    let atOnce = 0;
    const gateway = await startGateway({
      '/silent': (response) => {
        connections += 1;
        atOnce = Math.max(atOnce, connections);
        response.on('close', () => {
          connections -= 1;
        });
      },
    });
    const host = await startHost({}, { limits: { perTenant: { openInvocations: 20 } } });
    const many = { tasks: 100, concurrency: 100 };
    await startRun(host, 'globex', OTHER_KEY, `${gateway}/silent`, many);
    for (let i = 0; i < 3; i += 1) await runAgain(host, { concurrency: 100 });
    await until(() => expect(connections).toBe(20));
    const runId = await startRun(host, 'acme', KEY, `${gateway}/agent`);
    expect(await summaryOf(host, runId, KEY)).toMatchObject({ passed: true, passedCount: 3 });
    expect(atOnce).toBe(20);
    const metrics = await metricsOf(host);
    expect(metrics).toMatch(/touchstone_limit_reached_total\{limit="openInvocations"\} \d{2,}/);
  });

  it('leave files to open for a host that may open few', async () => {
    let connections = 0;
    const gateway = await startGateway({
      '/silent': () => {
        connections += 1;
      },
    });
    const serving = await serve([], projectFolder(), {}, undefined, 256);
    open.push({ close: async () => void (await kill(serving)) });
    const host = hostAt(serving.url);
    const many = { tasks: 200, concurrency: 200 };
    await startRun(host, 'globex', OTHER_KEY, `${gateway}/silent`, many);
    await runAgain(host, { concurrency: 200 });
    await until(() => expect(connections).toBeGreaterThan(20));
    const runId = await startRun(host, 'acme', KEY, `${gateway}/agent`);
    expect(await summaryOf(host, runId, KEY)).toMatchObject({ passed: true, passedCount: 3 });
  });
});

describe('connections on which nothing is asked', () => {
  it('of one address keep nobody else out, and take no files from tasks', async () => {
    const gateway = await startGateway({});
    const serving = await serve([], projectFolder(), {}, undefined, 256);
    open.push({ close: async () => void (await kill(serving)) });
    const host = hostAt(serving.url);
    const flood = floodFrom('127.0.0.2', Number(new URL(serving.url).port), 400);
    open.push(flood);
    await until(() => expect(flood.opened()).toBeGreaterThan(600));
    const suite = { tasks: 60, concurrency: 8 };
    const runId = await startRun(host, 'acme', KEY, `${gateway}/agent`, suite);
    expect(await summaryOf(host, runId, KEY)).toMatchObject({ passed: true, passedCount: 60 });
    expect(flood.failed()).toBe(0);
  });
});

/** Holds so many connections that say nothing, and opens another one for each that is closed. */
function floodFrom(localAddress: string, port: number, many: number) {
  let [isOver, opened, failed] = [false, 0, 0];
  const sockets = new Set<Socket>();
  const openOne = (): void => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.add(socket);
    socket.on('connect', () => {
      opened += 1;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code !== 'ECONNRESET') failed += 1;
    });
    socket.on('close', () => {
      sockets.delete(socket);
      // A pause keeps the attack from being one for the processor.
      if (!isOver) setTimeout(openOne, 50);
    });
  };
  for (let count = 0; count < many; count += 1) openOne();
  return {
    opened: () => opened,
    failed: () => failed,
    close: async () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('long requests of one tenant', () => {
  it('wait for each other, while the requests of another are answered between them', async () => {
    const gateway = await startGateway({});
    const host = await startHost({}, { limits: { perTenant: { aheadMs: 1 } } });
    await summaryOf(host, await startRun(host, 'globex', OTHER_KEY, `${gateway}/agent`), OTHER_KEY);
    const runId = await startRun(host, 'acme', KEY, `${gateway}/agent`);
    await summaryOf(host, runId, KEY);
    const metadata = { text: 'm'.repeat(2_000_000) };
    const order: string[] = [];
    const attack = Array.from({ length: 10 }, async () => {
      const { status } = await runAgain(host, {}, { metadata });
      order.push(`globex ${status}`);
    });
    let isOver = false;
    const ended = Promise.all(attack).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const { status } = await host.fetch(`/v1/runs/${runId}`);
      order.push(`acme ${status}`);
    }
    await ended;
    const answers = (one: string) => order.filter((other) => other === one).length;
    expect(answers('globex 201')).toBe(10);
    expect(answers('acme 200')).toBeGreaterThanOrEqual(10);
    expect(await metricsOf(host)).toMatch(/touchstone_limit_reached_total\{limit="aheadMs"\} [1-9]/);
  });

  it('are refused at once when they have more members than a body may have', async () => {
    const host = await startHost({}, { limits: { maxBodyValues: 1_000 } });
    const metadata = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`m${at}`, at]));
    const refusal = await runAgain(host, {}, { metadata });
    expect(refusal.status).toBe(400);
    expect(await refusal.json()).toMatchObject({ error: 'validation_error', details: { field: 'body' } });
  });
});

describe('a host that starts again', () => {
  it('takes up the run of a tenant although another has many that wait', async () => {
    const gateway = await startGateway({ '/silent': () => undefined });
    const folder = projectFolder();
    const first = await serve([], folder);
    const there = hostAt(first.url);
    const attack = await startRun(there, 'globex', OTHER_KEY, `${gateway}/silent`);
    await Promise.all(Array.from({ length: 150 }, () => runAgain(there)));
    // Silent for now: the run is under way when the host is killed.
    let isSilent = true;
    const turn = await startGateway({
      '/agent': (response, body) => (isSilent ? undefined : answer(response, body)),
    });
    const runId = await startRun(there, 'acme', KEY, `${turn}/agent`);
    await untilRunning(there, runId);
    await kill(first);
    isSilent = false;
    const second = await serve([], folder);
    open.push({ close: async () => void (await kill(second)) });
    expect(await summaryOf(hostAt(second.url), runId, KEY)).toMatchObject({ passed: true, passedCount: 3 });
    expect(attack).not.toBe(runId);
  });
});

/** Starts another run like the first one of globex. */
const runAgain = (host: HostClient, configurable: object = {}, more: object = {}): Promise<Response> =>
  host.fetch('/v1/runs', {
    method: 'POST',
    key: OTHER_KEY,
    body: {
      mode: 'eval',
      evalSuiteRef: 'local.globex.evals.echo@1.0.0',
      agentId: 'local.globex.bot',
      configurable,
      ...more,
    },
  });
