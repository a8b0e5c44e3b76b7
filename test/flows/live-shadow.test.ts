import { createRequire } from 'node:module';
import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ModelAction,
  ModelRequest,
  ModelServer,
} from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import {
  AGENT,
  callsThen,
  type Event,
  evaluate,
  filesOf,
  install,
  modelConfig,
  ofType,
  payloadsOf,
  questionIn,
  readJson,
  resultsIn,
  startModelServer,
  startToolServer,
  systemIn,
  type ToolServer,
} from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import { ACME_SIDE_KEY, openWholeHost, type WholeHost } from './whole-host.js';

const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const LIVE = { configurable: { evalModes: ['live-shadow'] } };
const modes = ['golden', 'live-shadow'];
const MEMORY = 'x-host-touchstone:memory.write';

describe('a live-shadow run', () => {
  const ALLOWED = 'local:orders.lookup';
  const REMOTE = 'mcp:things.echo';
  const calls = [
    { name: 'local_orders_lookup', arguments: { id: 7 } },
    { name: 'mcp_things_echo', arguments: { message: 'hi' } },
    { name: 'local_orders_cancel', arguments: { id: 7 } },
    { name: 'local:orders.cancel', arguments: { id: 7 } },
    { name: 'local_orders_hidden', arguments: {} },
  ];
  const script = callsThen(calls, (request) =>
    resultsIn(request)
      .map(({ status, outcome }) => `${status}:${JSON.stringify(outcome)}`)
      .join(' '),
  );
  let server: ModelServer;
  let tool: ToolServer;
  let host: WholeHost;
  beforeAll(async () => {
    server = await startModelServer(script);
    tool = await startToolServer(() => ({ state: 'live' }));
    const http = { kind: 'http', url: tool.url };
    const config = {
      tools: [
        { toolId: ALLOWED, ...http, tenants: ['acme'] },
        { toolId: 'local:orders.cancel', ...http, tenants: ['acme'] },
        { toolId: 'local:orders.hidden', ...http, tenants: ['globex'] },
      ],
      mcpServers: {
        things: { command: process.execPath, args: [EVERYTHING, 'stdio'], tenants: ['acme'] },
      },
    };
    host = await openWholeHost(modelConfig(server, config));
    const fixtures = { toolResponses: [{ tool: ALLOWED, response: { state: 'canned' } }] };
    const tasks = [{ input: 'go', expect: 'ok:{"state":"live"} ok:"Echo: hi"', fixtures }];
    const toolAllowlist = [ALLOWED, REMOTE, 'local:orders.hidden', 'mcp:things.no-such-tool'];
    await install(host, { tasks, agent: { toolAllowlist }, suite: { modes } });
  });
  afterAll(async () => {
    await host.close();
    await server.close();
    await tool.close();
  });

  it('calls the tools of the allowlist that are granted, HTTP and MCP, and sets fixtures aside', async () => {
    const { summary, events, snapshot } = await evaluate(host, LIVE);
    expect(summary.passedCount).toBe(1);
    expect(tool.requests.map(({ body }) => body)).toEqual([{ id: 7 }]);
    expect(payloadsOf(events, 'agent.toolCalled').map(({ toolName }) => toolName)).toEqual([ALLOWED, REMOTE]);
    expect(payloadsOf(events, 'agent.toolReturned').map(({ outcome }) => outcome)).toEqual([
      { state: 'live' },
      'Echo: hi',
    ]);
    expect(snapshot.touchstone).toMatchObject({ modes: ['live-shadow'], nondeterministic: true });
    for (const event of events) expect(check('run-event', event)).toEqual([]);
    const [started] = payloadsOf(events, 'agent.invocation.started');
    expect(started).toMatchObject({ toolSurfaceCount: 2 });
  });

  it('offers nothing else, and a call of anything else is refused without a trace in the log', async () => {
    const from = server.requests.length;
    const { runId, events } = await evaluate(host, LIVE);
    const [first] = server.requests.slice(from);
    const offered = first?.body.tools as { function: { name: string; description?: string } }[];
    expect(offered.map((one) => one.function.name)).toEqual(['local_orders_lookup', 'mcp_things_echo']);
    const last = server.requests.at(-1) as ModelRequest;
    expect(resultsIn(last).map(({ status }) => status)).toEqual([
      'ok',
      'ok',
      'forbidden',
      'forbidden',
      'forbidden',
    ]);
    const traces = events.filter(({ type }) => type.startsWith('agent.tool'));
    expect(JSON.stringify(traces)).not.toMatch(/cancel|hidden/);
    const { body } = await readJson(host, `/v1/host/touchstone/runs/${runId}/tasks/t-0`);
    const [invocation] = body.invocations as { toolCalls: { toolId: string; status: string }[] }[];
    expect(invocation?.toolCalls.map(({ status }) => status)).toEqual([
      'ok',
      'ok',
      'forbidden',
      'forbidden',
      'forbidden',
    ]);
  });

  it('is only what asks for it: the same suite in golden mode calls nothing', async () => {
    const before = tool.requests.length;
    const { events } = await evaluate(host, { configurable: { evalModes: ['golden'] } });
    expect(payloadsOf(events, 'agent.toolReturned')[0]).toMatchObject({ outcome: { state: 'canned' } });
    expect(tool.requests).toHaveLength(before);
  });

  it('has its MCP tools in the catalogue of those who may use them', async () => {
    const ids = async (key?: string) =>
      (
        (await (await host.fetch('/v1/tools', key === undefined ? {} : { key })).json()) as {
          toolId: string;
        }[]
      ).map(({ toolId }) => toolId);
    expect(await ids()).toContain(REMOTE);
    expect(await ids(OTHER_KEY)).toEqual(['local:orders.hidden', MEMORY]);
    const absent = await readJson(host, '/v1/tools/mcp:none.echo', { key: OTHER_KEY });
    expect(await readJson(host, `/v1/tools/${REMOTE}`, { key: OTHER_KEY })).toEqual(absent);
    expect((await readJson(host, `/v1/tools/${REMOTE}`)).body).toMatchObject({ source: 'mcp' });
  });
});

describe('long-term memory', () => {
  const NOTE = 'The customer likes the colour teal.';
  const noteTaker = (request: ModelRequest): ModelAction => {
    if (systemIn(request).includes(NOTE)) return { say: 'remembered' };
    if (resultsIn(request).length > 0) return { say: `noted for ${questionIn(request)}` };
    return {
      calls: [{ name: 'x-host-touchstone_memory_write', arguments: { content: NOTE, tags: ['taste'] } }],
    };
  };
  const shape = {
    tasks: ['a', 'b'].map((input) => ({ input, expect: 'remembered' })),
    agent: { toolAllowlist: [MEMORY], memoryShape: { longTerm: true } },
    suite: { modes },
  };
  let server: ModelServer;
  let host: WholeHost;
  beforeAll(async () => {
    server = await startModelServer(noteTaker);
    const files = Object.fromEntries([...filesOf(shape)].map(([path, bytes]) => [`packs/p/${path}`, bytes]));
    host = await openWholeHost(modelConfig(server, { packs: ['./packs'] }), { files });
  });
  afterAll(async () => {
    await host.close();
    await server.close();
  });
  const said = (events: readonly Event[]) =>
    payloadsOf(events, 'agent.decided').map(({ decision }) => decision);
  const NOTED = ['noted for a', 'noted for b'];

  it('is not written by a run that is no live-shadow', async () => {
    const { events } = await evaluate(host, { configurable: { evalModes: ['golden'] } });
    expect(payloadsOf(events, 'agent.toolReturned')).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    expect(ofType(events, 'memory.written')).toEqual([]);
    const again = await evaluate(host, { configurable: { evalModes: ['golden'] } });
    expect(said(again.events)).toEqual(NOTED);
  });

  it('written by one run is read by the next one of the same owner, and by nobody else’s', async () => {
    // One after the other, and still the second task reads what was there when the run began.
    const oneByOne = { configurable: { ...LIVE.configurable, concurrency: 1 } };
    const first = await evaluate(host, oneByOne);
    expect(said(first.events)).toEqual(NOTED);
    const [written] = ofType(first.events, 'memory.written');
    expect(written?.payload).toMatchObject({ agentId: AGENT, tags: ['taste'] });
    expect(check('run-event', written)).toEqual([]);
    expect(JSON.stringify(written)).not.toContain('teal');

    const next = await evaluate(host, LIVE);
    expect(said(next.events)).toEqual(['remembered', 'remembered']);
    const [prompt] = payloadsOf(next.events, 'agent.promptResolved');
    expect(prompt?.resolved).toContain(NOTE);
    expect(payloadsOf(next.events, 'agent.invocation.started')).toMatchObject([
      { memoryBound: true },
      { memoryBound: true },
    ]);

    for (const key of [OTHER_KEY, ACME_SIDE_KEY]) {
      const foreign = await evaluate(host, LIVE, key);
      expect(said(foreign.events)).toEqual(NOTED);
      expect(payloadsOf(foreign.events, 'agent.promptResolved')[0]?.resolved).not.toContain(NOTE);
    }
  });
});
