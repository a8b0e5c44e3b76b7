import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CompareCli, openCompareCli, SUITE, TASKS } from './testing/compare-cli.js';
import { openTestCli, type TestCli } from './testing/test-cli.js';

// Goal: whatever a host answers, or whoever answers in its place, cannot act on the terminal of its caller, forge a line
// there or put a second command behind one that is shown to be typed. Method: a server over real runs, and before it a
// proxy that adds the same attack to every string of every answer, and to some numbers.
const TITLE = '\u001b]0;owned\u0007\u009b2J\u202e\u{e0041}\u061c';
const FORGED = 'FORGED LINE';
const ATTACK = `\r\n${FORGED}${TITLE}; touch /tmp/owned`;

const INQUERY = new URLSearchParams({ x: ATTACK }).toString().slice(2);

let cli: CompareCli;
let serving: ReturnType<CompareCli['run']>;
let proxy: Server;
let key: string;
let url: string;
let runId: string;

beforeAll(async () => {
  cli = openCompareCli();
  cli.writeSuite(TASKS);
  await cli.runWith({});
  runId = await cli.runWith({ one: 'wrong', two: 'wrong' });
  await cli.run('baseline', 'bless', runId);
  serving = cli.run('serve', '--port', '0');
  await cli.seen('This is the only time the key is shown');
  const [, target = '', found = ''] =
    cli.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
  key = found;
  proxy = createServer((request, response) => void forward(target, request, response));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  proxy.close().closeAllConnections();
  cli.signal('SIGTERM');
  await serving;
  cli.close();
});

/** Only the discovery document is passed on unchanged: what is no host is not asked. */
async function forward(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = request;
  const body = method === 'GET' ? undefined : await buffer(request);
  // The client goes on with the ids that it was given.
  const asked = path.replaceAll(encodeURIComponent(ATTACK), '').replaceAll(INQUERY, '');
  const answer = await fetch(target + asked, {
    method,
    headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
    ...(body && { body: new Uint8Array(body) }),
  });
  const text = await answer.text();
  const isKept = path.startsWith('/.well-known') || text === '';
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(isKept ? text : JSON.stringify(attacked(JSON.parse(text))));
}

/** What a client decides by stays as it is, so that it goes on to show the rest. */
const DECIDING = new Set(['status', 'nextCursor', 'kind', 'mode', 'verdict', 'outcome', 'state', 'strategy']);
const NUMBERS = new Set(['records', 'seq', 'taskCount']);

function attacked(value: unknown, name = ''): unknown {
  const isText = typeof value === 'string' && !DECIDING.has(name);
  if (isText || (typeof value === 'number' && NUMBERS.has(name))) return `${value}${ATTACK}`;
  if (Array.isArray(value)) return value.map((item) => attacked(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, attacked(one, member)]));
}

const HIDDEN = /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u{e0000}-\u{e007f}]/u;
const COLOUR = new RegExp(`${'\u001b'}\\[\\d+m`, 'g');

const VERBS: readonly (readonly string[])[] = [
  ['runs'],
  ['show', 'last'],
  ['show', 'last', '--failed'],
  ['show', 'last', '--events'],
  ['show', 'last', '--task', 'one'],
  ['compare', 'last~1', 'last'],
  ['baseline', 'list'],
  ['baseline', 'show', SUITE],
  ['annotate', 'last', '--list'],
  ['audit', 'verify'],
  ['audit', 'list'],
  ['usage'],
  ['keys', 'list'],
  ['deployments', 'local.test.agent'],
  ['prune', '--keep', '9', '--dry-run'],
  ['export', 'last', '--out', '-'],
];

describe('a host that is hostile', () => {
  test.each(VERBS)('writes nothing to the terminal of its caller: %s %s %s', async (...argv) => {
    const words = argv.filter((word) => word !== undefined);
    for (const isTTY of [true, false]) {
      const caller: TestCli = openTestCli({ cwd: cli.cwd, isTTY, env: { TOUCHSTONE_KEY: key } });
      const { out, err } = await caller.run(...words, '--host', url);
      const shown = isTTY ? (out + err).replace(COLOUR, '') : out + err;
      expect(shown).not.toMatch(HIDDEN);
      expect(shown.split('\n').filter((line) => line.trimStart().startsWith(FORGED))).toEqual([]);
      expect(shown).not.toMatch(/touchstone [^'\n]*; touch/);
      const document = await caller.run(...words, '--host', url, '--json');
      expect(document.out).not.toMatch(HIDDEN);
      if (document.out !== '') JSON.parse(document.out);
    }
  });

  test('is quoted with its error, which takes one line', async () => {
    const refusing = createServer((request, response) => {
      const isDiscovery = request.url?.startsWith('/.well-known');
      response.writeHead(isDiscovery ? 200 : 400, { 'content-type': 'application/json' });
      const issues = [null, 'x', { pointer: `/a${ATTACK}`, message: `m${ATTACK}` }];
      const refusal = { error: `code${ATTACK}`, message: `words${ATTACK}`, details: { issues } };
      response.end(JSON.stringify(isDiscovery ? { protocolVersion: '1' } : refusal));
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const caller = openTestCli({ isTTY: true, env: { TOUCHSTONE_KEY: 'ts_x' } });
    const at = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    const { code, err } = await caller.run('runs', '--host', at);
    expect([code, err]).toEqual([2, expect.stringMatching(/^error code\\r\\nFORGED LINE\\u001b[^\n]*\n$/)]);
    expect(err).not.toMatch(HIDDEN);
    refusing.close().closeAllConnections();
    caller.close();
  });
});
