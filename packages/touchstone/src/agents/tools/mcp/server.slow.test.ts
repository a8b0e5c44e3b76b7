import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asId, type Json, type ToolId } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { check } from '@touchstone/protocol/wire';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withTraceparent } from '../../../net/index.js';
import { freePort } from '../../fixtures/free-port.js';
import { manualClock } from '../../fixtures/manual-clock.js';
import { temporaryFolder } from '../../fixtures/temporary-folder.js';
import { createTools, type ToolGrants } from '../tools.js';
import { LibraryMissing } from './library.js';
import { parseMcpServers } from './server-spec.js';

const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const ODD = fileURLToPath(new URL('./fixtures/odd-server.mjs', import.meta.url));
const acme = { tenant: 'acme', workspace: 'main' };
const rival = { tenant: 'rival', workspace: 'main' };
const never = new AbortController().signal;

const odd = (manner = 'well') => ({ command: process.execPath, args: [ODD, manner] });
const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
const idOf = (name: string) => asId<ToolId>(`mcp:one.${name}`);

function start(spec: object = odd(), grants: Partial<ToolGrants> = {}) {
  const clock = manualClock();
  const servers = parseMcpServers({ one: spec });
  const tools = createTools([], servers, {
    isOnlyTenant: () => true,
    clock,
    maxOutcomeBytes: 8_000,
    ...grants,
  });
  onTestFinished(() => tools.close());
  const call = (name: string, inputs: Json = {}, signal = never, owner = acme) =>
    tools.call(owner, idOf(name), toBody(inputs), signal);
  const pids = async () => (await call('pids')).outcome as unknown as [number, number];
  return { clock, tools, call, pids };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
/** Bounds a wait for something that nothing announces; a busy machine takes long. */
const PATIENCE_MS = 60_000;
/** Ended and taken notice of by its parent, which is us for a server but not for those it has started. */
const untilGone = (pid: number) => vi.waitFor(() => expect(isRunning(pid)).toBe(false), PATIENCE_MS);
const untilEnded = (pid: number) =>
  vi.waitFor(() => expect(isRunning(pid) && !isDefunct(pid)).toBe(false), PATIENCE_MS);
/** Complete once it ends with a line break. */
const pidIn = (file: string) =>
  vi.waitFor(() => {
    const [, pid] = /^(\d+)\n$/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(pid).toBeDefined();
    return Number(pid);
  }, PATIENCE_MS);
const isDefunct = (pid: number) =>
  process.platform === 'linux' && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('a real server over a pipe', () => {
  it('is listed, described and called', async () => {
    const { tools, call } = start({ ...everything, safetyTier: 'read' });
    const catalogue = await tools.catalogue(acme);
    const echo = catalogue.find(({ toolId }) => toolId === idOf('echo'));
    expect(echo).toMatchObject({ source: 'mcp', safetyTier: 'read', inputSchema: { required: ['message'] } });
    expect(await tools.find(acme, idOf('echo'))).toEqual(echo);
    for (const descriptor of catalogue) expect(check('tool-descriptor', descriptor)).toEqual([]);
    expect(catalogue.at(-1)).toMatchObject({ source: 'host-extension', safetyTier: 'write' });
    expect(await call('echo', { message: 'hi' })).toEqual({ status: 'ok', outcome: 'Echo: hi' });
    expect(await call('get-structured-content', { location: 'Chicago' })).toMatchObject({
      status: 'ok',
      outcome: { temperature: 36 },
    });
    expect(await call('echo', {})).toMatchObject({
      status: 'error',
      error: expect.stringContaining('message'),
    });
    expect(await call('nothing-like-it')).toMatchObject({ status: 'error' });
    expect(await call('echo', 'hi')).toMatchObject({
      status: 'error',
      error: expect.stringContaining('object'),
    });
  });

  it('is given only what a program needs and what the configuration says', async () => {
    vi.stubEnv('TOUCHSTONE_CANARY', 'SECRET');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { call } = start({ ...everything, env: { GREETING: 'hello' } });
    const { outcome } = await call('get-env');
    expect(outcome).toMatchObject({ GREETING: 'hello', PATH: process.env.PATH });
    expect(outcome).not.toHaveProperty('TOUCHSTONE_CANARY');
  });
});

async function startServer(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve) =>
    child.stderr?.on('data', (said) => String(said).includes('listening') && resolve()),
  );
  return child;
}

describe('a real server over HTTP', () => {
  async function kill(child: ChildProcess): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  it('is found again after it was killed, and a call it takes down with it is an error', async () => {
    const port = await freePort();
    const first = await startServer(port);
    const { tools, call } = start({ url: `http://127.0.0.1:${port}/mcp` });
    expect((await tools.catalogue(acme)).map(({ toolId }) => toolId)).toContain(idOf('echo'));
    expect(await call('echo', { message: 'hi' })).toEqual({ status: 'ok', outcome: 'Echo: hi' });
    expect(await call('echo', {})).toMatchObject({
      status: 'error',
      error: expect.stringContaining('message'),
    });
    const interrupted = call('trigger-long-running-operation', { duration: 60, steps: 2 });
    // Answered after the long call has arrived.
    await call('echo', { message: 'hi' });
    await kill(first);
    expect(await interrupted).toMatchObject({
      status: 'error',
      error: expect.stringContaining('server one'),
    });
    expect(await call('echo', { message: 'hi' })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('ECONNREFUSED'),
    });
    await startServer(port);
    expect(await call('echo', { message: 'again' })).toEqual({ status: 'ok', outcome: 'Echo: again' });
  });

  it('is asked under the trace that a call belongs to, and only then', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      if (request.method === 'POST') seen.push(request.headers.traceparent);
      response.writeHead(403).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { call } = start({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    await withTraceparent(
      () => 'trace-of-one',
      () => call('echo'),
    );
    const traced = seen.length;
    await call('echo');
    expect(new Set(seen.slice(0, traced))).toEqual(new Set(['trace-of-one']));
    expect(new Set(seen.slice(traced))).toEqual(new Set([undefined]));
  });

  it('is an error without content when something else answers there', async () => {
    const server = createServer((_request, response) => response.writeHead(403).end('SECRET'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { tools, call } = start({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    const result = await call('echo');
    expect(result).toMatchObject({ status: 'error', error: expect.stringContaining('HTTP 403') });
    expect(JSON.stringify([result, await tools.serverIssues()])).not.toContain('SECRET');
  });
});

describe('what a tool says', () => {
  it.each<[string, string, object]>([
    ['text that is JSON becomes a value', 'json', { status: 'ok', outcome: { inputs: { q: 1 } } }],
    ['other text stays text', 'words', { status: 'ok', outcome: 'not { JSON' }],
    ['structure goes before text', 'counts', { status: 'ok', outcome: { cancelled: 0, lists: 0 } }],
    [
      'several parts stay as they are',
      'many',
      {
        status: 'ok',
        outcome: [
          { type: 'text', text: 'one' },
          { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        ],
      },
    ],
    ['too much is an error', 'long', { status: 'error', error: expect.stringContaining('8000 bytes') }],
    ['what nests too deep is an error', 'deep', { status: 'error', error: expect.stringContaining('deep') }],
  ])('%s', async (_name, tool, expected) => {
    expect(await start().call(tool, { q: 1 })).toEqual(expected);
  });

  it('is cut short when it is a complaint', async () => {
    const { error } = await start().call('fails');
    expect(error).toMatch(/^no: x+$/);
    expect(error).toHaveLength(8_000);
  });
});

describe('the list of tools', () => {
  it('is gathered from all pages, asked for once, and again when it has changed', async () => {
    const { tools, call } = start();
    const wanted = ['json', 'grown', 'pids'].map(idOf);
    const offered = async () => (await tools.granted(acme, wanted)).map(({ toolId }) => toolId);
    expect(await offered()).toEqual([idOf('json'), idOf('pids')]);
    expect(await offered()).toEqual([idOf('json'), idOf('pids')]);
    expect((await call('counts')).outcome).toMatchObject({ lists: 1 });
    await call('grow');
    expect(await offered()).toEqual(wanted);
    expect((await call('counts')).outcome).toMatchObject({ lists: 2 });
  });

  it('leaves out names that cannot be shown, by every question, and cuts descriptions', async () => {
    const { tools, call } = start(odd('strange'));
    const listed = (await tools.catalogue(acme)).map(({ toolId }) => toolId);
    expect(listed).toEqual(expect.arrayContaining([idOf('json'), idOf('group/odd')]));
    expect(await tools.find(acme, idOf('group/odd'))).toBeDefined();
    for (const name of ['a b', 'a\u0007b', 'a\u202eb', 'x'.repeat(181)]) {
      expect(listed).not.toContain(idOf(name));
      expect(await tools.find(acme, idOf(name))).toBeUndefined();
      expect(await tools.granted(acme, [idOf(name)])).toEqual([]);
      expect(await call(name)).toMatchObject({ status: 'forbidden' });
    }
    expect((await tools.find(acme, idOf('wordy')))?.description).toBe('x'.repeat(1_999));
  });

  it('is shared by everyone who asks at the same time', async () => {
    const { tools, call } = start();
    await Promise.all([tools.catalogue(acme), tools.granted(acme, [idOf('json')]), call('json')]);
    expect((await call('counts')).outcome).toMatchObject({ lists: 1 });
  });
});

describe('a server that goes away', () => {
  it('is started again for the next call', async () => {
    const { call, pids } = start();
    const [server, helper] = await pids();
    process.kill(server, 'SIGKILL');
    await untilGone(server);
    expect((await call('json')).status).toBe('ok');
    expect((await pids())[0]).not.toBe(server);
    await untilEnded(helper);
  });

  it.each([
    ['dies', 'was lost during the call'],
    ['huge', 'larger than'],
  ])('with a call that %s makes an error of it, and the next call works', async (tool, words) => {
    const { call, pids } = start();
    const [server] = await pids();
    expect(await call(tool)).toMatchObject({ status: 'error', error: expect.stringContaining(words) });
    expect((await call('json')).status).toBe('ok');
    await untilGone(server);
  });

  it.each<[string, object, string]>([
    ['dies at once', odd('dies'), 'the connection ended'],
    ['does not exist', { command: 'no-such-command-here' }, 'ENOENT'],
    ['has nowhere to run', { ...odd(), cwd: 'no/such/folder' }, 'ENOENT'],
    ['is not listening', { url: 'http://127.0.0.1:1/mcp' }, 'cannot be used'],
  ])(
    'or never came because it %s is an error, and its tools are offered by name',
    async (_name, spec, words) => {
      const { tools, call } = start(spec);
      expect(await call('json')).toMatchObject({ status: 'error', error: expect.stringContaining(words) });
      expect(await tools.granted(acme, [idOf('json')])).toEqual([{ toolId: idOf('json') }]);
      expect((await tools.catalogue(acme)).map(({ source }) => source)).toEqual(['host-extension']);
      expect(await tools.find(acme, idOf('json'))).toBeUndefined();
      expect(await tools.serverIssues()).toEqual([{ server: 'one', reason: expect.any(String) }]);
    },
  );

  it('that does not get ready in time is ended', async () => {
    const pidFile = join(await temporaryFolder(), 'pid');
    const { clock, call } = start({ ...odd('silent'), env: { PID_FILE: pidFile }, timeoutMs: 7_000 });
    const result = call('json');
    const pid = await pidIn(pidFile);
    clock.advance(await clock.asleep(7_000));
    expect(await result).toMatchObject({ status: 'error', error: expect.stringContaining('7000 ms') });
    await untilGone(pid);
  });
});

describe('a server that was just found unreachable', () => {
  const listed = async (tools: ReturnType<typeof start>['tools']) =>
    (await tools.catalogue(acme)).some(({ source }) => source === 'mcp');

  it('keeps nobody waiting who only wants to know its tools, and is tried anew meanwhile', async () => {
    const { clock, tools, call } = start({ ...odd('silent'), timeoutMs: 7_000 });
    const first = listed(tools);
    clock.advance(await clock.asleep(7_000));
    expect(await first).toBe(false);
    // Time stands still: whoever waited for the server now would wait for ever.
    expect(await listed(tools)).toBe(false);
    expect(await tools.granted(acme, [idOf('json')])).toEqual([{ toolId: idOf('json') }]);
    expect(await tools.serverIssues()).toEqual([
      { server: 'one', reason: expect.stringContaining('7000 ms') },
    ]);
    const tried = call('json');
    clock.advance(await clock.asleep(7_000));
    expect(await tried).toMatchObject({ status: 'error', error: expect.stringContaining('7000 ms') });
  });

  it('is there for those who come after it has answered', async () => {
    const port = await freePort();
    const { tools, call } = start({ url: `http://127.0.0.1:${port}/mcp` });
    expect(await listed(tools)).toBe(false);
    await startServer(port);
    expect((await call('echo', { message: 'hi' })).status).toBe('ok');
    expect(await listed(tools)).toBe(false);
    await vi.waitFor(async () => expect(await listed(tools)).toBe(true), PATIENCE_MS);
  });

  it('is waited for again when that was some time ago', async () => {
    const port = await freePort();
    const { clock, tools } = start({ url: `http://127.0.0.1:${port}/mcp` });
    expect(await listed(tools)).toBe(false);
    await startServer(port);
    clock.advance(10_000);
    expect(await listed(tools)).toBe(true);
  });
});

describe('a call', () => {
  it('ends when it takes too long, and when the run is cancelled; the server is told both times', async () => {
    const { clock, call } = start();
    await call('json');
    const slow = call('never');
    // Answered in turn, so the call before it has arrived.
    await call('counts');
    clock.advance(await clock.asleep(30_000));
    expect(await slow).toMatchObject({ status: 'error', error: expect.stringContaining('30000 ms') });
    const controller = new AbortController();
    const cancelled = call('never', {}, controller.signal);
    await call('counts');
    controller.abort('enough');
    await expect(cancelled).rejects.toBe('enough');
    expect((await call('counts')).outcome).toMatchObject({ cancelled: 2 });
  });

  it('can be cancelled while its server is being started, which others still wait for', async () => {
    const { call } = start();
    const controller = new AbortController();
    const [cancelled, other] = [call('json', {}, controller.signal), call('json')];
    controller.abort('enough');
    await expect(cancelled).rejects.toBe('enough');
    expect((await other).status).toBe('ok');
  });
});

describe('closing', () => {
  it('leaves no process behind, not even those the server had started', async () => {
    const { tools, call, pids } = start();
    const started = await pids();
    const unanswered = call('never');
    await tools.close();
    expect(await unanswered).toMatchObject({ status: 'error' });
    expect(isRunning(started[0])).toBe(false);
    await untilEnded(started[1]);
    expect(await call('json')).toMatchObject({ status: 'error', error: expect.stringContaining('closing') });
  });

  it('waits for a server that was just being started', async () => {
    const pidFile = join(await temporaryFolder(), 'pid');
    const { tools, call } = start({ ...odd('silent'), env: { PID_FILE: pidFile } });
    const result = call('json');
    const pid = await pidIn(pidFile);
    await tools.close();
    expect(isRunning(pid)).toBe(false);
    expect(await result).toMatchObject({ status: 'error', error: expect.stringContaining('closing') });
  });

  it('insists when the server does not want to go', async () => {
    const { clock, tools, pids } = start(odd('stubborn'));
    const [server] = await pids();
    const closed = tools.close();
    clock.advance(await clock.asleep(2_000));
    await closed;
    await untilGone(server);
  });
});

describe('a grant', () => {
  it.each([
    ['named tenants', { tenants: ['acme'] }, false, [true, false]],
    ['nobody', { tenants: [] }, true, [false, false]],
    ['everyone of the only tenant', {}, true, [true, true]],
    ['nobody by default when there are several tenants', {}, false, [false, false]],
  ])(
    'goes to %s; to others the server looks as if it were not there',
    async (_name, spec, single, expected) => {
      const { tools } = start({ ...odd(), ...spec }, { isOnlyTenant: () => single });
      const answersFor = async (owner: typeof acme, toolId: ToolId) =>
        JSON.stringify([
          await tools.granted(owner, [toolId]),
          await tools.described(owner, [toolId]),
          (await tools.find(owner, toolId)) ?? null,
          (await tools.catalogue(owner)).filter(({ source }) => source === 'mcp').length,
          await tools.call(owner, toolId, toBody({}), never),
        ]).replaceAll(toolId, '<tool>');
      for (const [index, owner] of [acme, rival].entries()) {
        const absent = await answersFor(owner, asId('mcp:absent.json'));
        const present = await answersFor(owner, idOf('json'));
        if (expected[index]) expect(present).toContain('"status":"ok"');
        else expect(present).toBe(absent);
      }
    },
  );
});

it('a missing client library is an error that says what to install', async () => {
  const loadMcp = () => Promise.reject(new LibraryMissing());
  const { tools, call } = start(odd(), { loadMcp });
  const words = expect.stringContaining('npm install @modelcontextprotocol/client');
  expect(await call('json')).toMatchObject({ status: 'error', error: words });
  expect(await tools.serverIssues()).toEqual([{ server: 'one', reason: words }]);
});
