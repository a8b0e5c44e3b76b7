import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ModelAction,
  ModelRequest,
  ModelServer,
} from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import {
  AGENT,
  type Event,
  evaluate,
  install,
  modelConfig,
  ofType,
  PROMPT,
  payloadsOf,
  plain,
  questionIn,
  readJson,
  resultsIn,
  startModelServer,
  startToolServer,
  systemIn,
  type ToolServer,
} from './pack-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: an agent out of a pack is evaluated on a real model endpoint as the protocol describes it. Method: one pack whose
// six tasks end in six different ways, and a model on loopback whose behaviour is decided by the question.
const TOOL = 'local:orders.lookup';
const RETURNS = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
const answer = (value: string): string => JSON.stringify({ answer: value });
const fixtures = { toolResponses: [{ tool: TOOL, response: { state: 'shipped' } }] };
const TASKS = [
  { input: { ask: 'plain' }, expect: { answer: 'plain' } },
  { input: { ask: 'tool' }, expect: { answer: 'shipped' }, fixtures },
  { input: { ask: 'wrong' }, expect: { answer: 'right' } },
  { input: { ask: 'shapeless' }, expect: { answer: 'shapeless' } },
  { input: { ask: 'refuse' }, expect: { answer: 'refuse' } },
  { input: { ask: 'fenced' }, expect: { answer: 'fenced' } },
];
const SHAPE = {
  tasks: TASKS,
  agent: { toolAllowlist: [TOOL] },
  taskSchema: { type: 'object', properties: { ask: { type: 'string' } }, required: ['ask'] },
  returnSchema: RETURNS,
};

function model(request: ModelRequest): ModelAction {
  const { ask } = JSON.parse(questionIn(request)) as { ask: string };
  const [result] = resultsIn(request);
  const says: { readonly [ask: string]: ModelAction } = {
    tool: result
      ? {
          reasoning: 'Now I know.',
          say: answer(String((result.outcome as { state: string }).state)),
          usage: { input: 100, output: 10 },
        }
      : {
          reasoning: 'I have to look it up.',
          calls: [{ name: 'local_orders_lookup', arguments: { id: 7 } }],
        },
    wrong: { say: answer('wrong') },
    shapeless: { say: JSON.stringify({ reply: 1 }) },
    refuse: { refusal: 'I will not.' },
    fenced: { say: `\`\`\`json\n${answer('fenced')}\n\`\`\`` },
  };
  return says[ask] ?? { say: answer(ask) };
}

let server: ModelServer;
let tool: ToolServer;
let host: WholeHost;
beforeAll(async () => {
  server = await startModelServer(model);
  tool = await startToolServer(() => ({ state: 'live' }));
  const tools = [
    { toolId: TOOL, kind: 'http', url: tool.url, tenants: ['acme'], description: 'Looks it up.' },
  ];
  const shown = { kind: 'openai-compatible', baseUrl: server.baseUrl, tenants: ['acme'] };
  const config = modelConfig(server, { tools }) as { providers: object };
  const streaming = { ...shown, stream: true };
  host = await openWholeHost({ ...config, providers: { ...config.providers, streaming } });
  await install(host, SHAPE);
});
afterAll(async () => {
  await host.close();
  await server.close();
  await tool.close();
});

const typesOf = (events: readonly Event[], taskId: string): readonly string[] =>
  events.filter(({ nodeId }) => nodeId === taskId).map(({ type }) => type);
const OPENING = ['agent.invocation.started', 'agent.promptResolved'];
const CLOSING = ['agent.decided', 'agent.invocation.completed', 'eval.scored'];

describe('an agent of a pack', () => {
  it('leaves the bracket of the protocol, with a usage for every model call', async () => {
    const { events } = await evaluate(host);
    for (const event of events)
      expect({ type: event.type, issues: check('run-event', event) }).toEqual({
        type: event.type,
        issues: [],
      });
    expect(typesOf(events, 't-0')).toEqual([...OPENING, 'provider.usage', 'agent.reasoned', ...CLOSING]);
    expect(typesOf(events, 't-1')).toEqual([
      ...OPENING,
      'provider.usage',
      'agent.reasoned',
      'agent.reasoned',
      'agent.toolCalled',
      'agent.toolReturned',
      'provider.usage',
      ...CLOSING,
    ]);
    const [called, returned] = [ofType(events, 'agent.toolCalled'), ofType(events, 'agent.toolReturned')];
    expect(returned.map(({ causationId }) => causationId)).toEqual(called.map(({ eventId }) => eventId));
    expect(called[0]?.payload).toMatchObject({ toolName: TOOL, inputs: { id: 7 }, callId: 'inv-1.0.0' });
    const [prompt] = payloadsOf(events, 'agent.promptResolved');
    expect(prompt).toMatchObject({ kind: 'system', resolved: PROMPT, nodeId: 't-0' });
    expect(payloadsOf(events, 'agent.invocation.started')[0]).toMatchObject({
      agentId: AGENT,
      resolvedModel: 'small-1',
      resolvedProvider: 'local',
      resolvedAgentVersion: '1.2.0',
      modelClass: 'general',
      toolSurfaceCount: 1,
    });
  });

  it('is scored task by task, whatever each of them came to', async () => {
    const { events, summary, snapshot, runId } = await evaluate(host);
    expect(check('eval-summary', summary)).toEqual([]);
    expect(snapshot.status).toBe('completed');
    expect(summary.tasks.map(({ score, schemaValid }) => [score, schemaValid])).toEqual([
      [1, true],
      [1, true],
      [0, true],
      [0, false],
      [0, undefined],
      [1, true],
    ]);
    const outcomes = payloadsOf(events, 'agent.invocation.completed').map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['completed', 'completed', 'completed', 'failed', 'refused', 'completed']);
    const task = await readJson(host, `/v1/host/touchstone/runs/${runId}/tasks/t-4`);
    expect(task.body).toMatchObject({ invocations: [{ output: 'I will not.', outcome: 'refused' }] });
  });

  it('costs what its calls cost, by task and in all', async () => {
    const { events, summary, snapshot } = await evaluate(host);
    const usages = ofType(events, 'provider.usage');
    expect(usages).toHaveLength(TASKS.length + 1);
    // 7 tokens in and 3 out at 1 000 and 10 000 dollars a million.
    const one = 0.037;
    expect(usages[0]?.payload).toMatchObject({
      provider: 'local',
      model: 'small-1',
      inputTokens: 7,
      outputTokens: 3,
      currency: 'USD',
    });
    expect(usages[0]?.payload.costEstimateUsd).toBeCloseTo(one, 10);
    expect(summary.tasks[0]?.costUsd).toBeCloseTo(one, 10);
    expect(summary.tasks[1]?.costUsd).toBeCloseTo(one + 0.2, 10);
    expect(summary.totalCostUsd).toBeCloseTo(TASKS.length * one + 0.2, 10);
    const { metrics } = snapshot as unknown as { metrics: { openwopCost: { usd: number } } };
    expect(metrics.openwopCost.usd).toBeCloseTo(TASKS.length * one + 0.2, 10);
  });

  it('leaves equal logs in equal runs, plain and streamed, and calls nothing live', async () => {
    const [first, second] = [await evaluate(host), await evaluate(host)];
    expect(plain(first.events)).toBe(plain(second.events));
    const streamed = await evaluate(host, { configurable: { model: 'streaming/small-1' } });
    const asLocal = plain(streamed.events).replaceAll('"streaming"', '"local"');
    const withoutCost = (log: string) =>
      log.replaceAll(/,"(costEstimateUsd|costUsd|totalCostUsd|currency)":[^,}]+/g, '');
    expect(withoutCost(asLocal)).toBe(withoutCost(plain(first.events)));
    expect(server.requests.at(-1)?.body.stream).toBe(true);
    expect(tool.requests).toEqual([]);
  });

  it('tells the model no more than its prompt, its tools and its question', async () => {
    const from = server.requests.length;
    await evaluate(host, { configurable: { temperature: 0.25, maxTokens: 99, concurrency: 1 } });
    const [request] = server.requests.slice(from);
    expect(request?.body).toMatchObject({ model: 'small-1', temperature: 0.25, max_tokens: 99 });
    expect(systemIn(request as ModelRequest)).toBe(PROMPT);
    expect(request?.body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(request?.body.tools).toMatchObject([
      { function: { name: 'local_orders_lookup', description: 'Looks it up.' } },
    ]);
    expect(JSON.stringify(request?.body)).not.toMatch(/eval|t-0|score|golden|suite/i);
  });
});
