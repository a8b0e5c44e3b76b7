// Every kind of agent shows the same behaviour through the port. The actors under fixtures/ are the same agent, written
// once as a module, once in turns, and once as a script.
import { setImmediate } from 'node:timers/promises';
import type { Json } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeferred } from '../../net/concurrency.js';
import type { Agent, AgentHost, Answer } from '../../ports/index.js';
import actor from '../fixtures/actor.mjs';
import { hasPython } from '../fixtures/has-python.js';
import { type ManualClock, manualClock } from '../fixtures/manual-clock.js';
import { openForTest } from '../fixtures/open-for-test.js';
import { invocationOf, recordingHost } from '../fixtures/recording-host.js';
import { reply, serve, type TestServer } from '../fixtures/serve.js';
import { answerTurn } from '../fixtures/turn-actor.mjs';
import type { ModuleAgent } from './module/module-context.js';

const TIMEOUT_MS = 5_000;
const FUNCTIONS = new Map([['actor', actor as ModuleAgent]]);
const LIMITS = { maxOutputBytes: 10_000 };

let server: TestServer;
const kinds: { readonly [kind: string]: () => object } = {
  module: () => ({ kind: 'module', path: 'actor.mjs' }),
  'module in a process': () => ({ kind: 'module', path: 'actor.mjs', memoryMb: 512 }),
  function: () => ({ kind: 'function', name: 'actor' }),
  'module in TypeScript': () => ({ kind: 'module', path: 'typed-actor.ts' }),
  command: () => ({ kind: 'command', command: process.execPath, args: ['command-actor.mjs'] }),
  'command in lines': () => ({
    kind: 'command',
    command: process.execPath,
    args: ['lines-actor.mjs'],
    protocol: 'lines',
  }),
  ...(hasPython() && { python: () => ({ kind: 'python', path: 'actor.py' }) }),
  http: () => ({ kind: 'http', url: server.url }),
  scripted: () => ({ kind: 'scripted', path: 'actor-script.json' }),
};

describe.each(Object.entries(kinds))('an agent of kind %s', (kind, runOf) => {
  let clock: ManualClock;
  let agent: Agent;

  beforeEach(async () => {
    server = await serve((body, response) => {
      const request = JSON.parse(body);
      if (request.input.do === 'fail') return reply(response, 400, { error: 'the actor fell over' });
      const answer = answerTurn(request);
      if (answer) reply(response, 200, answer);
    });
    clock = manualClock();
    agent = await openForTest({ ...runOf(), timeoutMs: TIMEOUT_MS }, clock, {
      limits: LIMITS,
      functions: FUNCTIONS,
    });
  });
  afterEach(async () => {
    await agent.close();
    await server.close();
  });

  const ask = (input: Json, host: AgentHost = recordingHost()): Promise<Answer> =>
    agent.invoke(invocationOf(input), host);

  it('answers with what it was given, whatever JSON that is', async () => {
    const value = { b: 2, a: [1, 'ü'] };
    expect(await ask({ do: 'echo', value })).toMatchObject({ kind: 'answered', output: value });
    expect(await ask({ do: 'echo', value: null })).toMatchObject({ kind: 'answered', output: null });
  });

  it('calls tools in order and is told which one is forbidden', async () => {
    const host = recordingHost();
    const answer = await ask({ do: 'tools' }, host);
    expect(answer).toMatchObject({ kind: 'answered', output: { found: 'a', second: 'forbidden' } });
    expect(host.calls).toEqual([
      { toolId: 'local:kb.search', inputs: { q: 'a' } },
      { toolId: 'local:secret', inputs: { q: 'b' } },
    ]);
  });

  it('can refuse, and a refusal carries its words', async () => {
    expect(await ask({ do: 'refuse' })).toMatchObject({ kind: 'refused', output: 'No.' });
  });

  it('has paid before its answer is given', async () => {
    const ledger = createDeferred<undefined>();
    const asked = createDeferred<undefined>();
    const host = recordingHost({
      spend(usage) {
        expect(usage).toEqual([
          { provider: 'local', model: 'small-1', inputTokens: 3, outputTokens: 4, costUsd: 0.25 },
        ]);
        asked.resolve(undefined);
        return ledger.promise;
      },
    });
    let settled = false;
    const answered = ask({ do: 'pay' }, host).finally(() => {
      settled = true;
    });
    await asked.promise;
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(settled).toBe(false);
    ledger.resolve(undefined);
    expect(await answered).toMatchObject({ kind: 'answered', output: 'paid', confidence: 0.4 });
    expect(host.reasoning).toEqual(['because']);
  });

  it('is not blamed for a ledger that fails', async () => {
    const broken = new Error('the disk is full');
    await expect(ask({ do: 'pay' }, recordingHost({ spend: () => Promise.reject(broken) }))).rejects.toBe(
      broken,
    );
  });

  it('fails when its time is over', async () => {
    const answer = ask({ do: 'hang' });
    await clock.asleep(TIMEOUT_MS);
    clock.advance(TIMEOUT_MS);
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'Timed out after 5000 ms.' });
  });

  it('rejects with the reason of a cancellation, at once', async () => {
    const host = recordingHost();
    const answer = ask({ do: 'hang' }, host);
    await clock.asleep(TIMEOUT_MS);
    const reason = new Error('cancelled by a person');
    host.cancel(reason);
    await expect(answer).rejects.toBe(reason);
    await expect(ask({ do: 'echo', value: 1 }, host)).rejects.toBe(reason);
  });

  it('fails with a reason when it falls over', async () => {
    const answer = await ask({ do: 'fail' });
    expect(answer.kind).toBe('failed');
    const isTold = kind === 'http' ? 'HTTP 400' : 'the actor fell over';
    expect(answer).toHaveProperty('reason', expect.stringContaining(isTold));
  });

  // A script is the operator's own file, so nothing bounds what it may say.
  if (kind !== 'scripted') {
    it('fails when its answer is too large', async () => {
      expect(await ask({ do: 'big' })).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('10000 bytes'),
      });
    });
  }

  it('answers many at a time, each its own', async () => {
    const values: Json[] = Array.from({ length: kind === 'command' ? 4 : 40 }, () => ({ b: 2, a: [1, 'ü'] }));
    const answers = await Promise.all(values.map((value) => ask({ do: 'echo', value })));
    expect(answers.map((answer) => 'output' in answer && fromBody(answer.output))).toEqual(values);
  });

  it('lets go of whoever waits when it is closed, and takes no more', async () => {
    const answer = ask({ do: 'hang' });
    await clock.asleep(TIMEOUT_MS);
    await agent.close();
    expect((await answer).kind).toBe('unreachable');
    expect((await ask({ do: 'echo', value: 1 })).kind).toBe('unreachable');
  });
});

const WITH_TEXT = ['command', 'command in lines', 'python', 'http'].filter((kind) => kind in kinds);

it.each(WITH_TEXT)('a long answer of a %s agent is read when this host has time for it', async (kind) => {
  server = await serve((body, response) => reply(response, 200, answerTurn(JSON.parse(body)) ?? {}));
  const [hasTime, taken] = [createDeferred<void>(), createDeferred<number>()];
  const takeAnswer = (characters: number) => {
    taken.resolve(characters);
    return hasTime.promise;
  };
  const agent = await openForTest(kinds[kind]?.() ?? {}, manualClock(), { takeAnswer });
  let isRead = false;
  const answer = agent.invoke(invocationOf({ do: 'big' }), recordingHost()).finally(() => {
    isRead = true;
  });
  expect(await taken.promise).toBeGreaterThan(20_000);
  await setImmediate();
  expect(isRead).toBe(false);
  hasTime.resolve();
  expect(await answer).toMatchObject({ kind: 'answered' });
  await agent.close();
  await server.close();
});
