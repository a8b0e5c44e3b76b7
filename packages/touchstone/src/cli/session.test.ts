import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { completeCommands } from './session.js';
import { type CompareCli, openCompareCli, TASKS } from './testing/compare-cli.js';
import { openTestCli, type TestCli } from './testing/test-cli.js';

const servers: Server[] = [];
const desks: TestCli[] = [];
afterEach(() => {
  for (const one of servers.splice(0)) one.close().closeAllConnections();
  for (const one of desks.splice(0)) one.close();
});

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function desk(options: Parameters<typeof openTestCli>[0] = {}): TestCli {
  const cli = openTestCli({ env: { TOUCHSTONE_KEY: 'ts_x' }, ...options });
  desks.push(cli);
  cli.write('a.suite.json', {
    suiteId: 'local.test.evals.a',
    version: '1.0.0',
    modes: ['golden'],
    tasks: [
      { taskId: 'a', input: 'a', expected: { kind: 'golden', match: { strategy: 'exact', value: 'a' } } },
    ],
  });
  return cli;
}

const says =
  (status: number, type: string, body: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };

describe('an address where something else answers', () => {
  const VERBS = [
    ['runs'],
    ['show', 'last'],
    ['compare', 'last~1', 'last'],
    ['run', 'a.suite.json', '--agent', 'x', '--junit', 'r.xml'],
    ['annotate', 'last', '--rating', '3'],
    ['deployments', 'local.a'],
    ['audit', 'list'],
    ['keys', 'list'],
    ['baseline', 'list'],
    ['approve', 'run-1'],
  ];
  test.each([
    ['an empty object', says(200, 'application/json', '{}')],
    ['a page', says(200, 'text/html', '<html>')],
    ['not found', says(404, 'text/plain', 'no')],
  ])('(%s) is said to be no host, by every verb', async (_what, answer) => {
    const host = await listen(answer);
    for (const verb of VERBS) {
      const cli = desk();
      const { code, err } = await cli.run(...verb, '--host', host);
      expect({ verb, code, err }).toMatchObject({ code: 2 });
      expect(err).toContain(`${host} answers, but it is no Touchstone host`);
      expect(cli.has('r.xml')).toBe(false);
    }
  });

  test('that has a path or a query is refused before anything is sent', async () => {
    const { code, err } = await desk().run('runs', '--host', 'https://evals.example/v1?x=1');
    expect(code).toBe(2);
    expect(err).toContain('--host https://evals.example');
    expect(err).toContain('without a path');
  });

  test('that never answers is told of after some seconds', async () => {
    const host = await listen(() => undefined);
    const cli = desk();
    const ticks: (() => void)[] = [];
    const io = {
      ...cli.io,
      every: (_ms: number, tick: () => void) => (ticks.push(tick) > 0 ? () => undefined : () => undefined),
    };
    const { main } = await import('./main.js');
    const running = main(['runs', '--host', host], io);
    await new Promise((resolve) => servers[0]?.once('request', resolve));
    for (const tick of ticks) tick();
    await cli.seen(`Still waiting for an answer of ${host}`);
    servers[0]?.closeAllConnections();
    servers[0]?.close();
    expect(await running).toBe(3);
  }, 30_000);
});

describe('a host in front of another one', () => {
  const DISCOVERY = JSON.stringify({ protocolVersion: '1.0' });

  test('that does not know the order of the audit log is read to its end', async () => {
    const entries = Array.from({ length: 7 }, (_, at) => ({
      seq: at + 1,
      at: `2026-01-01T00:00:0${at}.000Z`,
      principal: 'p',
      action: 'a',
      resource: `r-${at + 1}`,
      digest: 'sha256:0',
    }));
    const host = await listen((request, response) => {
      const url = new URL(request.url ?? '', 'http://h');
      response.setHeader('content-type', 'application/json');
      if (url.pathname.startsWith('/.well-known')) return void response.end(DISCOVERY);
      // Three at a time, oldest first, whatever order is asked for.
      const from = Number(url.searchParams.get('cursor') ?? 0);
      const most = Math.min(3, Number(url.searchParams.get('limit')));
      const items = entries.slice(from, from + most);
      const next = from + most < entries.length ? { nextCursor: String(from + most) } : {};
      response.end(JSON.stringify({ items, ...next }));
    });
    for (const limit of [1, 2, 5]) {
      const { out } = await desk().run('audit', 'list', '--limit', String(limit), '--json', '--host', host);
      const seen = JSON.parse(out).items.map(({ seq }: { seq: number }) => seq);
      expect(seen).toEqual([7, 6, 5, 4, 3].slice(0, limit));
    }
  });
});

test.each([
  ['See them with: touchstone runs', 'See them with: touchstone runs --host http://h --key-env K'],
  [
    'Bless one with "touchstone baseline bless <runId>", or wait.',
    'Bless one with "touchstone baseline bless <runId> --host http://h --key-env K", or wait.',
  ],
  [
    'Type: touchstone show run-1 --events. Then go.',
    'Type: touchstone show run-1 --events --host http://h --key-env K. Then go.',
  ],
  ['Make one with: touchstone keys create', 'Make one with: touchstone keys create'],
  ['It has touchstone runs --host http://h already', 'It has touchstone runs --host http://h already'],
])('a command to type is completed: %s', (text, completed) => {
  expect(completeCommands(text, { host: 'http://h', keyEnv: 'K' })).toBe(completed);
  expect(completeCommands(text, {})).toBe(text);
});

describe('on a host', () => {
  let cli: CompareCli;
  let serving: ReturnType<CompareCli['run']>;
  let host: readonly string[];
  let url = '';
  let caller: TestCli;

  beforeAll(async () => {
    cli = openCompareCli();
    cli.writeSuite(TASKS);
    cli.write('touchstone.config.json', {
      roles: { commenter: ['runs:read', 'runs:annotate'] },
      agents: [{ agentId: 'local.test.bot', version: '1.0.0', run: { kind: 'module', path: './agent.mjs' } }],
    });
    await cli.runWith({ one: 'wrong' });
    const keyOf = async (role: string): Promise<string> => {
      const argv = ['keys', 'create', '--tenant', 'local', '--workspace', 'main', '--role', role];
      return (await cli.run(...argv)).out.trim();
    };
    const env = { MY_KEY: await keyOf('admin'), COMMENTER_KEY: await keyOf('commenter') };
    serving = cli.run('serve', '--port', '0');
    await cli.seen('listening ');
    [, url = ''] = cli.written.out.match(/listening (\S+)\n/) ?? [];
    caller = openTestCli({ cwd: cli.cwd, env });
    host = ['--host', url, '--key-env', 'MY_KEY'];
  });
  afterAll(async () => {
    cli.signal('SIGTERM');
    await serving;
    cli.close();
  });

  test('what is not there is said to be missing there, and hints can be typed', async () => {
    const { code, err } = await caller.run('show', 'run-nope', ...host);
    expect(code).toBe(2);
    expect(err).toContain(`There is no run run-nope on ${new URL(url).host}.`);
    expect(err).toContain(`touchstone runs --host ${url} --key-env MY_KEY`);
    expect(err).not.toMatch(/\bhere\b/);
  });

  test('who may not override a score is told that it was not overridden', async () => {
    const argv = ['annotate', 'last', '--task', 'one', '--failed', '--note', 'too short'];
    const { code, out, err } = await caller.run(...argv, '--host', url, '--key-env', 'COMMENTER_KEY');
    expect(code).toBe(2);
    expect(err).toContain('The score was not overridden');
    expect(err).toContain('evals:override');
    expect(out).toBe('');
  });

  test('a run that a command began and left is not waited for', async () => {
    const began = openTestCli({ cwd: cli.cwd });
    began.write('slow.mjs', 'export default () => new Promise(() => undefined);');
    const running = began.run('run', 'orders.suite.json', '--agent', './slow.mjs');
    const newest = async () => JSON.parse((await caller.run('runs', '--limit', '1', '--json')).out).items[0];
    while ((await newest()).status !== 'running');
    began.signal('SIGINT');
    expect((await running).code).toBe(130);
    const { runId } = await newest();
    for (const wanted of [['--resume', runId], ['--resume']]) {
      const { code, err } = await caller.run('run', ...wanted, ...host);
      expect(code).toBe(2);
      expect(err).toMatch(/begun by a command line|no unfinished run/);
    }
  });

  test('that is lost during a run says which run it was, and how to follow it again', async () => {
    // Everything is passed on until the run is read after its end; from then on nobody answers.
    let isLost = false;
    const proxy = await listen(async (request, response) => {
      isLost ||= /^\/v1\/runs\/run-\w+$/.test(request.url ?? '') && request.method === 'GET';
      if (isLost) return void request.socket.destroy();
      const body = request.method === 'POST' ? await text(request) : undefined;
      const { authorization = '', accept = '' } = request.headers;
      const key = String(request.headers['idempotency-key'] ?? 'none');
      const headers = { authorization, accept, 'content-type': 'application/json', 'idempotency-key': key };
      const init = { method: request.method ?? 'GET', headers, ...(body !== undefined && { body }) };
      const answer = await fetch(url + request.url, init);
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    const argv = ['run', 'orders.suite.json', '--agent', 'local.test.bot', '--junit', 'lost.xml'];
    const { code, err } = await caller.run(...argv, '--host', proxy, '--key-env', 'MY_KEY');
    expect(code).toBe(3);
    expect(err).toMatch(/The host was lost\. Run run-\w+ is kept there/);
    expect(err).toMatch(/touchstone run --resume run-\w+ --junit lost\.xml --host \S+ --key-env MY_KEY\n/);
    expect(cli.has('lost.xml')).toBe(false);
  }, 60_000);

  test('approve last is the newest run that waits, and says when there is none', async () => {
    for (const more of [[], host]) {
      const { code, err } = await caller.run('approve', 'last', ...more);
      expect(code).toBe(2);
      expect(err).toContain('No deployment waits for approval');
      expect(err).toContain('touchstone deployments');
    }
  });

  test('one task and all events are two questions', async () => {
    const { code, err } = await caller.run('show', 'last', '--task', 'one', '--events');
    expect(code).toBe(2);
    expect(err).toContain('--task');
    expect(err).toContain('--events');
  });

  test('a key has the same name here and there', async () => {
    const there = JSON.parse((await caller.run('keys', 'list', ...host, '--json')).out).items as {
      keyId: string;
    }[];
    const { out } = await caller.run('keys', 'list');
    for (const { keyId } of there) expect(out).toContain(`${keyId} `);
  });

  test('no run, no report: a file that was not there is not left empty', async () => {
    const argv = [
      'run',
      'orders.suite.json',
      '--agent',
      'local.nope',
      '--junit',
      'new.xml',
      '--markdown',
      'new.md',
    ];
    expect((await caller.run(...argv, ...host)).code).toBe(2);
    expect((await caller.run(...argv)).code).toBe(2);
    expect([cli.has('new.xml'), cli.has('new.md')]).toEqual([false, false]);
    cli.write('old.xml', 'kept');
    expect((await caller.run(...argv.slice(0, 5), 'old.xml')).code).toBe(2);
    expect(cli.read('old.xml')).toBe('kept');
  });
});
