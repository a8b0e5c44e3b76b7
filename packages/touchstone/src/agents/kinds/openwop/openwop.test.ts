import type { IncomingMessage } from 'node:http';
import { asId, type Json } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../../net/concurrency.js';
import { createGuard } from '../../../net/guard.js';
import { createPaces } from '../../../net/pace.js';
import type { AgentFacts, Answer } from '../../../ports/index.js';
import { type ManualClock, manualClock } from '../../fixtures/manual-clock.js';
import { invocationOf, recordingHost } from '../../fixtures/recording-host.js';
import { reply, serve } from '../../fixtures/serve.js';
import { createOpenwopAgent, type OpenwopParts } from './openwop.js';

type Event = { readonly sequence: number; readonly type: string; readonly payload: Json };
type Page = { readonly events: readonly Event[]; readonly isComplete: boolean };
type Seen = { readonly line: string; readonly body: Json; readonly headers: IncomingMessage['headers'] };
/** `hold` leaves the request unanswered; a number is an HTTP status without a useful body. */
type Reaction = object | number | 'hold';
type Reactions = { readonly [line: string]: (seen: Seen, count: number) => Reaction };

const eventsOf = (...types: readonly (readonly [string, Json])[]): Event[] =>
  types.map(([type, payload], sequence) => ({ sequence, type, payload }));
const completedWith = (outputs: Json, ...before: readonly (readonly [string, Json])[]): Page => ({
  events: eventsOf(['run.started', { workflowId: 'a' }], ...before, ['run.completed', { outputs }]),
  isComplete: true,
});
const USAGE = { provider: 'acme', model: 'small-1', inputTokens: 3, outputTokens: 4 };

/** A host that creates run `r 1` and tells what the test says about it. */
async function start(reactions: Reactions = {}, parts: Partial<OpenwopParts> = {}, run: object = {}) {
  const seen: Seen[] = [];
  const arrivals = new Map<string, ReturnType<typeof createDeferred<Seen>>>();
  const arrived = (line: string) => {
    const known = arrivals.get(line) ?? createDeferred<Seen>();
    arrivals.set(line, known);
    return known;
  };
  const server = await serve((body, response, request) => {
    const line = `${request.method} ${request.url?.replace(/\?.*/, '')}`;
    const query = new URL(request.url ?? '', 'http://a').searchParams;
    const asked: Seen = {
      line,
      body: body === '' ? Object.fromEntries(query) : JSON.parse(body),
      headers: request.headers,
    };
    const count = seen.filter((other) => other.line === line).length;
    seen.push(asked);
    arrived(line).resolve(asked);
    const reaction = ({ ...WELL, ...reactions }[line] ?? (() => 404))(asked, count);
    if (typeof reaction === 'number') reply(response, reaction, 'SECRET');
    else if (reaction !== 'hold') reply(response, 200, reaction);
  });
  const clock = manualClock();
  const agent = createOpenwopAgent(
    { kind: 'openwop', agentId: 'local.acme.remote@2.0.0', ...run },
    {
      facts: { agentId: asId('local.acme.actor') } as AgentFacts,
      clock,
      random: () => 0.5,
      paceOf: createPaces(clock),
      retries: { maxTries: 4, withinMs: 20_000 },
      maxOutputBytes: 10_000,
      baseUrl: `${server.url}prefix/`,
      ...parts,
    },
  );
  onTestFinished(async () => {
    await agent.close();
    await server.close();
  });
  const host = recordingHost();
  const ask = (input: Json = 'hi') => agent.invoke(invocationOf(input), host);
  return { agent, seen, clock, host, ask, arrived: (line: string) => arrived(line).promise };
}

const CREATE = 'POST /prefix/v1/runs';
const POLL = 'GET /prefix/v1/runs/r%201/events/poll';
const STATUS = 'GET /prefix/v1/runs/r%201';
const CANCEL = 'POST /prefix/v1/runs/r%201/cancel';
const WELL: Reactions = {
  [CREATE]: () => ({ runId: 'r 1', status: 'running' }),
  [POLL]: () => completedWith({ output: 'fine' }),
  [STATUS]: () => ({ runId: 'r 1', status: 'running' }),
  [CANCEL]: () => ({ runId: 'r 1', status: 'cancelled' }),
};

const lines = (seen: readonly Seen[]) => seen.map(({ line }) => line);

/** Lets every short sleep pass until the answer is there. */
async function untilAnswered(answer: Promise<Answer>, clock: ManualClock): Promise<Answer> {
  let isOver = false;
  const settled = answer.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const ms = await Promise.race([clock.asleep((length) => length < 50_000), settled.then(() => 0)]);
    clock.advance(ms);
  }
  return settled;
}

describe('an invocation', () => {
  it('is one run of the other host, under a key that can be repeated', async () => {
    const { seen, ask } = await start({}, { credential: 'a-credential' });
    expect(await ask({ q: 1 })).toMatchObject({ kind: 'answered', output: 'fine', effort: { attempts: 1 } });
    expect(lines(seen)).toEqual([CREATE, POLL]);
    expect(seen[0]?.body).toEqual({ agentId: 'local.acme.remote@2.0.0', inputs: { q: 1 } });
    expect(seen[0]?.headers['idempotency-key']).toMatch(/^run-1-inv-\d+\.0$/);
    for (const { headers } of seen) expect(headers.authorization).toBe('Bearer a-credential');
  });

  it.each<[string, Json, Json]>([
    ['a text', 'hi', { input: 'hi' }],
    ['a list', [1], { input: [1] }],
    ['nothing', null, { input: null }],
    ['an object', { input: 1, more: 2 }, { input: 1, more: 2 }],
  ])('hands over %s as inputs', async (_name, input, inputs) => {
    const { seen, ask } = await start();
    await ask(input);
    expect(seen[0]?.body).toMatchObject({ inputs });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each<[string, Json, Json]>([
    ['unwrapped when they hold nothing but it', { output: { a: 1 } }, { a: 1 }],
    ['as they are when they hold more', { output: 1, more: 2 }, { output: 1, more: 2 }],
    ['as they are when they are something else', [1], [1]],
  ])('takes the outputs %s', async (_name, outputs, output) => {
    const { ask } = await start({ [POLL]: () => completedWith(outputs) });
    expect(await ask()).toMatchObject({ kind: 'answered', output });
  });

  it('reads confidence, reasoning and a refusal from the events', async () => {
    const { ask, host } = await start({
      [POLL]: () =>
        completedWith(
          { output: 'I will not.' },
          ['agent.reasoned', { reasoning: '' }],
          ['agent.reasoned', { reasoning: 'because' }],
          ['agent.decided', { decision: 'I will not.', confidence: 0.25 }],
          ['agent.invocation.completed', { outcome: 'refused' }],
          ['toString', {}],
        ),
    });
    expect(await ask()).toMatchObject({ kind: 'refused', output: 'I will not.', confidence: 0.25 });
    expect(host.reasoning).toEqual(['because']);
  });

  it('follows the run over several polls and pays each usage once, before it answers', async () => {
    const all = eventsOf(
      ['run.started', {}],
      ['provider.usage', { ...USAGE, costEstimateUsd: 0.5, currency: 'USD' }],
      ['provider.usage', USAGE],
      ['run.completed', { outputs: { output: 1 } }],
    );
    const { seen, ask, host } = await start({
      // A host that repeats the event it was told about.
      [POLL]: ({ body }, count) => {
        const { lastSequence = '0' } = body as { lastSequence?: string };
        const events = all.slice(Number(lastSequence), Number(lastSequence) + 2);
        return { events, isComplete: count === 3 };
      },
    });
    expect((await ask()).kind).toBe('answered');
    expect(host.spent).toEqual([{ ...USAGE, costUsd: 0.5 }, USAGE]);
    const polls = seen.filter(({ line }) => line === POLL).map(({ body }) => body);
    expect(polls).toEqual([
      { timeout: '20' },
      { lastSequence: '1', timeout: '20' },
      { lastSequence: '2', timeout: '20' },
    ]);
  });

  it('whose usage cannot be read is a failure, because money is not guessed', async () => {
    const { ask, host } = await start({
      [POLL]: () => completedWith({ output: 1 }, ['provider.usage', { ...USAGE, inputTokens: 'many' }]),
    });
    expect(await ask()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('/inputTokens') });
    expect(host.spent).toEqual([]);
  });
});

describe('a run that does not end well', () => {
  it.each<[string, Page, string]>([
    [
      'failed',
      {
        events: eventsOf(['run.failed', { error: { code: 'agent_failed', message: 'SECRET' } }]),
        isComplete: true,
      },
      'agent_failed',
    ],
    [
      'failed without a code that is a name',
      { events: eventsOf(['run.failed', { error: { code: 'the SECRET of' } }]), isComplete: true },
      'no code',
    ],
    [
      'was cancelled',
      { events: eventsOf(['run.cancelled', { reason: 'SECRET' }]), isComplete: true },
      'cancelled',
    ],
    [
      'ended without saying how',
      { events: eventsOf(['run.started', {}]), isComplete: true },
      'without a word',
    ],
  ])('because it %s is a failure without content, and not cancelled again', async (_name, page, words) => {
    const { ask, agent, seen } = await start({ [POLL]: () => page });
    const answer = await ask();
    expect(answer).toMatchObject({ kind: 'failed', reason: expect.stringContaining(words) });
    expect(JSON.stringify(answer)).not.toContain('SECRET');
    await agent.close();
    expect(lines(seen)).toEqual([CREATE, POLL]);
  });

  it.each<[string, Reactions, string]>([
    ['no run', { [CREATE]: () => ({ status: 'running' }) }, 'which run'],
    ['no JSON', { [CREATE]: () => 204 }, 'which run'],
    ['no events', { [POLL]: () => ({ isComplete: true }) }, 'cannot be read'],
    ['events without numbers', { [POLL]: () => ({ events: [{ type: 'a' }] }) }, 'cannot be read'],
    ['too much', { [POLL]: () => completedWith({ output: 'x'.repeat(10_001) }) }, '10000 bytes'],
    ['far too much', { [POLL]: () => completedWith({ output: 'x'.repeat(100_000) }) }, 'bytes'],
    ['nothing under that name', { [POLL]: () => 404 }, 'HTTP 404'],
  ])('because the host has %s is a failure after one request', async (_name, reactions, words) => {
    const { ask, seen } = await start(reactions);
    const answer = await ask();
    expect(answer).toMatchObject({ kind: 'failed', reason: expect.stringContaining(words) });
    expect(JSON.stringify(answer)).not.toContain('SECRET');
    expect(lines(seen).filter((line) => line !== CANCEL)).toEqual(
      Object.hasOwn(reactions, CREATE) ? [CREATE] : [CREATE, POLL],
    );
  });

  it.each([
    ['is not allowed to create a run', { [CREATE]: () => 403 }, 403],
    ['finds no host at the address', { [CREATE]: () => 404 }, 404],
    ['may not read the run it created', { [POLL]: () => 401 }, 401],
  ])('because this host %s is denied access', async (_name, reactions, status) => {
    const { ask } = await start(reactions);
    const answer = await ask();
    expect(answer).toMatchObject({ kind: 'denied', denial: { provider: 'local.acme.actor', status } });
    expect(JSON.stringify(answer)).not.toContain('SECRET');
  });

  it.each<[string, Page]>([
    ['says so', { events: eventsOf(['interrupt.requested', { kind: 'approval' }]), isComplete: false }],
    ['says nothing', { events: [], isComplete: false }],
  ])('because it waits for a person and %s is a failure, and is cancelled', async (_name, page) => {
    const { ask, arrived } = await start({
      [POLL]: () => page,
      [STATUS]: () => ({ runId: 'r 1', status: 'waiting-approval' }),
    });
    expect(await ask()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('a person') });
    await arrived(CANCEL);
  });
});

describe('trouble on the way', () => {
  it.each([429, 500, 503])('HTTP %i is tried again, for each request', async (status) => {
    const { seen, ask, clock } = await start({
      [CREATE]: (_seen, count) => (count < 2 ? status : { runId: 'r 1' }),
      [POLL]: (_seen, count) => (count < 1 ? status : completedWith({ output: 1 })),
    });
    expect(await untilAnswered(ask(), clock)).toMatchObject({ kind: 'answered', effort: { attempts: 4 } });
    expect(lines(seen)).toEqual([CREATE, CREATE, CREATE, POLL, POLL]);
    const keys = seen.slice(0, 3).map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
  });

  it('without end makes the agent unreachable', async () => {
    const { seen, ask, clock } = await start({ [CREATE]: () => 503 });
    expect(await untilAnswered(ask(), clock)).toMatchObject({ kind: 'unreachable', effort: { attempts: 4 } });
    expect(seen).toHaveLength(4);
  });

  it('a conflict with our own first request is waited out, and any other is the answer', async () => {
    const inFlight = await start({
      [CREATE]: (_seen, count) => [503, 409, { runId: 'r 1' }][count] ?? 500,
    });
    expect((await untilAnswered(inFlight.ask(), inFlight.clock)).kind).toBe('answered');
    const other = await start({ [CREATE]: () => 409 });
    expect(await other.ask()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('409') });
  });

  it('a host that has nothing to say is not asked without pause', async () => {
    const { ask, clock, seen } = await start({
      [POLL]: (_seen, count) =>
        count < 2 ? { events: [], isComplete: false } : completedWith({ output: 1 }),
    });
    const answer = ask();
    clock.advance(await clock.asleep(1_000));
    clock.advance(await clock.asleep(1_000));
    expect((await answer).kind).toBe('answered');
    expect(lines(seen)).toEqual([CREATE, POLL, STATUS, POLL, STATUS, POLL]);
  });

  it('a URL of a tenant goes nowhere when the guard says no', async () => {
    const { ask, seen } = await start({}, { guard: createGuard() });
    expect(await ask()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('https') });
    expect(seen).toEqual([]);
  });
});

describe('a run that nobody waits for any more', () => {
  it.each<[string, (started: Awaited<ReturnType<typeof start>>) => Promise<void>, object]>([
    ['the run is cancelled', async ({ host }) => host.cancel('enough'), { rejected: 'enough' }],
    [
      'time is up',
      async ({ clock }) => clock.advance(await clock.asleep(7_000)),
      { kind: 'failed', reason: expect.stringContaining('7000 ms') },
    ],
    ['the agent is closed', ({ agent }) => agent.close(), { kind: 'unreachable' }],
  ])('is cancelled once when %s', async (_name, interrupt, expected) => {
    const started = await start({ [POLL]: () => 'hold' }, {}, { timeoutMs: 7_000 });
    const answer = started.ask().catch((reason: unknown) => ({ rejected: reason }));
    await started.arrived(POLL);
    await interrupt(started);
    expect(await answer).toMatchObject(expected);
    await started.agent.close();
    expect(lines(started.seen)).toEqual([CREATE, POLL, CANCEL]);
  });

  it('does not hold up the end when its host does not answer', async () => {
    const { agent, ask, host, arrived, clock } = await start({
      [POLL]: () => 'hold',
      [CANCEL]: () => 'hold',
    });
    const answer = ask();
    await arrived(POLL);
    host.cancel('enough');
    await expect(answer).rejects.toBe('enough');
    const closed = agent.close();
    clock.advance(await clock.asleep(5_000));
    await closed;
  });
});

it('every answer of the other host is read when this host has time for it', async () => {
  const taken: number[] = [];
  const takeAnswer = async (characters: number) => void taken.push(characters);
  const long = completedWith({ output: 'x'.repeat(20_000) });
  const { ask } = await start({ [POLL]: () => long }, { takeAnswer, maxOutputBytes: 100_000 });
  expect(await ask()).toMatchObject({ kind: 'answered' });
  // The first one says that the run was created.
  expect(taken).toEqual([expect.any(Number), JSON.stringify(long).length]);
});
