import { watch } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Json } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Answer, Clock } from '../../../ports/index.js';
import { manualClock } from '../../fixtures/manual-clock.js';
import { openForTest } from '../../fixtures/open-for-test.js';
import { invocationOf, recordingHost } from '../../fixtures/recording-host.js';
import { temporaryFolder } from '../../fixtures/temporary-folder.js';

async function start(run: object, clock = manualClock()) {
  const agent = await openForTest({ kind: 'command', ...run }, clock, {
    limits: { maxOutputBytes: 100_000 },
  });
  onTestFinished(() => agent.close());
  const ask = (input: Json = 'hi', host = recordingHost()): Promise<Answer> =>
    agent.invoke(invocationOf(input), host);
  return { agent, clock, ask };
}

const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, signal && { signal }),
};

const node = (script: string): object => ({ command: process.execPath, args: ['-e', script] });

describe('a command', () => {
  it('that is not there is not scored, with its name', async () => {
    const { ask } = await start({ command: './absent-command' });
    expect(await ask()).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('"./absent-command" was not found'),
    });
  });

  it('in a folder that is not there is not scored, with the folder', async () => {
    const { ask } = await start({ ...node(''), cwd: 'absent-folder' });
    expect(await ask()).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('absent-folder'),
    });
  });

  it('whose arguments are too long is not scored', async () => {
    const { ask } = await start({ command: process.execPath, args: ['-e', '', 'x'.repeat(4_000_000)] });
    expect(await ask()).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('could not be started'),
    });
  });

  it('that exits with an error fails with the end of what it complained about', async () => {
    const { ask } = await start(
      node("process.stderr.write('x'.repeat(100_000) + 'the last words', () => process.exit(9))"),
    );
    const answer = await ask();
    expect(answer).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/exited with code 9: x+the last words$/),
    });
    expect('reason' in answer && answer.reason.length).toBeLessThan(70_000);
  });

  it('that ends with a traceback fails with its last line first, and keeps the others', async () => {
    const traceback =
      'Traceback (most recent call last):\n  File "bot.py", line 3\nValueError: no such order\n';
    const { ask } = await start(
      node(`process.stderr.write(${JSON.stringify(traceback)}, () => process.exit(1))`),
    );
    expect(await ask()).toMatchObject({
      kind: 'failed',
      reason: `The command exited with code 1: ValueError: no such order\n${traceback.trimEnd()}`,
    });
  });

  it.each([
    [
      'noise before its answer',
      'loading…\n{"output":1}',
      /not JSON; stdout may hold the answer only, and begins with: "loading…/,
    ],
    ['nothing', '', /it printed nothing on stdout/],
    ['a lot of noise', 'ä'.repeat(500), /begins with: "ä{100}"$/],
  ])('that prints %s fails with the beginning of it', async (_what, printed, words) => {
    const { ask } = await start(node(`process.stdout.write(${JSON.stringify(printed)})`));
    expect(await ask()).toMatchObject({ kind: 'failed', reason: expect.stringMatching(words) });
  });

  it('keeps what it prints on stderr with its answer', async () => {
    const { ask } = await start(
      node("process.stderr.write('looked it up\\n'); process.stdout.write(JSON.stringify({output:1}))"),
    );
    expect(await ask()).toMatchObject({ kind: 'answered', printed: 'looked it up\n' });
  });

  it('that is killed fails with the signal', async () => {
    const { ask } = await start(node("process.kill(process.pid, 'SIGKILL')"));
    expect(await ask()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('SIGKILL') });
  });

  it('need not read its input', async () => {
    const { ask } = await start(node('process.stdin.destroy(); console.log(JSON.stringify({ output: 1 }))'));
    expect(await ask('x'.repeat(1_000_000))).toMatchObject({ kind: 'answered', output: 1 });
  });

  it('has answered when it ends, although a process it left behind still holds its output', async () => {
    const orphan = "require('child_process').spawn('sleep', ['20'], { detached: true, stdio: 'inherit' })";
    const { ask } = await start(
      node(`const left = ${orphan}; left.unref(); console.log(JSON.stringify({ output: left.pid }))`),
      realClock as never,
    );
    const answer = await ask();
    expect(answer).toMatchObject({ kind: 'answered', output: expect.any(Number) });
    if ('output' in answer) process.kill(fromBody(answer.output) as number);
  });

  it('runs in its folder', async () => {
    const { ask } = await start({
      ...node('console.log(JSON.stringify({ output: process.cwd() }))'),
      cwd: '..',
    });
    expect(await ask()).toMatchObject({ kind: 'answered', output: expect.stringMatching(/agents$/) });
  });

  it('sees the environment it was given, and nothing of ours beyond what a program needs', async () => {
    vi.stubEnv('TOUCHSTONE_TEST_SECRET', 'do not pass on');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const { ask } = await start({
      command: process.execPath,
      args: ['command-actor.mjs'],
      env: { GIVEN: 'yes' },
    });
    const answer = await ask({ do: 'environment' });
    const seen = 'output' in answer ? (fromBody(answer.output) as { [name: string]: string }) : {};
    expect(seen).toMatchObject({ GIVEN: 'yes', PATH: process.env.PATH });
    expect(seen).not.toHaveProperty('TOUCHSTONE_TEST_SECRET');
  });
});

describe('ending a command', () => {
  // Both ignore requests to end, and the grandchild holds the pipes: only killing the whole group ends the turn.
  const stubborn = `
    process.on('SIGTERM', () => undefined);
    const { spawn } = require('node:child_process');
    const script = "process.on('SIGTERM', () => undefined); process.send('up'); setInterval(() => undefined, 1000)";
    spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      .on('message', () => require('node:fs').writeFileSync('up', ''));
    setInterval(() => undefined, 1000);
  `;

  async function startStubborn() {
    const cwd = await temporaryFolder();
    const changes = watch(cwd);
    const started = await start({ ...node(stubborn), cwd, timeoutMs: 5_000 });
    const answer = started.ask();
    for await (const _ of changes) break;
    return { ...started, answer };
  }

  it('asks first, and insists when its time is over, with everything it has started', async () => {
    const { agent, clock, answer } = await startStubborn();
    clock.advance(5_000);
    expect(await answer).toMatchObject({ kind: 'failed', reason: expect.stringContaining('Timed out') });
    clock.advance(await clock.asleep(2_000));
    // Resolves only when nobody holds the pipes any more.
    await agent.close();
  });

  it('by closing the agent leaves nothing behind', async () => {
    const { agent, answer } = await startStubborn();
    await agent.close();
    expect((await answer).kind).toBe('unreachable');
  });

  it('that talks without end, after it has said too much', async () => {
    const { ask } = await start(node("setInterval(() => process.stdout.write('x'.repeat(50_000)), 1)"));
    expect(await ask()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('100000 bytes') });
  });
});
