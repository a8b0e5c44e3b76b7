import { watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDeferred } from '../../../net/concurrency.js';
import { type Agent, AgentChanged, type AgentHost, type Answer, Withdrawn } from '../../../ports/index.js';
import { type ManualClock, manualClock } from '../../fixtures/manual-clock.js';
import { openForTest } from '../../fixtures/open-for-test.js';
import { invocationOf, recordingHost } from '../../fixtures/recording-host.js';
import { temporaryFolder } from '../../fixtures/temporary-folder.js';

const TIMEOUT_MS = 5_000;
const PATIENCE_MS = 1_000;

let clock: ManualClock;
let agent: Agent | undefined;
afterEach(async () => {
  await agent?.close();
  agent = undefined;
  vi.restoreAllMocks();
});

async function open(run: object, baseDir?: string): Promise<Agent> {
  clock = manualClock();
  agent = await openForTest(
    { kind: 'module', timeoutMs: TIMEOUT_MS, ...run },
    clock,
    baseDir ? { baseDir } : {},
  );
  return agent;
}
const openUnruly = (name: string): Promise<Agent> => open({ path: 'unruly.mjs', export: name });
const ask = (input: Json, host: AgentHost = recordingHost()): Promise<Answer> =>
  agent?.invoke(invocationOf(input), host) ?? Promise.reject(new Error('no agent is open'));

/** Resolves when somebody writes a text that contains `wanted` to stderr. */
function onStderr(wanted: string): Promise<void> {
  return new Promise((resolve) => {
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
      if (String(chunk).includes(wanted)) resolve();
      return true;
    });
  });
}

/** A host that says when the agent has reasoned aloud, which is how these agents say that they have begun. */
function listeningHost() {
  const begun = createDeferred<undefined>();
  return { begun: begun.promise, host: recordingHost({ reason: () => begun.resolve(undefined) }) };
}

describe('what a module answers', () => {
  it.each([
    ['cycle', 'circular'],
    ['bigint', 'BigInt'],
    ['function', 'it is a function'],
    ['symbol', 'it is a symbol'],
  ])('a %s is a failure that says so', async (what, words) => {
    await openUnruly('unspeakable');
    const answer = await ask(what);
    expect(answer).toMatchObject({ kind: 'failed', reason: expect.stringContaining(words) });
  });

  it('nothing is null', async () => {
    await openUnruly('unspeakable');
    expect(await ask('nothing')).toMatchObject({ kind: 'answered', output: null });
  });

  it('usage and confidence out of range are failures of the agent', async () => {
    await openUnruly('badUsage');
    expect(await ask(1)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('/inputTokens') });
    await agent?.close();
    await openUnruly('badConfidence');
    expect(await ask(1)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('from 0 to 1') });
  });

  it('the context carries names, memory and offered tools', async () => {
    await openUnruly('witness');
    const invocation = invocationOf('who');
    const answer = await agent?.invoke(invocation, recordingHost());
    const { runId, invocationId, memory, tools } = invocation;
    expect(answer).toMatchObject({ output: { runId, invocationId, memory, offered: tools } });
  });
});

describe('loading', () => {
  it.each([
    ['the default export', { path: 'actor.mjs' }, { do: 'echo', value: 'hi' }, 'hi'],
    ['a named export', { path: 'unruly.mjs', export: 'plain' }, 'hi', 'hi'],
    ['a CommonJS export', { path: 'legacy.cjs', export: 'answer' }, 'hi', 'legacy hi'],
  ])('finds %s', async (_name, run, input, output) => {
    await open(run);
    expect(await ask(input)).toMatchObject({ kind: 'answered', output });
  });

  it('takes the TypeScript loader for what Node cannot load', async () => {
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, 'part.ts'),
      'export const shout = (text: string): string => text.toUpperCase();',
    );
    await writeFile(
      join(folder, 'agent.js'),
      "import { shout } from './part';\nexport default (input) => shout(input);",
    );
    await open({ path: 'agent.js' }, folder);
    expect(await ask('hi')).toMatchObject({ kind: 'answered', output: 'HI' });
  });

  it.each([
    ['a module that throws', { path: 'broken.mjs' }, 'broken while loading'],
    ['a module that is not there', { path: 'absent.mjs' }, 'absent.mjs'],
    ['a missing export', { path: 'unruly.mjs', export: 'absent' }, 'It exports: badConfidence'],
  ])('%s fails every invocation with the reason', async (_name, run, words) => {
    await open(run);
    const early = ask('hi');
    expect(await early).toMatchObject({ kind: 'failed', reason: expect.stringContaining(words) });
    expect(await ask('hi')).toEqual(await early);
  });

  it('that takes too long is given up', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'slow.mjs'), 'await new Promise(() => setInterval(() => undefined, 1000));');
    await open({ path: 'slow.mjs' }, folder);
    const answer = ask('hi');
    clock.advance(await clock.asleep(30_000));
    expect(await answer).toMatchObject({ kind: 'failed', reason: expect.stringContaining('30000 ms') });
  });
});

describe('a thread that is lost', () => {
  it('is not replaced by one that has read other files', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'agent.mjs');
    const source = (word: string) =>
      `export default (input) => (input === 'end' ? process.exit(7) : '${word}');\n`;
    await writeFile(path, source('first'));
    await open({ path: 'agent.mjs' }, folder);
    expect(await ask('hello')).toMatchObject({ kind: 'answered', output: 'first' });
    await writeFile(path, source('second'));
    expect(await ask('end')).toMatchObject({ kind: 'failed' });
    await expect(ask('hello')).rejects.toThrow(AgentChanged);
    await writeFile(path, source('first'));
    await expect(ask('hello')).rejects.toThrow(AgentChanged);
  });

  it('is replaced when an invocation blocks it, and only that invocation fails', async () => {
    const folder = await temporaryFolder();
    const changes = watch(folder);
    await openUnruly('unruly');
    const stuck = ask({ do: 'spin', sign: join(folder, 'spinning') });
    const others = [ask({ do: 'one' }), ask({ do: 'two' })];
    for await (const _ of changes) break;
    clock.advance(TIMEOUT_MS);
    clock.advance(await clock.asleep(PATIENCE_MS));
    expect(await stuck).toMatchObject({ kind: 'failed', reason: 'Timed out after 5000 ms.' });
    expect(await Promise.all(others)).toMatchObject([{ output: 'one' }, { output: 'two' }]);
  });

  it('tries suspects one at a time when nobody was seen blocking it', async () => {
    const folder = await temporaryFolder();
    const changes = watch(folder);
    await openUnruly('unruly');
    const innocent = ask({ do: 'wait', late: true });
    const stuck = ask({ do: 'spin', late: true, sign: join(folder, 'spinning') });
    for await (const _ of changes) break;
    clock.advance(TIMEOUT_MS);
    clock.advance(await clock.asleep(PATIENCE_MS));
    // The first suspect is alone and only waits, so its thread reacts and the timeout is its own.
    clock.advance(await clock.asleep(TIMEOUT_MS));
    expect(await innocent).toMatchObject({ kind: 'failed', reason: 'Timed out after 5000 ms.' });
    clock.advance(await clock.asleep(TIMEOUT_MS));
    clock.advance(await clock.asleep(PATIENCE_MS));
    expect(await stuck).toMatchObject({ kind: 'failed', reason: 'Timed out after 5000 ms.' });
    expect(await ask({ do: 'again' })).toMatchObject({ kind: 'answered', output: 'again' });
  });

  it.each([
    ['ends its thread', { do: 'exit' }, 'exit code 7'],
    ['ends its thread later', { do: 'exit', late: true }, 'exit code 7'],
    ['throws outside of any promise', { do: 'throw' }, 'thrown outside of any promise'],
  ])('is replaced when an invocation %s, and only that one fails', async (_name, input, words) => {
    await openUnruly('unruly');
    const inputs: Json[] = [{ do: 'one', late: true }, input, { do: 'two', late: true }];
    const [one, guilty, two] = await Promise.all(inputs.map((each) => ask(each)));
    expect(guilty).toMatchObject({ kind: 'failed', reason: expect.stringContaining(words) });
    expect([one, two]).toMatchObject([{ output: 'one' }, { output: 'two' }]);
  });

  it('leaves unscored whoever had begun to act when another one took the thread down', async () => {
    await openUnruly('unruly');
    const { begun, host } = listeningHost();
    const acting = ask({ do: 'wait', touch: true, late: true }, host);
    await begun;
    const guilty = ask({ do: 'exit' });
    expect(await acting).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('exit code 7'),
    });
    expect(await guilty).toMatchObject({ kind: 'failed' });
  });

  it('is not lost for a promise that nobody handles', async () => {
    await openUnruly('unruly');
    const heard = onStderr('rejected without a handler: Error at unruly.mjs:');
    expect(await ask({ do: 'forget' })).toMatchObject({ kind: 'answered', output: 'forget' });
    await heard;
    expect(await ask({ do: 'after' })).toMatchObject({ output: 'after' });
  });
});

describe('an invocation that is over', () => {
  it('tells the module through its signal', async () => {
    await openUnruly('listener');
    const heard = onStderr('abort was heard');
    const { begun, host } = listeningHost();
    const answer = ask('hi', host);
    await begun;
    host.cancel(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await heard;
  });

  it('leaves the thread to the others when it times out', async () => {
    await openUnruly('unruly');
    const slow = ask({ do: 'wait' });
    await clock.asleep(TIMEOUT_MS);
    clock.advance(TIMEOUT_MS - 1);
    const later = ask({ do: 'wait' });
    clock.advance(1);
    expect(await slow).toMatchObject({ kind: 'failed' });
    expect(await ask({ do: 'now' })).toMatchObject({ output: 'now' });
    await agent?.close();
    expect((await later).kind).toBe('unreachable');
  });

  it('rejects when its host cannot call a tool', async () => {
    await openUnruly('unruly');
    const broken = new Error('the host has trouble');
    const host = recordingHost({ callTool: () => Promise.reject(broken) });
    await expect(ask({ do: 'one', tool: true }, host)).rejects.toBe(broken);
  });
});

describe('invocations of one line', () => {
  /** Handed over in order, each with a host that says when it has begun after a wait. */
  function createLine(most: number) {
    const withdrawal = new AbortController();
    const late: number[] = [];
    const turn = { line: {}, most, withdrawn: withdrawal.signal };
    const begunAt = (number: number) => (agoMs?: number) => void (agoMs === undefined && late.push(number));
    const host = (number: number) => recordingHost({ turn, begun: begunAt(number) });
    return { turn, late, withdraw: () => withdrawal.abort(), host };
  }
  const outputsOf = (answers: readonly Answer[]) =>
    answers.map((answer) => ('output' in answer ? fromBody(answer.output) : answer.kind));

  it('begin in order as others end, so many at a time, and only those of the same line wait', async () => {
    await openUnruly('counted');
    const [line, other] = [createLine(2), createLine(1)];
    const answers = [0, 1, 2, 3, 4].map((number) => ask(number, line.host(number)));
    const others = [5, 6].map((number) => ask(number, other.host(number)));
    const most = (found: readonly unknown[]) =>
      Math.max(...(found as { atWork: number }[]).map(({ atWork }) => atWork));
    expect(most(outputsOf(await Promise.all([...answers, ...others])))).toBeLessThanOrEqual(3);
    expect(line.late).toEqual([2, 3, 4]);
    expect(other.late).toEqual([6]);
  });

  it('answer at once in turn, also when the agent never pauses', async () => {
    await openUnruly('plain');
    const line = createLine(1);
    const answers = await Promise.all([1, 2, 3].map((number) => ask(number, line.host(number))));
    expect(outputsOf(answers)).toEqual([1, 2, 3]);
  });

  it('do not begin when they are withdrawn before their turn', async () => {
    await openUnruly('holding');
    const line = createLine(1);
    const first = ask('hold', line.host(0));
    const second = ask('hold', line.host(1)).catch((error: unknown) => error);
    await ask('anything');
    line.withdraw();
    expect(await second).toBeInstanceOf(Withdrawn);
    await ask('release');
    expect(await first).toMatchObject({ kind: 'answered' });
    expect(line.late).toEqual([]);
  });

  it('have all of their time from their turn on', async () => {
    await openUnruly('holding');
    const line = createLine(1);
    const [first, second] = [0, 1].map((number) => ask('hold', line.host(number)));
    await ask('anything');
    clock.advance(TIMEOUT_MS - 1);
    await ask('release');
    expect(await first).toMatchObject({ kind: 'answered' });
    clock.advance(TIMEOUT_MS - 1);
    await ask('release');
    const effort = { attempts: 1, waitedMs: TIMEOUT_MS - 1 };
    expect(await second).toMatchObject({ kind: 'answered', effort });
  });

  it('have taken as long as the thread says, however late this side learns that they have begun', async () => {
    await openUnruly('napping');
    const { turn } = createLine(1);
    const told: (number | undefined)[] = [];
    const host = recordingHost({ turn, begun: (agoMs) => void told.push(agoMs) });
    const [first, second] = [ask(30, recordingHost({ turn })), ask(30, host)];
    // Both answers are read at one moment of this clock, as by a host that was busy all the time.
    clock.advance(TIMEOUT_MS - 1);
    expect(await first).toMatchObject({ kind: 'answered' });
    const answer = await second;
    const tookMs = TIMEOUT_MS - 1 - (answer.effort?.waitedMs ?? 0);
    expect(tookMs).toBeGreaterThanOrEqual(29);
    expect(told).toEqual([undefined, expect.closeTo(tookMs)]);
  });

  it('are all answered when one of them takes the thread down, those too that had not begun', async () => {
    await openUnruly('unruly');
    const line = createLine(2);
    const inputs = ['exit', 'a', 'b', 'c'].map((word) => ({ do: word, late: true }));
    const answers = await Promise.all(inputs.map((input, number) => ask(input, line.host(number))));
    expect(outputsOf(answers)).toEqual(['failed', 'a', 'b', 'c']);
  });

  it.each([
    ['of a thread', {}],
    ['of a process', { memoryMb: 200 }],
  ])('have answered before another one begins in their place and takes the end %s', async (_name, limit) => {
    await open({ path: 'unruly.mjs', export: 'unruly', ...limit });
    const line = createLine(1);
    const first = ask({ do: 'one', touch: true, late: true }, line.host(0));
    const second = ask({ do: 'exit' }, line.host(1));
    expect(await first).toMatchObject({ kind: 'answered', output: 'one' });
    expect(await second).toMatchObject({ kind: 'failed' });
  });

  it('end with the agent, whether they have begun or not', async () => {
    await openUnruly('holding');
    const line = createLine(1);
    const answers = [0, 1].map((number) => ask('hold', line.host(number)));
    await ask('anything');
    await agent?.close();
    expect(outputsOf(await Promise.all(answers))).toEqual(['unreachable', 'unreachable']);
  });
});

describe('what a module prints', () => {
  it('belongs to its task, also when tasks take turns', async () => {
    await openUnruly('chatty');
    const err = vi.spyOn(process.stderr, 'write');
    const out = vi.spyOn(process.stdout, 'write');
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => ask(name)));
    expect(answers.map(({ printed }) => printed)).toEqual(
      ['a', 'b', 'c'].map((name) => `${name} begins\n${name} warns\n${name} ends\n`),
    );
    const written = [...out.mock.calls, ...err.mock.calls].map(([chunk]) => String(chunk)).join('');
    expect(written).not.toContain('begins');
  });

  it('is cut at a bound', async () => {
    await openUnruly('loud');
    const { printed = '' } = await ask('x'.repeat(100_000));
    expect(printed).toMatch(/^x{16384}\n…$/);
  });

  it('is kept when the time is over', async () => {
    await openUnruly('listener');
    const { begun, host } = listeningHost();
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const answer = ask('x', host);
    await begun;
    clock.advance(TIMEOUT_MS);
    expect(await answer).toMatchObject({ kind: 'failed', printed: 'listening\n' });
  });

  it('outside of a task goes to stderr, because stdout belongs to results', async () => {
    const out = vi.spyOn(process.stdout, 'write');
    const heard = onStderr('printed while loading');
    await open({ path: 'noisy.mjs' });
    await ask(1);
    await heard;
    expect(out.mock.calls.filter(([chunk]) => String(chunk).includes('printed while'))).toEqual([]);
  });
});

describe('an error of a module', () => {
  it.each([
    ['thrown', /^TypeError: Cannot read properties of undefined \(reading 'total'\)\nat unruly\.mjs:\d+$/],
    ['rejected', /^RangeError: too many\nat unruly\.mjs:\d+$/],
    ['text', /^The agent threw only words$/],
    ['object', /^The agent threw an object that is no Error$/],
    ['foreign', /^SyntaxError: .+\nat unruly\.mjs:\d+$/],
  ])('(%s) is told by its class, its message and its place in the folder', async (what, words) => {
    await openUnruly('faulty');
    expect(await ask(what)).toMatchObject({ kind: 'failed', reason: expect.stringMatching(words) });
  });

  it.each([
    ["import './missing-helper.mjs';", /missing-helper\.mjs/],
    ["import { x } from '/opt/secret-place/tool.mjs';", /tool\.mjs/],
    [
      'throw new Error(`cannot open ${import.meta.dirname}/settings.json`);',
      /^Error: cannot open settings\.json\nat bot\.mjs:1$/,
    ],
  ])('while it loads (%s) shows no path of the machine', async (source, words) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'bot.mjs'), source);
    await open({ path: 'bot.mjs' }, folder);
    const issue = await agent?.loadIssue?.();
    expect(issue?.replace('Its module does not load: ', '')).toMatch(words);
    expect(issue).not.toContain(folder);
    expect(issue).not.toContain('secret-place');
  });
});

it('ten thousand invocations, sixty-four at a time, get their own answers', async () => {
  await openUnruly('promised');
  const host = recordingHost();
  let next = 0;
  const wrong: number[] = [];
  const askInTurn = async () => {
    for (let number = next++; number < 10_000; number = next++) {
      const answer = await ask({ number, text: 'ü' }, host);
      const output = 'output' in answer ? fromBody(answer.output) : null;
      if (JSON.stringify(output) !== JSON.stringify({ number, text: 'ü' })) wrong.push(number);
    }
  };
  await Promise.all(Array.from({ length: 64 }, askInTurn));
  expect(wrong).toEqual([]);
});

describe('a module with a limit on its memory', () => {
  const openLimited = (): Promise<Agent> =>
    open({ path: 'unruly.mjs', export: 'unruly', memoryMb: 256, timeoutMs: 100_000 });

  it.each([
    ['an array that grows', 'grow'],
    ['buffers', 'fill'],
  ])('fails when it fills its memory with %s, and the next one is answered', async (_name, what) => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await openLimited();
    expect(await ask({ do: what })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('more than its 256 MB of memory'),
    });
    expect(await ask({ do: 'again' })).toMatchObject({ kind: 'answered', output: 'again' });
  });

  it('fails alone: those that run beside it are answered', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await openLimited();
    const inputs: Json[] = [
      { do: 'one', late: true },
      { do: 'grow', late: true },
      { do: 'two', late: true },
    ];
    const [one, guilty, two] = await Promise.all(inputs.map((each) => ask(each)));
    expect(guilty).toMatchObject({ kind: 'failed', reason: expect.stringContaining('256 MB') });
    expect([one, two]).toMatchObject([{ output: 'one' }, { output: 'two' }]);
  });

  it.each([
    ['ends its process', { do: 'exit' }, 'ended its process (exit code 7)'],
    ['throws outside of any promise', { do: 'throw' }, 'thrown outside of any promise'],
  ])('says so when it %s', async (_name, input, words) => {
    await openLimited();
    expect(await ask(input)).toMatchObject({ kind: 'failed', reason: expect.stringContaining(words) });
  });

  it('is replaced when it never pauses', async () => {
    const folder = await temporaryFolder();
    const changes = watch(folder);
    await open({ path: 'unruly.mjs', export: 'unruly', memoryMb: 256 });
    const stuck = ask({ do: 'spin', sign: join(folder, 'spinning') });
    for await (const _ of changes) break;
    clock.advance(TIMEOUT_MS);
    clock.advance(await clock.asleep(PATIENCE_MS));
    // Whose code was running is not known of a process, so it is tried again, alone.
    for await (const _ of watch(folder)) break;
    clock.advance(await clock.asleep(TIMEOUT_MS));
    clock.advance(await clock.asleep(PATIENCE_MS));
    expect(await stuck).toMatchObject({ kind: 'failed', reason: 'Timed out after 5000 ms.' });
    expect(await ask({ do: 'again' })).toMatchObject({ kind: 'answered', output: 'again' });
  });
});
