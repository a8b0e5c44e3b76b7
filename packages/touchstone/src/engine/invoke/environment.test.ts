import { asId, type ModelName, type ToolId } from '@touchstone/protocol';
import { type RunEvent, type Task, toBody } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import { type Invocation, MEMORY_TOOL, type Tools } from '../../ports/index.js';
import { agentId, answered, type Bench, countingTasks, openBench, owner } from '../testing/bench.js';

const search = asId<ToolId>('local:kb.search');
const SECRET = 'canary-5f1c77a0';
const redact = (text: string) => text.replaceAll(SECRET, '[REDACTED:key]');
const offerAll: Tools['granted'] = async (_owner, wanted) => wanted.map((toolId) => ({ toolId }));
const remembering = {
  toolAllowlist: [search, MEMORY_TOOL.toolId],
  memoryShape: { longTerm: true },
} as const;

/** An agent that notes down its input, and a live tool that counts how often it is asked. */
async function openRemembering(tasks: readonly Task[]) {
  const seen: Invocation[] = [];
  const live = { calls: 0 };
  const bench = await openBench({
    tasks,
    facts: remembering,
    parts: { redact },
    tools: {
      granted: offerAll,
      described: offerAll,
      tierOf: async () => undefined,
      async call() {
        live.calls += 1;
        return { status: 'ok', outcome: toBody({ token: SECRET }) };
      },
    },
    behave: async (input, host, invocation) => {
      seen.push(invocation);
      await host.callTool(search, toBody({ q: 'x' }));
      await host.callTool(
        MEMORY_TOOL.toolId,
        toBody({ content: `saw ${input} and ${SECRET}`, tags: ['seen'] }),
      );
      return answered(`answer ${input}`);
    },
  });
  return { bench, seen, live };
}

const drive = async (bench: Bench, name: string, plan?: Parameters<Bench['createRun']>[1]) => {
  const runId = await bench.createRun(name, plan);
  await bench.engine.drive(owner, runId);
  return bench.events(runId);
};
const ofType = (events: readonly RunEvent[], type: string) => events.filter((event) => event.type === type);
const kept = (bench: Bench) =>
  bench.store.memory.snapshot(owner, agentId, Number.MAX_SAFE_INTEGER, bench.clock.now());

describe('a task with fixtures', () => {
  it('reads its seeds and nothing else, calls nothing live and leaves no note behind', async () => {
    const fixtures = {
      toolResponses: [{ tool: search, response: toBody('canned') }],
      memorySeed: [{ content: `seeded ${SECRET}` }],
    };
    const { bench, seen, live } = await openRemembering(countingTasks(1, fixtures));
    await bench.store.memory.put(
      owner,
      agentId,
      { id: 'old', content: 'long ago', tags: [], createdAt: '2020-01-01T00:00:00.000Z' },
      0,
    );
    const events = await drive(bench, 'r');
    expect(seen[0]?.memory.map(({ content }) => content)).toEqual(['seeded [REDACTED:key]']);
    expect(live.calls).toBe(0);
    expect(ofType(events, 'memory.written')).toEqual([]);
    expect(ofType(events, 'agent.toolReturned').map((event) => event.payload)).toMatchObject([
      { outcome: 'canned' },
      { status: 'ok' },
    ]);
    expect((await kept(bench)).map(({ id }) => id)).toEqual(['old']);
  });
});

describe('a live-shadow run', () => {
  it('ignores fixtures, uses live tools and memory, and its notes are there for the next run', async () => {
    const fixtures = { toolResponses: [{ tool: search, response: toBody('canned') }], memorySeed: [] };
    const { bench, seen, live } = await openRemembering(countingTasks(2, fixtures));
    const events = await drive(bench, 'r1', { modes: ['live-shadow'], concurrency: 1 });
    expect(live.calls).toBe(2);
    // A run reads what was there when it began, not what it has written itself.
    expect(seen.map(({ memory }) => memory.length)).toEqual([0, 0]);
    expect(ofType(events, 'memory.written').map((event) => event.payload)).toMatchObject([
      { memoryId: expect.stringMatching(/^mem-[0-9a-f]{26}\.000$/), agentId, tags: ['seen'] },
      { memoryId: expect.stringMatching(/^mem-[0-9a-f]{26}\.000$/), agentId, tags: ['seen'] },
    ]);
    bench.clock.advance(1);
    await drive(bench, 'r2', { modes: ['live-shadow'], concurrency: 1 });
    // Written in the same moment of the test's clock, by two invocations.
    expect(seen[2]?.memory.map(({ content }) => content).sort()).toEqual([
      'saw 0 and [REDACTED:key]',
      'saw 1 and [REDACTED:key]',
    ]);
  });
});

describe('notes', () => {
  it('expire when their time is over, and what is not a note is refused', async () => {
    const answers: string[] = [];
    const bench = await openBench({
      tasks: countingTasks(1),
      facts: remembering,
      behave: async (_input, host) => {
        for (const inputs of [
          { content: 'short', ttlSeconds: 1 },
          { content: '' },
          { content: 'x', tags: 'y' },
          'text',
        ])
          answers.push((await host.callTool(MEMORY_TOOL.toolId, toBody(inputs))).status);
        return answered('answer 0');
      },
    });
    await drive(bench, 'r', { modes: ['live-shadow'] });
    expect(answers).toEqual(['ok', 'error', 'error', 'error']);
    expect(await kept(bench)).toHaveLength(1);
    bench.clock.advance(1_000);
    expect(await kept(bench)).toHaveLength(0);
  });

  it('cannot be written by an agent that does not list the tool', async () => {
    const bench = await openBench({
      tasks: countingTasks(1),
      facts: { memoryShape: { longTerm: true } },
      behave: async (_input, host) =>
        answered((await host.callTool(MEMORY_TOOL.toolId, toBody({ content: 'x' }))).status),
    });
    const events = await drive(bench, 'r', { modes: ['live-shadow'] });
    expect(ofType(events, 'agent.decided')[0]?.payload).toMatchObject({ decision: 'forbidden' });
    expect(await kept(bench)).toEqual([]);
  });
});

describe('secrets', () => {
  it('are scored as they came and written down as their names', async () => {
    const [task] = countingTasks(1);
    const bench = await openBench({
      tasks: [
        {
          ...(task as Task),
          expected: { kind: 'golden', match: { strategy: 'exact', value: toBody(`key ${SECRET}`) } },
        },
      ],
      facts: { toolAllowlist: [] },
      parts: { redact },
      behave: async (_input, host) => {
        host.reason(`thinking of ${SECRET}`);
        await host.callTool('local:absent', toBody({ [SECRET]: [SECRET] }));
        return answered(`key ${SECRET}`);
      },
    });
    const events = await drive(bench, 'r');
    expect(ofType(events, 'eval.scored')[0]?.payload).toMatchObject({ score: 1 });
    const records = await bench.store.log.records(owner, asId('r'), 0);
    expect(JSON.stringify([events, records])).not.toContain(SECRET);
    expect(JSON.stringify(records)).toContain('[REDACTED:key]');
  });
});

describe('a bracket', () => {
  it('holds all reasoning before the first tool call, and every return still names its call', async () => {
    const bench = await openBench({
      tasks: countingTasks(1, { toolResponses: [{ tool: search, response: toBody('canned') }] }),
      facts: { toolAllowlist: [search] },
      behave: async (input, host) => {
        for (const thought of ['one', 'two', 'three']) {
          host.reason(thought);
          await host.callTool(search, toBody({ q: thought }));
        }
        return answered(`answer ${input}`);
      },
    });
    const events = await drive(bench, 'r');
    const agents = events.filter(({ type }) => type.startsWith('agent.'));
    expect(agents.map(({ type }) => type.slice('agent.'.length))).toEqual([
      'invocation.started',
      ...['reasoned', 'reasoned', 'reasoned'],
      ...['toolCalled', 'toolReturned', 'toolCalled', 'toolReturned', 'toolCalled', 'toolReturned'],
      'decided',
      'invocation.completed',
    ]);
    const calls = ofType(events, 'agent.toolCalled').map(({ eventId }) => eventId);
    expect(ofType(events, 'agent.toolReturned').map(({ causationId }) => causationId)).toEqual(calls);
    expect(
      ofType(events, 'agent.reasoned').map(({ payload }) => (payload as { reasoning: string }).reasoning),
    ).toEqual(['one', 'two', 'three']);
  });
});

describe('an agent that is a prompt and a model', () => {
  it('shows which model it got, then its prompt, before anything it says', async () => {
    const model = { provider: asId<ModelName>('local'), model: asId<ModelName>('small-1') };
    const bench = await openBench({
      tasks: countingTasks(1),
      agent: {
        model,
        prompt: () => ({ chain: [{ layer: 'agent-intrinsic', applied: true }], resolved: 'Be kind.' }),
      },
    });
    const events = await drive(bench, 'r');
    expect(events.slice(2, 5).map(({ type, payload, nodeId }) => ({ type, payload, nodeId }))).toMatchObject([
      { type: 'agent.invocation.started', payload: { resolvedModel: 'small-1', resolvedProvider: 'local' } },
      {
        type: 'agent.promptResolved',
        nodeId: 't0',
        payload: { nodeId: 't0', kind: 'system', resolved: 'Be kind.' },
      },
      { type: 'agent.reasoned' },
    ]);
  });

  it('remembered answers are marked on their events and counted for the run', async () => {
    const usage = {
      provider: asId<ModelName>('p'),
      model: asId<ModelName>('m'),
      inputTokens: 3,
      outputTokens: 1,
    };
    const bench = await openBench({
      tasks: countingTasks(2),
      behave: async (input, host) => {
        await host.spend([
          { ...usage, cacheHit: true, costUsd: 0 },
          { ...usage, costUsd: 0.5, cacheReadTokens: 2 },
        ]);
        return answered(`answer ${input}`);
      },
    });
    const events = await drive(bench, 'r');
    expect(ofType(events, 'provider.usage')[0]?.payload).toMatchObject({ cacheHit: true, inputTokens: 3 });
    expect(ofType(events, 'provider.usage')[1]?.payload).toMatchObject({
      cacheReadTokens: 2,
      costEstimateUsd: 0.5,
    });
    expect((await bench.store.runs.get(owner, asId('r')))?.headline).toMatchObject({
      cacheHits: 2,
      totalCostUsd: 1,
    });
  });

  it('a call whose tokens nobody counted has no price, whatever its model costs', async () => {
    const usage = {
      provider: asId<ModelName>('p'),
      model: asId<ModelName>('m'),
      inputTokens: 0,
      outputTokens: 0,
    };
    const bench = await openBench({
      tasks: countingTasks(1),
      thresholds: { maxCostUsd: 1 },
      parts: { priceOf: () => 0 },
      behave: async (input, host) => {
        await host.spend([{ ...usage, uncounted: true }]);
        return answered(`answer ${input}`);
      },
    });
    const events = await drive(bench, 'r');
    expect(ofType(events, 'provider.usage')[0]?.payload).not.toHaveProperty('costEstimateUsd');
    expect((await bench.store.runs.get(owner, asId('r')))?.headline).toMatchObject({ passed: false });
  });
});

it('what an invocation says to its tools, and hears from them, and thinks is bounded; the agent learns why', async () => {
  const fixtures = { toolResponses: [{ tool: search, response: toBody('x'.repeat(3_000_000)) }] };
  const results: { readonly status: string; readonly error?: string | undefined }[] = [];
  const bench = await openBench({
    tasks: countingTasks(1, fixtures),
    facts: remembering,
    behave: async (_input, host) => {
      for (let turn = 0; turn < 9; turn += 1) host.reason('thinking '.repeat(100_000));
      for (let call = 0; call < 8; call += 1) {
        const { status, error } = await host.callTool(search, toBody({ q: 'x' }));
        results.push({ status, error });
      }
      await host.callTool('local:absent', toBody('x'.repeat(3_000_000)));
      return answered('done');
    },
  });
  const events = await drive(bench, 'r');
  expect(results.map(({ status }) => status)).toEqual([...Array(5).fill('ok'), ...Array(3).fill('error')]);
  expect(results.at(-1)?.error).toContain('16 MiB together');
  const [record] = await bench.store.log.records(owner, asId('r'), 0);
  expect(record?.bodies?.refusedCalls).toBeUndefined();
  expect(ofType(events, 'agent.decided')).toHaveLength(1);
  const thought = ofType(events, 'agent.reasoned').map(
    ({ payload }) => String((payload as { reasoning?: string }).reasoning).length,
  );
  expect(thought).toEqual([900_000, 900_000, 900_000, 900_000, 4 * 1024 * 1024 - 3_600_000]);
});
