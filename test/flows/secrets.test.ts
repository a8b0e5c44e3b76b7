import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textsBeside } from '../setup/flow-store.js';
import {
  callsThen,
  evaluate,
  install,
  modelConfig,
  payloadsOf,
  readJson,
  resultsIn,
  startModelServer,
  startToolServer,
} from './pack-host.js';
import { metricsOf, openWholeHost } from './whole-host.js';

// Goal: no secret this host was given is ever written down. Method: give it one of each kind; a tool that echoes the
// header it was opened with, an MCP server that prints its environment, and a model that has seen its own key (as it
// would in a header), repeats all of it in reasoning, tool inputs, memory and answer; then look into every byte on disk.
const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const SECRET = {
  key: 'canary-provider-key-1f0c9a',
  header: 'canary-provider-header-77aa0e',
  bearer: 'canary-tool-bearer-5b2d41',
  plain: 'canary-tool-header-c8e63f',
  mcp: 'canary-mcp-variable-9d07b5',
  awkward: 'canary "quoted\\ back" é-31b7',
};
const TOOL = 'local:orders.lookup';
const PRINTER = 'mcp:things.get-env';
const MEMORY = 'x-host-touchstone:memory.write';
const LIVE = { configurable: { evalModes: ['live-shadow'], cache: true, repeats: 2 } };

function bytesBelow(folder: string): Buffer[] {
  // Where a database holds everything there is no folder.
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? bytesBelow(path) : [readFileSync(path)];
  });
}

/** A secret as it is, and as it looks inside JSON. */
const spellings = Object.values(SECRET).flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
const secretsIn = (bytes: Buffer | string): string[] => spellings.filter((secret) => bytes.includes(secret));

it('no secret is written down, whoever repeats it', async () => {
  const tool = await startToolServer((_inputs, headers) => ({
    opened: headers.authorization,
    with: headers['x-order-key'],
    [String(headers['x-order-key'])]: 'a member’s name',
  }));
  const everything = Object.values(SECRET).join(' and ');
  const talkative = callsThen(
    [
      { name: 'local_orders_lookup', arguments: { q: everything } },
      { name: 'mcp_things_get-env', arguments: {} },
      {
        name: 'x-host-touchstone_memory_write',
        arguments: { content: `Keep: ${everything}`, tags: [everything] },
      },
      { name: `a tool called ${SECRET.bearer}`, arguments: { q: everything } },
    ],
    (request) => `${everything} ${JSON.stringify(resultsIn(request))}`,
  );
  const model = await startModelServer((request) => ({
    reasoning: `I know ${everything}.`,
    ...(talkative(request) as object),
  }));
  const local = {
    kind: 'openai-compatible',
    baseUrl: model.baseUrl,
    apiKeyEnv: 'LOCAL_KEY',
    headers: { 'x-team': SECRET.header },
    tenants: ['acme'],
  };
  const headers = { authorization: `Bearer ${SECRET.bearer}`, 'x-order-key': SECRET.plain };
  const mcp = { command: process.execPath, args: [EVERYTHING, 'stdio'], tenants: ['acme'] };
  const config = modelConfig(model, {
    providers: { local, spare: { ...local, apiKeyEnv: 'AWKWARD_KEY' } },
    tools: [{ toolId: TOOL, kind: 'http', url: tool.url, headers, tenants: ['acme'] }],
    mcpServers: { things: { ...mcp, env: { ORDER_TOKEN: SECRET.mcp, COLOUR: 'an ordinary word' } } },
  });
  const env = { LOCAL_KEY: SECRET.key, AWKWARD_KEY: SECRET.awkward, PATH: process.env.PATH };
  const host = await openWholeHost(config, { env });
  await install(host, {
    tasks: [{ input: 'go', expect: 'canary' }],
    agent: { toolAllowlist: [TOOL, PRINTER, MEMORY], memoryShape: { longTerm: true } },
    suite: { modes: ['golden', 'live-shadow'] },
  });

  const first = await evaluate(host, LIVE);
  const second = await evaluate(host, LIVE);
  expect(model.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${SECRET.key}`,
    'x-team': SECRET.header,
  });
  expect(tool.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${SECRET.bearer}` });
  const printed = model.requests.map((request) => resultsIn(request)[1]).find(Boolean);
  expect(JSON.stringify(printed)).toContain(SECRET.mcp);
  expect(JSON.stringify(printed)).not.toContain(SECRET.key);

  for (const { events, runId } of [first, second]) {
    const told = [
      events,
      await metricsOf(host),
      ...(await Promise.all(
        [
          `/v1/runs/${runId}`,
          `/v1/host/touchstone/runs/${runId}/tasks/t-0`,
          '/v1/host/touchstone/runs',
          '/v1/tools',
          '/v1/agents',
          '/v1/openapi.json',
        ].map(async (path) => (await host.fetch(path)).text()),
      )),
    ];
    expect(secretsIn(JSON.stringify(told))).toEqual([]);
    const [decided] = payloadsOf(events, 'agent.decided');
    for (const id of [
      'LOCAL_KEY',
      'AWKWARD_KEY',
      'tools.0.headers.authorization',
      'mcpServers.things.env.ORDER_TOKEN',
    ])
      expect(decided?.decision).toContain(`[REDACTED:${id}]`);
    expect(payloadsOf(events, 'memory.written')).toHaveLength(2);
  }
  expect(payloadsOf(second.events, 'agent.promptResolved')[0]?.resolved).toContain('[REDACTED:LOCAL_KEY]');
  const { body } = await readJson(host, `/v1/host/touchstone/runs/${second.runId}/tasks/t-0`);
  expect(JSON.stringify(body)).toContain('[REDACTED:tools.0.headers.authorization]');

  const wal = bytesBelow(join(host.folder, 'data'));
  await host.stop();
  const files = [...wal, ...bytesBelow(join(host.folder, 'data')), ...(await textsBeside(host.folder))];
  expect(files.some((bytes) => bytes.includes('[REDACTED:LOCAL_KEY]'))).toBe(true);
  expect(files.flatMap(secretsIn)).toEqual([]);
  expect(host.logs.length).toBeGreaterThan(0);
  expect(secretsIn(host.logs.join(''))).toEqual([]);
  await host.close();
  await model.close();
  await tool.close();
});
