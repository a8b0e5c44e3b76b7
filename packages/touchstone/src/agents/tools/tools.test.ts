import { asId, type ToolId } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MEMORY_TOOL } from '../../ports/index.js';
import { issuesOf } from '../fixtures/issues-of.js';
import { manualClock } from '../fixtures/manual-clock.js';
import { type Answering, reply, serve } from '../fixtures/serve.js';
import { parseToolSpecs } from './tool-spec.js';
import { createTools, type ToolGrants } from './tools.js';

const SEARCH = asId<ToolId>('local:kb.search');
const OTHER = asId<ToolId>('local:other');
const acme = { tenant: 'acme', workspace: 'main' };
const rival = { tenant: 'rival', workspace: 'main' };
const never = new AbortController().signal;

async function start(answering: Answering, spec: object = {}, grants: Partial<ToolGrants> = {}) {
  const server = await serve(answering);
  const clock = manualClock();
  const specs = parseToolSpecs([{ toolId: SEARCH, kind: 'http', url: server.url, ...spec }]);
  const tools = createTools(specs, new Map(), {
    isOnlyTenant: () => true,
    clock,
    maxOutcomeBytes: 1_000,
    ...grants,
  });
  onTestFinished(async () => {
    await tools.close();
    await server.close();
  });
  const call = (signal = never) => tools.call(acme, SEARCH, toBody({ q: 'x' }), signal);
  return { server, clock, tools, call };
}

describe('calling a tool', () => {
  it('posts the inputs and takes the JSON that comes back', async () => {
    const { server, call } = await start((_body, response) => reply(response, 200, { hits: [1] }));
    expect(await call()).toEqual({ status: 'ok', outcome: { hits: [1] } });
    expect(server.requests).toEqual(['{"q":"x"}']);
  });

  it('that has nothing to say is fine', async () => {
    const { call } = await start((_body, response) => reply(response, 204, ''));
    expect(await call()).toEqual({ status: 'ok', outcome: null });
  });

  it.each<[string, Answering, string]>([
    ['an error', (_body, response) => reply(response, 500, 'SECRET'), 'HTTP 500'],
    ['a redirect', (_body, response) => reply(response, 302, 'SECRET', { location: '/x' }), 'HTTP 302'],
    ['text', (_body, response) => reply(response, 200, 'SECRET'), 'JSON'],
    ['too much', (_body, response) => reply(response, 200, { a: 'SECRET'.repeat(500) }), '1000 bytes'],
    ['a lost connection', (_body, response) => void response.socket?.destroy(), 'ECONNRESET'],
  ])('%s is an error without content', async (_name, answering, words) => {
    const { call } = await start(answering);
    const result = await call();
    expect(result).toMatchObject({ status: 'error', error: expect.stringContaining(words) });
    expect(JSON.stringify(result)).not.toContain('SECRET');
  });

  it('ends when it takes too long, and when the run is cancelled', async () => {
    const { clock, call } = await start(() => undefined);
    const slow = call();
    clock.advance(await clock.asleep(30_000));
    expect(await slow).toMatchObject({ status: 'error', error: expect.stringContaining('30000 ms') });
    const controller = new AbortController();
    const cancelled = call(controller.signal);
    await clock.asleep(30_000);
    controller.abort('enough');
    await expect(cancelled).rejects.toBe('enough');
  });
});

describe('a grant', () => {
  it('is what is offered, with what the configuration says about it', async () => {
    const spec = { description: 'Searches.', inputSchema: { type: 'object' }, safetyTier: 'read' };
    const { tools } = await start(() => undefined, spec);
    const offer = { toolId: SEARCH, description: 'Searches.', inputSchema: { type: 'object' } };
    expect(await tools.granted(acme, [OTHER, SEARCH])).toEqual([offer]);
    expect(await tools.described(acme, [OTHER, SEARCH])).toEqual([{ toolId: OTHER }, offer]);
    const descriptor = { ...offer, source: 'host-extension', safetyTier: 'read' };
    expect(await tools.catalogue(acme)).toEqual([descriptor, expect.objectContaining(MEMORY_TOOL)]);
    expect(await tools.find(acme, SEARCH)).toEqual(descriptor);
    expect(await tools.find(acme, MEMORY_TOOL.toolId)).toMatchObject({ safetyTier: 'write' });
  });

  it('of a tool that nobody described is one that may write', async () => {
    const { tools } = await start(() => undefined);
    expect(await tools.find(acme, SEARCH)).toEqual({
      toolId: SEARCH,
      source: 'host-extension',
      safetyTier: 'write',
    });
  });

  it.each([
    ['named tenants', { tenants: ['acme'] }, false, [true, false]],
    ['nobody', { tenants: [] }, true, [false, false]],
    ['everyone of the only tenant', {}, true, [true, true]],
    ['nobody by default when there are several tenants', {}, false, [false, false]],
  ])('goes to %s', async (_name, spec, singleTenant, expected) => {
    const offer = { toolId: SEARCH, description: 'Searches.' };
    const answering: Answering = (_body, response) => reply(response, 200, 1);
    const { server, tools } = await start(
      answering,
      { description: 'Searches.', ...spec },
      { isOnlyTenant: () => singleTenant },
    );
    for (const [index, owner] of [acme, rival].entries()) {
      const granted = expected[index];
      expect(await tools.granted(owner, [SEARCH])).toHaveLength(granted ? 1 : 0);
      expect(await tools.described(owner, [SEARCH])).toEqual([granted ? offer : { toolId: SEARCH }]);
      expect(await tools.find(owner, SEARCH)).toEqual(granted ? expect.objectContaining(offer) : undefined);
      expect(await tools.catalogue(owner)).toHaveLength(granted ? 2 : 1);
      expect(await tools.call(owner, SEARCH, toBody({}), never)).toMatchObject({
        status: granted ? 'ok' : 'forbidden',
      });
    }
    expect(server.requests).toHaveLength(expected.filter(Boolean).length);
    expect(await tools.call(acme, OTHER, toBody({}), never)).toMatchObject({ status: 'forbidden' });
  });
});

it('everything that is wrong with the configured tools is listed', () => {
  const good = { toolId: 'local:a', kind: 'http', url: 'https://a.example/' };
  const wrong = [
    good,
    { ...good },
    { toolId: 'x', kind: 'mcp', url: 'a', safetyTier: 'none', more: 1 },
    null,
    { ...good, toolId: 'mcp:files.read' },
    { ...good, toolId: MEMORY_TOOL.toolId },
  ];
  let issues: unknown;
  try {
    parseToolSpecs(wrong);
  } catch (error) {
    issues = issuesOf(error).map(({ pointer }) => pointer);
  }
  expect(issues).toEqual([
    '/tools/2/toolId',
    '/tools/2/kind',
    '/tools/2/url',
    '/tools/2/safetyTier',
    '/tools/2/more',
    '/tools/3',
    '/tools/4/toolId',
    '/tools/5/toolId',
    '/tools/1/toolId',
  ]);
});

it('a declared tool is described and offered, and calling it is an error like an outage', async () => {
  const inputSchema = { type: 'object' };
  const specs = parseToolSpecs([{ toolId: SEARCH, kind: 'declared', description: 'Finds.', inputSchema }]);
  const tools = createTools(specs, new Map(), { isOnlyTenant: () => true, clock: manualClock() });
  const offer = { toolId: SEARCH, description: 'Finds.', inputSchema };
  expect(await tools.described(acme, [SEARCH])).toEqual([offer]);
  expect(await tools.granted(acme, [SEARCH])).toEqual([offer]);
  expect(await tools.call(acme, SEARCH, toBody({}), never)).toEqual({
    status: 'error',
    error: 'The tool is not available at the moment.',
    recordedError: expect.stringContaining('only declared'),
  });
  await tools.close();
});
