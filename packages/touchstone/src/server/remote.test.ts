import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../app/config/config.js';
import { createTrustedProxies } from '../app/config/trusted-proxies.js';
import { listen, sendRaw } from '../app/testing/listening.js';
import { expectRefusal } from '../app/testing/scorecards.js';
import { createTestHost, KEYS } from '../app/testing/test-host.js';
import { remoteOf } from './remote.js';

const isTrusted = createTrustedProxies(['10.0.0.0/8', 'fd00::/16', '127.0.0.1']);
const read = (remoteAddress: string, headers: { readonly [name: string]: string }) =>
  remoteOf(
    { socket: { remoteAddress }, headers: { host: 'here:80', ...headers } } as never as IncomingMessage,
    isTrusted,
  );
const http = (address: string) => ({ address, protocol: 'http', host: 'here:80' });
const https = (address: string) => ({ address, protocol: 'https', host: 'evals.example' });

describe('who sent a request', () => {
  it.each([
    ['no proxy', '203.0.113.9', {}, http('203.0.113.9')],
    [
      'a proxy that is not trusted',
      '203.0.113.9',
      { 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'https' },
      http('203.0.113.9'),
    ],
    [
      'the same with Forwarded',
      '203.0.113.9',
      { forwarded: 'for=1.1.1.1;proto=https;host=x' },
      http('203.0.113.9'),
    ],
    ['a trusted proxy that says nothing', '10.0.0.1', {}, http('10.0.0.1')],
    ['a trusted one', '10.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, http('203.0.113.9')],
    ['a trusted one over IPv6', '::ffff:10.0.0.1', { 'x-forwarded-for': '2001:db8::7' }, http('2001:db8::7')],
    [
      'a trusted one with TLS',
      '10.0.0.1',
      { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evals.example' },
      https('203.0.113.9'),
    ],
    [
      'a trusted one with Forwarded',
      '10.0.0.1',
      { forwarded: 'for=203.0.113.9;Proto=https;host="evals.example"' },
      https('203.0.113.9'),
    ],
    ['IPv6 in Forwarded', 'fd00::1', { forwarded: 'For="[2001:db8::7]:4711"' }, http('2001:db8::7')],
    ['a port', '10.0.0.1', { 'x-forwarded-for': '203.0.113.9:4711' }, http('203.0.113.9')],
    [
      'a caller that invents a way',
      '10.0.0.1',
      { 'x-forwarded-for': '1.1.1.1, 203.0.113.9' },
      http('203.0.113.9'),
    ],
    [
      'two trusted proxies',
      '10.0.0.1',
      {
        'x-forwarded-for': '203.0.113.9, 10.0.0.2',
        'x-forwarded-proto': 'https, http',
        'x-forwarded-host': 'evals.example',
      },
      https('203.0.113.9'),
    ],
    [
      'two of them in Forwarded',
      '10.0.0.1',
      { forwarded: 'for=203.0.113.9;proto=https;host=evals.example, for=10.0.0.2;proto=http' },
      https('203.0.113.9'),
    ],
    [
      'only the way it came',
      '10.0.0.1',
      { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evals.example' },
      https('10.0.0.1'),
    ],
    [
      'no address',
      '10.0.0.1',
      { forwarded: 'for=unknown;proto=https;host=evals.example' },
      https('10.0.0.1'),
    ],
    [
      'both headers, the same',
      '10.0.0.1',
      { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' },
      http('203.0.113.9'),
    ],
    [
      'both headers, one of them made up',
      '10.0.0.1',
      { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=1.1.1.1;proto=https' },
      http('10.0.0.1'),
    ],
    ['a scheme that is none', '10.0.0.1', { 'x-forwarded-proto': 'javascript' }, http('10.0.0.1')],
  ])('%s', (_, address, headers, expected) => {
    expect(read(address, headers as { readonly [name: string]: string })).toEqual(expected);
  });
});

it.each([
  ['10.0.0.0/33'],
  ['10.0.0.0/0'],
  ['::/0'],
  ['proxy.internal'],
  ['10.0.0.1/8/9'],
  [''],
  ['10.0.0.1/x'],
])('%j is no trusted proxy', (entry) => {
  expect(() => parseConfig({ trustedProxies: ['10.0.0.1', entry] }, '/')).toThrow('/trustedProxies/1');
});

describe('behind a trusted proxy', () => {
  const forwarded = (address: string) => ({
    'x-forwarded-for': address,
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evals.example',
  });

  it('callers are counted apart, and links begin as the caller wrote them', async () => {
    const host = await createTestHost({
      config: { trustedProxies: ['127.0.0.1'], limits: { requestsPerMinute: 2 } },
    });
    const discover = (address: string) =>
      host.request('GET', '/.well-known/openwop', { key: null, headers: forwarded(address) });
    for (let n = 0; n < 2; n += 1) expect((await discover('203.0.113.9')).status).toBe(200);
    expectRefusal(await discover('203.0.113.9'), 429, 'rate_limited');
    expect((await discover('203.0.113.10')).status).toBe(200);
    const body = { workflowId: 'conformance-noop' };
    const created = await host.request('POST', '/v1/runs', { body, headers: forwarded('203.0.113.9') });
    expect(created.json()).toMatchObject({
      statusUrl: expect.stringMatching(/^https:\/\/evals\.example\/v1\//),
    });
    await host.close();
  });

  it('that is not listed, its headers are not read', async () => {
    const host = await createTestHost({ config: { limits: { requestsPerMinute: 2 } } });
    const body = { workflowId: 'conformance-noop' };
    const created = await host.request('POST', '/v1/runs', { body, headers: forwarded('203.0.113.9') });
    expect(created.text).not.toContain('evals.example');
    await host.close();
  });
});

describe('over a socket', () => {
  it('two Authorization headers are refused, whichever of them is valid', async () => {
    const host = await createTestHost();
    const url = await listen(host.app);
    const [good, bad] = [`Authorization: Bearer ${KEYS.acme}\r\n`, 'authorization: Bearer other\r\n'];
    for (const headers of [good + bad, bad + good, good + good]) {
      const answer = await sendRaw(
        url,
        `GET /v1/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toContain('Send one Authorization header, not several.');
    }
    await host.close();
  });

  it('a caller that resets after its head leaves no internal error', async () => {
    const host = await createTestHost();
    const url = await listen(host.app);
    const head = 'POST /v1/runs HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let n = 0; n < 50; n += 1) {
      const gone = new Promise<void>((resolve) => {
        host.app.server.once('connection', (socket) => socket.once('close', resolve));
      });
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
      socket.once('connect', () => socket.write(head, () => socket.resetAndDestroy()));
      await gone;
    }
    expect(host.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    await host.close();
  });
});
