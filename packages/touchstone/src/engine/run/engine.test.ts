import { asId, type Digest, HostError, type RunId, type TaskId, type ToolId } from '@touchstone/protocol';
import { fromBody, type RunEvent, type Task, toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlots } from '../../net/index.js';
import { AgentChanged, CheckOverLimit, type Tools } from '../../ports/index.js';
import { answered, type Behaviour, countingTasks, openBench, owner } from '../testing/bench.js';
import { createEngine } from './engine.js';

const types = (events: readonly RunEvent[]) => events.map((event) => event.type);
const scoredIds = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.type === 'eval.scored' ? [(event.payload as { taskId: string }).taskId] : [],
  );
/** A log without what differs between equal runs: ids, times and durations. */
const plain = (events: readonly RunEvent[]) =>
  JSON.stringify(events, (key, value) =>
    ['eventId', 'runId', 'timestamp', 'causationId', 'latencyMs', 'durationMs'].includes(key)
      ? undefined
      : value,
  );
const gate = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

const offeredAll: Tools['granted'] = async (_owner, wanted) => wanted.map((toolId) => ({ toolId }));

describe('an eval run', () => {
  it('writes the whole bracket in order and ends with the scorecard', async () => {
    const bench = await openBench({ tasks: countingTasks(2) });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    const bracket = [
      'agent.invocation.started',
      'agent.reasoned',
      'agent.decided',
      'agent.invocation.completed',
      'eval.scored',
    ];
    expect(types(events)).toEqual([
      'run.started',
      'eval.started',
      ...bracket,
      ...bracket,
      'eval.completed',
      'run.completed',
    ]);
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, i) => i));
    expect(events.at(-1)?.payload).toMatchObject({
      outputs: { aggregateScore: 1, passed: true, taskCount: 2, passedCount: 2 },
    });
    expect((await bench.store.runs.get(owner, runId))?.headline).toMatchObject({
      aggregateScore: 1,
      passed: true,
      unscored: 0,
    });
  });

  it('keeps suite order whatever order tasks finish in, and equal runs have equal logs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(3)), fc.infiniteStream(fc.nat(3)), async (a, b) => {
        const delays = [a, b].map((stream) => stream[Symbol.iterator]());
        let which = 0;
        const behave: Behaviour = async (input) => {
          for (let turns = delays[which]?.next().value as number; turns > 0; turns--)
            await new Promise((r) => setImmediate(r));
          return answered(Number(input) % 5 === 3 ? 'wrong' : `answer ${input}`);
        };
        const bench = await openBench({ tasks: countingTasks(40), behave });
        const logs = [];
        for (which = 0; which < 2; which++) {
          const runId = await bench.createRun(`r${which}`, { concurrency: 32 });
          await bench.engine.drive(owner, runId);
          const events = await bench.events(runId);
          expect(scoredIds(events)).toEqual(countingTasks(40).map((task) => task.taskId));
          logs.push(plain(events));
        }
        expect(logs[0]).toBe(logs[1]);
      }),
      { numRuns: 15 },
    );
  });

  it('starts tasks in suite order and never more than the concurrency at once', async () => {
    let running = 0;
    let most = 0;
    const bench = await openBench({
      tasks: countingTasks(20),
      behave: async (input) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return answered(`answer ${input}`);
      },
    });
    await bench.engine.drive(owner, await bench.createRun('r', { concurrency: 3 }));
    expect(most).toBe(3);
    expect(bench.calls).toEqual(countingTasks(20).map((_, i) => `inv-${i}.0`));
  });

  it('repeats every task, folds the repeats, and scores each task once', async () => {
    const bench = await openBench({
      tasks: countingTasks(2),
      behave: (input, _host, { repeat }) =>
        answered(input === 1 && repeat === 2 ? 'wrong' : `answer ${input}`),
    });
    const runId = await bench.createRun('r', { repeats: 3 });
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(scoredIds(events)).toEqual(['t0', 't1']);
    const scores = events
      .filter((event) => event.type === 'eval.scored')
      .map((event) => (event.payload as { score: number }).score);
    expect(scores).toEqual([1, 2 / 3]);
    const invocations = events.flatMap((e) =>
      e.type === 'agent.invocation.started' ? [(e.payload as { invocationId: string }).invocationId] : [],
    );
    expect(invocations).toEqual(['inv-0.0', 'inv-0.1', 'inv-0.2', 'inv-1.0', 'inv-1.1', 'inv-1.2']);
  });

  it('writes in full groups when tasks finish faster than the disk, and loses none', async () => {
    const bench = await openBench({ tasks: countingTasks(700), limits: { gatherMs: 1_000_000 } });
    const runId = await bench.createRun('r', { concurrency: 256, repeats: 2 });
    await bench.engine.drive(owner, runId);
    expect(scoredIds(await bench.events(runId))).toEqual(countingTasks(700).map((task) => task.taskId));
  });

  it('runs only the selected tasks, under their own ordinals', async () => {
    const bench = await openBench({ tasks: countingTasks(10) });
    const runId = await bench.createRun('r', { ordinals: [2, 7] });
    await bench.engine.drive(owner, runId);
    expect(bench.calls).toEqual(['inv-2.0', 'inv-7.0']);
    expect(scoredIds(await bench.events(runId))).toEqual(['t2', 't7']);
  });
});

describe('trouble in a task', () => {
  const outcomeOf = (events: readonly RunEvent[]) =>
    (
      events.find((event) => event.type === 'agent.invocation.completed')?.payload as
        | { outcome?: string }
        | undefined
    )?.outcome;

  it.each<[string, Behaviour, string, boolean, boolean]>([
    ['an error of the agent', () => ({ kind: 'failed', reason: 'boom' }), 'failed', false, false],
    ['a refusal', () => ({ kind: 'refused', output: toBody('no') }), 'refused', true, false],
    ['an unreachable agent', () => ({ kind: 'unreachable', reason: 'down' }), 'failed', false, true],
    [
      'an answer nested too deep',
      () => answered(JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`)),
      'failed',
      false,
      false,
    ],
  ])('%s scores 0 and the run goes on', async (_name, bad, outcome, decided, unscored) => {
    const bench = await openBench({
      behave: (input, host, inv) => (input === 0 ? bad(input, host, inv) : answered(`answer ${input}`)),
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(outcomeOf(events)).toBe(outcome);
    expect(events.some((event) => event.type === 'agent.decided' && event.nodeId === 't0')).toBe(decided);
    expect(events.find((event) => event.type === 'eval.scored')?.payload).toMatchObject({
      taskId: 't0',
      score: 0,
      passed: false,
    });
    const run = await bench.store.runs.get(owner, runId);
    expect(run).toMatchObject({
      status: 'completed',
      headline: { passedCount: 2, unscored: unscored ? 1 : 0 },
    });
  });

  it('low confidence is an escalation and is scored as it is', async () => {
    const bench = await openBench({
      tasks: countingTasks(1),
      behave: () => ({ kind: 'answered', output: toBody('answer 0'), confidence: 0.2 }),
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(outcomeOf(events)).toBe('escalated');
    expect(events.find((event) => event.type === 'eval.scored')?.payload).toMatchObject({ score: 1 });
  });

  it('an answer against the return schema is recorded, fails, and says so', async () => {
    const bench = await openBench({
      tasks: countingTasks(1),
      facts: { returnSchema: { type: 'object' } },
      parts: { schemaCheckFor: () => () => [{ pointer: '/a', message: 'expected a number' }] },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(outcomeOf(events)).toBe('failed');
    expect(events.find((event) => event.type === 'eval.scored')?.payload).toMatchObject({
      score: 0,
      schemaValid: false,
    });
  });

  const uncheckable = () => () => Promise.reject(new CheckOverLimit('It took too long.'));

  it('an answer that cannot be checked against the return schema in time is unscored, and the run goes on', async () => {
    const bench = await openBench({
      tasks: countingTasks(2),
      facts: { returnSchema: { type: 'object' } },
      parts: { schemaCheckFor: uncheckable },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(outcomeOf(events)).toBe('completed');
    expect(events.find((event) => event.type === 'agent.invocation.completed')?.payload).not.toHaveProperty(
      'schemaValidated',
    );
    expect((await bench.store.runs.get(owner, runId))?.headline).toMatchObject({
      unscored: 2,
      passed: false,
    });
    const [record] = await bench.store.log.records(owner, runId, 0);
    expect(record?.score?.score).toEqual({ kind: 'unscored', reason: 'check_over_limit' });
    expect(record?.bodies).toMatchObject({ reason: 'It took too long.' });
  });

  it('under a contract such an answer is scored all the same: the contract decides about it', async () => {
    const bench = await openBench({
      tasks: countingTasks(1),
      facts: { returnSchema: { type: 'object' } },
      parts: { schemaCheckFor: uncheckable },
    });
    const contract = asId<Digest>('sha256:contract');
    const runId = await bench.createRun('r', { contract });
    await bench.engine.drive(owner, runId);
    expect((await bench.store.runs.get(owner, runId))?.headline).toMatchObject({ unscored: 0, passed: true });
  });

  it('a bug in the host fails the run, tells the operator, and keeps what was sealed', async () => {
    const bench = await openBench({
      tasks: countingTasks(3),
      behave: async (input) => {
        if (input === 2) throw new Error('impossible');
        return answered(`answer ${input}`);
      },
    });
    const runId = await bench.createRun('r', { concurrency: 1 });
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(scoredIds(events)).toEqual(['t0', 't1']);
    expect(events.at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'internal_error' } },
    });
    expect(JSON.stringify(events)).not.toContain('impossible');
    expect(bench.errors).toHaveLength(1);
  });
});

describe('tools and memory', () => {
  const search = asId<ToolId>('local:kb.search');
  const fixtures = (responses: Task['fixtures']) => countingTasks(1, responses);

  it('fixtures answer in order, the last repeats, and no live tool is asked', async () => {
    const seen: unknown[] = [];
    const bench = await openBench({
      tasks: fixtures({
        toolResponses: [
          { tool: search, response: toBody('first') },
          { tool: search, response: toBody('second') },
        ],
        memorySeed: [],
      }),
      facts: { toolAllowlist: [search, asId<ToolId>('local:other')] },
      behave: async (_input, host) => {
        for (const toolId of [search, search, search, 'local:other', 'local:forbidden'])
          seen.push(await host.callTool(toolId, toBody({ q: 1 })));
        return answered('answer 0');
      },
      tools: {
        granted: async () => [],
        described: offeredAll,
        tierOf: async () => undefined,
        call: async () => {
          throw new Error('a live tool was called');
        },
      },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    expect(seen).toMatchObject([
      { status: 'ok', outcome: 'first' },
      { status: 'ok', outcome: 'second' },
      { status: 'ok', outcome: 'second' },
      // The agent must not learn that there are fixtures; the log says it.
      { status: 'error', error: 'The tool is not available at the moment.' },
      { status: 'forbidden' },
    ]);
    const events = await bench.events(runId);
    const calls = events.filter((event) => event.type === 'agent.toolCalled');
    const returns = events.filter((event) => event.type === 'agent.toolReturned');
    expect(calls.map((event) => (event.payload as { callId: string }).callId)).toEqual([
      'inv-0.0.0',
      'inv-0.0.1',
      'inv-0.0.2',
      'inv-0.0.3',
    ]);
    expect(returns.at(-1)?.payload).toMatchObject({
      error: { message: 'This task has fixtures, and none for tool local:other.' },
    });
    expect(returns.map((event) => event.causationId)).toEqual(calls.map((event) => event.eventId));
    expect(types(events).indexOf('agent.reasoned')).toBeLessThan(types(events).indexOf('agent.toolCalled'));
  });

  it('parallel calls are answered one after the other, so the log does not depend on their speed', async () => {
    const bench = await openBench({
      tasks: countingTasks(1),
      facts: { toolAllowlist: [search] },
      behave: async (_input, host) => {
        await Promise.all([1, 2, 3].map((n) => host.callTool(search, toBody(n))));
        return answered('answer 0');
      },
      tools: {
        granted: offeredAll,
        described: offeredAll,
        tierOf: async () => undefined,
        call: async (_owner, _tool, inputs) => {
          for (let turns = 4 - Number(fromBody(inputs)); turns > 0; turns--)
            await new Promise((r) => setImmediate(r));
          return { status: 'ok', outcome: inputs };
        },
      },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    const tools = types(await bench.events(runId)).filter((type) => type.startsWith('agent.tool'));
    expect(tools).toEqual([
      'agent.toolCalled',
      'agent.toolReturned',
      'agent.toolCalled',
      'agent.toolReturned',
      'agent.toolCalled',
      'agent.toolReturned',
    ]);
  });

  it('what arrives after the answer changes nothing, and an unanswered call is recorded as unanswered', async () => {
    const { opened, open } = gate();
    const bench = await openBench({
      tasks: countingTasks(1),
      facts: { toolAllowlist: [search] },
      behave: async (_input, host) => {
        void host.callTool(search, toBody(1)).then(() => host.reason('too late'));
        await new Promise((resolve) => setImmediate(resolve));
        return answered('answer 0');
      },
      tools: {
        granted: offeredAll,
        described: offeredAll,
        tierOf: async () => undefined,
        call: async () => {
          await opened;
          return { status: 'ok' };
        },
      },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    open();
    await new Promise((resolve) => setImmediate(resolve));
    const events = await bench.events(runId);
    const bracket = ['agent.reasoned', 'agent.toolCalled', 'agent.toolReturned', 'agent.decided'];
    expect(types(events).slice(3, 7)).toEqual(bracket);
    expect(events[5]?.payload).toMatchObject({ status: 'error', error: { code: 'tool_error' } });
  });

  it('a tool is not called for an invocation that has ended, also when it is the first call', async () => {
    const { opened, open } = gate();
    const called: unknown[] = [];
    let late: Promise<unknown> | undefined;
    const bench = await openBench({
      tasks: countingTasks(1),
      facts: { toolAllowlist: [search] },
      behave: async (_input, host) => {
        late = opened.then(() => host.callTool(search, toBody(1)));
        return answered('answer 0');
      },
      tools: {
        granted: offeredAll,
        described: offeredAll,
        tierOf: async () => undefined,
        call: async (...args) => {
          called.push(args);
          return { status: 'ok' };
        },
      },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    open();
    expect(await late).toEqual({ status: 'error', error: 'The invocation is over.' });
    expect(called).toEqual([]);
    expect(types(await bench.events(runId))).not.toContain('agent.toolCalled');
  });

  it('seeds are completed, redacted, left out when expired, and gone with the invocation', async () => {
    const seen: unknown[] = [];
    const bench = await openBench({
      tasks: [
        ...fixtures({
          toolResponses: [],
          memorySeed: [
            { content: 'the key is hunter2hunter2', tags: ['a'] },
            { content: 'old', expiresAt: '2001-01-01T00:00:00.000Z' },
          ],
        }),
        { ...(countingTasks(2)[1] as Task), taskId: asId<TaskId>('t1') },
      ],
      behave: (input, _host, { memory }) => {
        seen.push(memory);
        return answered(`answer ${input}`);
      },
      parts: { redact: (text) => text.replaceAll('hunter2hunter2', '[REDACTED:k]') },
    });
    await bench.engine.drive(owner, await bench.createRun('r', { concurrency: 1 }));
    expect(seen).toEqual([
      [
        {
          id: expect.stringMatching(/^mem-[0-9a-f]{26}\.000$/),
          content: 'the key is [REDACTED:k]',
          tags: ['a'],
          createdAt: expect.stringMatching(/^2025-\d\d-\d\dT[\d:.]{12}Z$/),
        },
      ],
      [],
    ]);
  });
});

describe('stopping early', () => {
  const waiting =
    (from: number, open: Promise<void>): Behaviour =>
    async (input) => {
      if (Number(input) >= from) await open;
      return answered(`answer ${input}`);
    };
  const settled = async (check: () => boolean | Promise<boolean>) => {
    for (let turns = 0; turns < 500 && !(await check()); turns++)
      await new Promise((resolve) => setImmediate(resolve));
  };

  it('a cancel aborts what runs without a trace and appends what was sealed, gaps skipped', async () => {
    const { opened } = gate();
    const bench = await openBench({
      tasks: countingTasks(5),
      behave: async (input) => {
        if (input === 1) await opened;
        if (input === 4) await opened;
        return answered(`answer ${input}`);
      },
    });
    const runId = await bench.createRun('r', { concurrency: 5 });
    const driven = bench.engine.drive(owner, runId);
    await settled(async () => (await bench.store.log.pending(owner, runId)).length === 2);
    expect(await bench.engine.cancel(owner, runId, 'me', 'enough')).toMatchObject({ status: 'cancelling' });
    await driven;
    const events = await bench.events(runId);
    expect(scoredIds(events)).toEqual(['t0', 't2', 't3']);
    expect(events.at(-1)).toMatchObject({
      type: 'run.cancelled',
      payload: { reason: 'enough', cancelledBy: 'me' },
    });
    expect(types(events)).not.toContain('eval.completed');
    expect(await bench.engine.cancel(owner, runId, 'me')).toMatchObject({ status: 'cancelled' });
  });

  it('cancelling a completed run is refused as terminal', async () => {
    const bench = await openBench();
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    await expect(bench.engine.cancel(owner, runId, 'me')).rejects.toMatchObject({ code: 'run_terminal' });
  });

  it('a draining pause lets running tasks seal, and resume goes on from there', async () => {
    const { opened, open } = gate();
    const bench = await openBench({ tasks: countingTasks(6), behave: waiting(2, opened) });
    const runId = await bench.createRun('r', { concurrency: 2 });
    const driven = bench.engine.drive(owner, runId);
    await settled(() => bench.calls.length === 4);
    expect(await bench.engine.pause(owner, runId, 'me', 'drain-current-node')).toMatchObject({
      status: 'running',
      control: { kind: 'pause' },
    });
    await expect(bench.engine.pause(owner, runId, 'me', 'immediate')).rejects.toMatchObject({
      code: 'run_state_conflict',
    });
    open();
    await driven;
    expect(types(await bench.events(runId)).at(-1)).toBe('run.paused');
    expect(await bench.store.runs.get(owner, runId)).toMatchObject({ status: 'paused' });
    expect(bench.calls).toHaveLength(4);
    await bench.engine.resume(owner, runId, 'me');
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(bench.calls).toHaveLength(6);
    expect(types(events).filter((type) => type.startsWith('run.'))).toEqual([
      'run.started',
      'run.paused',
      'run.resumed',
      'run.completed',
    ]);
    expect(scoredIds(events)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5']);
  });

  it('an immediate pause aborts, and the scorecard is in suite order although the log has a gap', async () => {
    const first = gate();
    let waits = true;
    const bench = await openBench({
      tasks: countingTasks(4),
      behave: async (input) => {
        if (input === 1 && waits) await first.opened;
        return answered(`answer ${input}`);
      },
    });
    const runId = await bench.createRun('r', { concurrency: 4 });
    const driven = bench.engine.drive(owner, runId);
    await settled(async () => (await bench.store.log.pending(owner, runId)).length === 2);
    await bench.engine.pause(owner, runId, 'me', 'immediate');
    await driven;
    waits = false;
    await bench.engine.resume(owner, runId, 'me');
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(scoredIds(events)).toEqual(['t0', 't2', 't3', 't1']);
    expect(events.at(-1)?.payload).toMatchObject({
      outputs: { tasks: ['t0', 't1', 't2', 't3'].map((taskId) => ({ taskId })) },
    });
  });

  it('a resume while the pause is still draining is refused, and every pause in the log has its end', async () => {
    const { opened, open } = gate();
    const bench = await openBench({ tasks: countingTasks(3), behave: waiting(0, opened) });
    const runId = await bench.createRun('r', { concurrency: 1 });
    const driven = bench.engine.drive(owner, runId);
    await settled(() => bench.calls.length === 1);
    await bench.engine.pause(owner, runId, 'me', 'drain-current-node');
    await expect(bench.engine.resume(owner, runId, 'me')).rejects.toMatchObject({
      code: 'run_state_conflict',
    });
    open();
    await driven;
    await bench.engine.resume(owner, runId, 'me');
    await bench.engine.pause(owner, runId, 'me', 'immediate');
    await bench.engine.drive(owner, runId);
    await bench.engine.resume(owner, runId, 'me');
    await bench.engine.drive(owner, runId);
    const lifecycle = types(await bench.events(runId)).filter((type) => type.startsWith('run.'));
    const pause = ['run.paused', 'run.resumed'];
    expect(lifecycle).toEqual(['run.started', ...pause, ...pause, 'run.completed']);
  });

  it('a pause whose process is gone before it has come to rest is carried out by the next one', async () => {
    const { opened, open } = gate();
    const bench = await openBench({ tasks: countingTasks(3), behave: waiting(1, opened) });
    const runId = await bench.createRun('r', { concurrency: 1 });
    const driven = bench.engine.drive(owner, runId);
    await settled(() => bench.calls.length === 2);
    const control = { kind: 'pause', by: 'elsewhere', drainPolicy: 'drain-current-node' } as const;
    const change = { from: ['running'], status: 'paused', control, pausedAt: 5 } as const;
    await bench.store.runs.request(owner, runId, change);
    const leaving = bench.engine.shutdown();
    open();
    await Promise.all([leaving, driven]);
    expect(await bench.store.runs.get(owner, runId)).toMatchObject({ status: 'running', control });
    await bench.reopen((input) => answered(`answer ${input}`)).drive(owner, runId);
    const lifecycle = types(await bench.events(runId)).filter((type) => type.startsWith('run.'));
    expect(lifecycle).toEqual(['run.started', 'run.paused']);
    expect(await bench.store.runs.get(owner, runId)).toMatchObject({ status: 'paused' });
  });

  it('a pause during the last task is kept, and the run ends after its resume', async () => {
    const { opened, open } = gate();
    const bench = await openBench({ tasks: countingTasks(1), behave: waiting(0, opened) });
    const runId = await bench.createRun('r', { runTimeoutMs: 1000 });
    const driven = bench.engine.drive(owner, runId);
    await settled(() => bench.calls.length === 1);
    await bench.engine.pause(owner, runId, 'me', 'drain-current-node');
    await bench.clock.advance(5000);
    open();
    await driven;
    expect(types(await bench.events(runId)).slice(-2)).toEqual(['eval.scored', 'run.paused']);
    await bench.engine.resume(owner, runId, 'me');
    await bench.engine.drive(owner, runId);
    expect(types(await bench.events(runId)).at(-1)).toBe('run.completed');
  });

  it('what another process asks of a run in its last moment goes before its end', async () => {
    const bench = await openBench({ tasks: countingTasks(1) });
    const runId = await bench.createRun('r');
    const { store } = bench;
    const results = store.log.results;
    store.log.results = async (...args) => {
      const control = { kind: 'cancel', by: 'elsewhere' } as const;
      await store.runs.request(owner, runId, { from: ['running'], status: 'cancelling', control });
      return results(...args);
    };
    await bench.engine.drive(owner, runId);
    expect((await bench.events(runId)).at(-1)).toMatchObject({
      type: 'run.cancelled',
      payload: { cancelledBy: 'elsewhere' },
    });
  });

  it('a tenant whose places are all taken can still cancel what waits, and holds up nobody else', async () => {
    const bench = await openBench({
      tasks: countingTasks(1),
      slots: { runs: createSlots({ perTenant: 1 }) },
      behave: () => new Promise(() => undefined),
    });
    const [busy, queued] = [await bench.createRun('busy'), await bench.createRun('queued')];
    void bench.engine.drive(owner, busy);
    await settled(() => bench.calls.length === 1);
    const waiting = bench.engine.drive(owner, queued);
    await bench.engine.cancel(owner, queued, 'me');
    await waiting;
    expect(types(await bench.events(queued))).toEqual(['run.started', 'eval.started', 'run.cancelled']);
    await bench.engine.shutdown();
  });

  it('with a ceiling of nothing, nothing starts', async () => {
    const bench = await openBench();
    const runId = await bench.createRun('r', { ceilingUsd: 0 });
    await bench.engine.drive(owner, runId);
    expect(bench.calls).toEqual([]);
    expect((await bench.events(runId)).at(-1)?.payload).toMatchObject({
      error: { code: 'budget_exhausted' },
    });
  });

  it('a run over its time fails with what was measured, and paused time does not count', async () => {
    const bench = await openBench({ tasks: countingTasks(1), behave: () => new Promise(() => undefined) });
    const runId = await bench.createRun('r', { runTimeoutMs: 1000 });
    const driven = bench.engine.drive(owner, runId);
    await settled(() => bench.calls.length === 1);
    await bench.clock.advance(600);
    await bench.engine.pause(owner, runId, 'me', 'immediate');
    await driven;
    await bench.clock.advance(10_000);
    await bench.engine.resume(owner, runId, 'me');
    const again = bench.engine.drive(owner, runId);
    await settled(() => bench.calls.length === 2);
    await bench.clock.advance(399);
    expect((await bench.store.runs.get(owner, runId))?.status).toBe('running');
    await bench.clock.advance(1);
    await again;
    const events = await bench.events(runId);
    expect(types(events).slice(-2)).toEqual(['cap.breached', 'run.failed']);
    expect(events.at(-2)?.payload).toEqual({ kind: 'run-duration', limit: 1000, observed: 1000 });
    expect(events.at(-1)?.payload).toMatchObject({ error: { code: 'run_timeout' } });
  });

  it('at the cost ceiling no new task starts and the run fails; what ran is kept', async () => {
    const bench = await openBench({
      tasks: countingTasks(10),
      behave: async (input, host) => {
        await host.spend([
          { provider: asId('p'), model: asId('m'), inputTokens: 1, outputTokens: 1, costUsd: 0.4 },
        ]);
        return answered(`answer ${input}`);
      },
    });
    const runId = await bench.createRun('r', { concurrency: 1, ceilingUsd: 1 });
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(scoredIds(events)).toEqual(['t0', 't1', 't2']);
    expect(events.at(-2)?.payload).toMatchObject({ kind: 'budget-cost', limit: 1 });
    expect(events.at(-1)?.payload).toMatchObject({ error: { code: 'budget_exhausted' } });
    expect((await bench.store.ledger.total(owner, runId)).usd).toBeCloseTo(1.2);
  });

  it('what was spent after the ceiling was reached is in the last word too', async () => {
    let waiting = 0;
    const bench = await openBench({
      tasks: countingTasks(4),
      behave: async (input, host) => {
        waiting += 1;
        await settled(() => waiting === 3);
        await host.spend([
          { provider: asId('p'), model: asId('m'), inputTokens: 1, outputTokens: 1, costUsd: 1 },
        ]);
        return answered(`answer ${input}`);
      },
    });
    const runId = await bench.createRun('r', { concurrency: 3, ceilingUsd: 1 });
    await bench.engine.drive(owner, runId);
    const spentUsd = (await bench.store.ledger.total(owner, runId)).usd;
    expect(spentUsd).toBe(3);
    const events = await bench.events(runId);
    expect(events.at(-2)?.payload).toMatchObject({ kind: 'budget-cost', limit: 1, observed: spentUsd });
    expect(events.at(-1)?.payload).toMatchObject({ error: { details: { spentUsd } } });
  });

  it.each([
    [0.5, 'run.completed'],
    [0.6, 'run.failed'],
  ])(
    'two tasks of %d USD that began together end a run with a ceiling of 1 USD by %s',
    async (costUsd, last) => {
      const bench = await openBench({
        tasks: countingTasks(2),
        behave: async (input, host) => {
          await host.spend([
            { provider: asId('p'), model: asId('m'), inputTokens: 1, outputTokens: 1, costUsd },
          ]);
          return answered(`answer ${input}`);
        },
      });
      const runId = await bench.createRun('r', { concurrency: 2, ceilingUsd: 1 });
      await bench.engine.drive(owner, runId);
      const events = await bench.events(runId);
      expect(scoredIds(events)).toEqual(['t0', 't1']);
      expect(events.at(-1)?.type).toBe(last);
      expect(types(events).includes('cap.breached')).toBe(last === 'run.failed');
    },
  );

  it('usage is in the ledger before the agent goes on, and priced calls are summed per task', async () => {
    const ledger: number[] = [];
    const bench = await openBench({
      tasks: countingTasks(1),
      behave: async (_input, host) => {
        await host.spend([{ provider: asId('p'), model: asId('m'), inputTokens: 10, outputTokens: 5 }]);
        ledger.push((await bench.store.ledger.total(owner, asId<RunId>('r'))).usd);
        return answered('answer 0');
      },
      parts: { priceOf: (usage) => usage.inputTokens / 100 },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    expect(ledger).toEqual([0.1]);
    const events = await bench.events(runId);
    const usage = events.find((event) => event.type === 'provider.usage');
    expect(usage?.payload).toMatchObject({ totalTokens: 15, costEstimateUsd: 0.1 });
    const start = events.find((event) => event.type === 'agent.invocation.started');
    expect(usage?.causationId).toBe(start?.eventId);
    expect(events.at(-1)?.payload).toMatchObject({ outputs: { totalCostUsd: 0.1 } });
  });
});

it('a store that cannot be written leaves the run as it is, to be taken up again', async () => {
  const bench = await openBench();
  const runId = await bench.createRun('r');
  const full = new HostError('unavailable', 'The store cannot be used: the disk is full.');
  const { log } = bench.store;
  // The disk has room for a few words, but for no answer.
  const commit: typeof log.commit = (lease, whole) =>
    whole.seals?.length ? Promise.reject(full) : log.commit(lease, whole);
  const engine = createEngine({ ...bench.parts, store: { ...bench.store, log: { ...log, commit } } });
  await expect(engine.drive(owner, runId)).rejects.toBe(full);
  expect(await bench.store.runs.get(owner, runId)).toMatchObject({ status: 'running' });
  await bench.reopen().drive(owner, runId);
  expect(types(await bench.events(runId)).at(-1)).toBe('run.completed');
});

describe('going on after a crash', () => {
  it('sealed tasks are not invoked again and the log is the one of an undisturbed run', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 3 }),
        async (stopAt, repeats) => {
          const tasks = countingTasks(12);
          const undisturbed = await openBench({ tasks });
          const plan = { concurrency: 4, repeats };
          const whole = await undisturbed.createRun('r', plan);
          await undisturbed.engine.drive(owner, whole);

          let count = 0;
          const hang: Behaviour = (input) =>
            count++ < stopAt ? answered(`answer ${input}`) : new Promise(() => undefined);
          const bench = await openBench({ tasks, behave: hang });
          const runId = await bench.createRun('r', plan);
          const first = bench.engine.drive(owner, runId);
          await settledCalls(bench.calls, Math.min(stopAt + 4, tasks.length * repeats));
          await bench.engine.shutdown();
          await first;
          const sealedBefore = await sealedInvocations(bench, runId);

          const from = bench.calls.length;
          const second = bench.reopen((input) => answered(`answer ${input}`));
          await second.drive(owner, runId);
          for (const invocation of bench.calls.slice(from)) expect(sealedBefore).not.toContain(invocation);
          expect(plain(await bench.events(runId))).toBe(plain(await undisturbed.events(whole)));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('an unfinished run is adopted, once', async () => {
    const bench = await openBench();
    const runId = await bench.createRun('r');
    await bench.engine.adopt();
    await bench.engine.adopt();
    await bench.engine.drive(owner, runId);
    expect(bench.calls).toHaveLength(3);
    expect((await bench.store.runs.get(owner, runId))?.status).toBe('completed');
  });

  /** A driver that takes the lease and is never heard of again. */
  async function loseDriver({ store, clock }: Awaited<ReturnType<typeof openBench>>, runId: RunId) {
    await store.leases.take(owner, runId, 1);
    await clock.advance(2);
  }

  it('a run that loses three drivers at the same task is given up, with what was sealed in its log', async () => {
    const bench = await openBench({
      limits: { maxLostDrives: 3 },
      behave: (input) => (input === 0 ? new Promise(() => undefined) : answered(`answer ${input}`)),
    });
    const runId = await bench.createRun('r');
    const first = bench.engine.drive(owner, runId);
    await settledCalls(bench.calls, 3);
    await bench.engine.shutdown();
    await first;
    for (let times = 0; times < 3; times++) await loseDriver(bench, runId);
    await bench.reopen((input) => answered(`answer ${input}`)).drive(owner, runId);
    expect(bench.calls).toHaveLength(3);
    const events = await bench.events(runId);
    expect(scoredIds(events)).toEqual(['t1', 't2']);
    expect(events.at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'too_many_restarts', details: { restarts: 3 } } },
    });
  });

  it('a run that was lost twice goes on', async () => {
    const bench = await openBench({ behave: (input) => answered(`answer ${input}`) });
    const runId = await bench.createRun('r');
    for (let times = 0; times < 2; times++) await loseDriver(bench, runId);
    await bench.engine.drive(owner, runId);
    expect((await bench.store.runs.get(owner, runId))?.status).toBe('completed');
  });

  it('an agent that is gone or changed fails the run and says which', async () => {
    const { HostError } = await import('@touchstone/protocol');
    const bench = await openBench({
      parts: {
        openAgent: async () =>
          Promise.reject(new HostError('conflict', 'Agent local.test.agent@1.0.0 has changed.')),
      },
    });
    const runId = await bench.createRun('r');
    await bench.engine.drive(owner, runId);
    const events = await bench.events(runId);
    expect(types(events)).toEqual(['run.started', 'run.failed']);
    expect(events.at(-1)?.payload).toMatchObject({
      error: { code: 'agent_unavailable', message: 'Agent local.test.agent@1.0.0 has changed.' },
    });
  });

  describe('an agent whose files were written to while the run was at work', () => {
    const failed = { error: { code: 'agent_changed', message: expect.stringContaining('Start a new run') } };

    it('has measured nothing, although every task has a score', async () => {
      const bench = await openBench({ agent: { hasChanged: async () => true } });
      const runId = await bench.createRun('r');
      await bench.engine.drive(owner, runId);
      const events = await bench.events(runId);
      expect(scoredIds(events)).toEqual(['t0', 't1', 't2']);
      expect(types(events)).not.toContain('eval.completed');
      expect(events.at(-1)).toMatchObject({ type: 'run.failed', payload: failed });
      expect(await bench.store.runs.get(owner, runId)).toMatchObject({ status: 'failed' });
    });

    it('that is noticed at an answer ends the run there, and the answer leaves no trace', async () => {
      const bench = await openBench({
        behave: (input) => {
          if (input === 1) throw new AgentChanged();
          return answered(`answer ${input}`);
        },
      });
      const runId = await bench.createRun('r', { concurrency: 1 });
      await bench.engine.drive(owner, runId);
      const events = await bench.events(runId);
      expect(scoredIds(events)).toEqual(['t0']);
      expect(events.at(-1)).toMatchObject({ type: 'run.failed', payload: failed });
      expect(bench.calls).toHaveLength(2);
      expect(bench.errors).toEqual([]);
    });

    it('is not paused until the files are put back', async () => {
      const { opened, open } = gate();
      const bench = await openBench({
        agent: { hasChanged: async () => true },
        behave: async (input) => {
          await opened;
          return answered(`answer ${input}`);
        },
      });
      const runId = await bench.createRun('r', { concurrency: 1 });
      const driven = bench.engine.drive(owner, runId);
      await settledCalls(bench.calls, 1);
      await bench.engine.pause(owner, runId, 'me', 'drain-current-node');
      open();
      await driven;
      expect((await bench.events(runId)).at(-1)).toMatchObject({ type: 'run.failed', payload: failed });
    });

    it('is told instead of a cost ceiling that came too late to stop the run', async () => {
      const bench = await openBench({
        tasks: countingTasks(1),
        agent: { hasChanged: async () => true },
        behave: async (input, host) => {
          await host.spend([
            { provider: asId('p'), model: asId('m'), inputTokens: 1, outputTokens: 1, costUsd: 1 },
          ]);
          return answered(`answer ${input}`);
        },
      });
      const runId = await bench.createRun('r', { ceilingUsd: 1 });
      await bench.engine.drive(owner, runId);
      expect((await bench.events(runId)).at(-1)).toMatchObject({ type: 'run.failed', payload: failed });
    });
  });

  async function settledCalls(calls: readonly string[], wanted: number): Promise<void> {
    for (let turns = 0; turns < 500 && calls.length < wanted; turns++)
      await new Promise((resolve) => setImmediate(resolve));
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
  }

  async function sealedInvocations(
    bench: Awaited<ReturnType<typeof openBench>>,
    runId: RunId,
  ): Promise<string[]> {
    const pending = await bench.store.log.pending(owner, runId);
    const logged = (await bench.events(runId)).flatMap((e) =>
      e.type === 'agent.invocation.completed' ? [(e.payload as { invocationId: string }).invocationId] : [],
    );
    return [...pending.map((seal) => `inv-${seal.ordinal}.${seal.repeat}`), ...logged];
  }
});
