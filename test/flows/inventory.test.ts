import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../packages/touchstone/src/app/principal.js';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { openStoreBeside } from '../setup/flow-store.js';
import {
  AGENT,
  archiveFor,
  echoes,
  evaluate,
  filesOf,
  install,
  modelConfig,
  PROMPT,
  packUrl,
  readJson,
  startModelServer,
  startToolServer,
} from './pack-host.js';
import { put, refused } from './pack-publishing.js';
import { KEY, OTHER_KEY } from './processes.js';
import { ACME_SIDE_KEY, openWholeHost, type WholeHost } from './whole-host.js';

type Entry = { readonly agentId: string; readonly degraded?: readonly string[] };
const agentsOf = async (host: WholeHost, key?: string): Promise<readonly Entry[]> => {
  const { body } = await readJson(host, '/v1/agents', key === undefined ? {} : { key });
  expect(check('agent-inventory-response', body)).toEqual([]);
  return body.agents as readonly Entry[];
};

const SCHEMA = { type: 'object', properties: { secretMember: { type: 'string' } } };
const SHAPE = {
  agent: {
    toolAllowlist: ['local:kb.search'],
    memoryShape: { longTerm: true },
    requiresCapabilities: ['vision', 'agents.manifestRuntime', 'host.providerUsage'],
    confidence: { defaultThreshold: 0.4 },
  },
  taskSchema: SCHEMA,
  returnSchema: SCHEMA,
  tasks: [{ input: {} }],
};

describe('a binding', () => {
  it('whose schema is null, or anything but an object, is refused at its place', async () => {
    const host = await openWholeHost({});
    const bind = (handoff: unknown) =>
      readJson(host, '/v1/host/touchstone/agents/local.acme.mine', {
        method: 'PUT',
        body: {
          agentId: 'local.acme.mine',
          version: '1.0.0',
          handoff,
          run: { kind: 'http', url: 'https://agents.example/' },
        },
      });
    for (const [handoff, pointer] of [
      [{ taskSchema: null }, '/handoff/taskSchema'],
      [{ returnSchema: null }, '/handoff/returnSchema'],
      [{ taskSchema: true }, '/handoff/taskSchema'],
      [{ taskSchema: { properties: null } }, '/handoff/taskSchema'],
      [null, '/handoff'],
    ] as const)
      expect(await bind(handoff)).toMatchObject({
        status: 400,
        body: { error: 'validation_error', details: { issues: [{ pointer }] } },
      });
    expect(await agentsOf(host)).toEqual([]);
    await host.close();
  });
});

describe('the inventory', () => {
  it('shows an agent of a pack with what it lacks, and never its prompt or schemas', async () => {
    const host = await openWholeHost({ trust: { policy: 'open' } });
    await install(host, SHAPE);
    const [entry] = await agentsOf(host);
    expect(entry).toEqual({
      agentId: AGENT,
      persona: 'Support',
      label: 'Support',
      modelClass: 'general',
      packName: 'vendor.acme.support',
      packVersion: '1.2.0',
      toolAllowlist: ['local:kb.search'],
      hasHandoffSchemas: true,
      memoryShape: { longTerm: true },
      confidenceThreshold: 0.4,
      degraded: ['vision', 'modelClasses.general'],
    });
    const one = await host.fetch(`/v1/agents/${AGENT}`);
    const text = await one.text();
    expect(check('agent-inventory-response', { agents: [JSON.parse(text)], total: 1 })).toEqual([]);
    for (const content of [PROMPT.trim(), 'secretMember']) expect(text).not.toContain(content);
    expect(JSON.parse(text)).toEqual(entry);
    await host.close();
  });

  it('of other owners does not hold it, and asking for it is asking for nothing', async () => {
    const model = await startModelServer(echoes);
    const host = await openWholeHost(modelConfig(model));
    await install(host);
    expect(await agentsOf(host)).toMatchObject([{ agentId: AGENT }]);
    expect((await agentsOf(host))[0]?.degraded).toBeUndefined();
    for (const key of [OTHER_KEY, ACME_SIDE_KEY]) {
      expect(await agentsOf(host, key)).toEqual([]);
      const foreign = await readJson(host, `/v1/agents/${AGENT}`, { key });
      expect(foreign).toEqual(await readJson(host, '/v1/agents/vendor.acme.support.none', { key }));
      expect(foreign.status).toBe(404);
      expect((await readJson(host, '/v1/host/touchstone/packs', { key })).body).toEqual({ items: [] });
    }
    await host.close();
    await model.close();
  });

  it('holds each owner’s own pack of the same name', async () => {
    const host = await openWholeHost({ trust: { policy: 'open' } });
    await install(host);
    await install(host, { agent: { persona: 'Another desk' } }, OTHER_KEY);
    expect(await agentsOf(host)).toMatchObject([{ persona: 'Support' }]);
    expect(await agentsOf(host, OTHER_KEY)).toMatchObject([{ persona: 'Another desk' }]);
    await host.close();
  });
});

describe('packs that the configuration names', () => {
  const folderPack = Object.fromEntries([...filesOf()].map(([path, bytes]) => [`packs/desk/${path}`, bytes]));

  it('are everyone’s to use, from a folder and from an archive, and nobody’s to replace', async () => {
    const model = await startModelServer(echoes);
    const second = { name: 'vendor.acme.second' };
    const secondAgent = { agentId: 'vendor.acme.second.default' };
    const archive = await archiveFor({
      manifest: second,
      agent: { ...secondAgent, evalSuiteRef: undefined },
    });
    const files = { ...folderPack, 'packs/second.tgz': archive };
    const host = await openWholeHost(modelConfig(model, { packs: ['./packs'] }), { files });
    for (const key of [undefined, OTHER_KEY, ACME_SIDE_KEY]) {
      expect((await agentsOf(host, key)).map(({ agentId }) => agentId)).toEqual([secondAgent.agentId, AGENT]);
      expect((await evaluate(host, {}, key)).summary).toMatchObject({ passed: true });
    }
    for (const shape of [{ agent: { persona: 'Usurper' } }, { manifest: { version: '9.0.0' } }]) {
      const version = shape.manifest?.version ?? '1.2.0';
      const usurper = await archiveFor(shape);
      expect(await refused(host, usurper, packUrl('vendor.acme.support', version))).toEqual({
        status: 409,
        code: 'conflict',
      });
    }
    await host.close();
    await model.close();
  });

  it('are held against the trust policy too: an unsigned one stops the start and names the file', async () => {
    await expect(openWholeHost({ packs: ['./packs'] }, { files: folderPack })).rejects.toMatchObject({
      code: 'pack_signature_invalid',
      details: { file: expect.stringContaining('desk') },
    });
  });
});

describe('the catalogue of tools', () => {
  let host: WholeHost;
  beforeAll(async () => {
    const tool = await startToolServer(() => ({}));
    const http = { kind: 'http', url: tool.url, headers: { authorization: 'Bearer tool-secret-1234' } };
    host = await openWholeHost({
      trust: { policy: 'open' },
      tools: [
        { toolId: 'local:kb.search', ...http, safetyTier: 'read', tenants: ['acme'], inputSchema: SCHEMA },
        { toolId: 'local:kb.write', ...http, tenants: ['acme', 'globex'] },
        { toolId: 'local:kb.nobody', ...http },
      ],
    });
    await tool.close();
  });
  afterAll(() => host.close());

  const idsFor = async (key?: string): Promise<readonly string[]> => {
    const response = await host.fetch('/v1/tools', key === undefined ? {} : { key });
    const text = await response.text();
    expect(text).not.toContain('tool-secret-1234');
    const tools = JSON.parse(text) as { toolId: string }[];
    for (const tool of tools) {
      expect(check('tool-descriptor', tool)).toEqual([]);
      const one = await readJson(host, `/v1/tools/${tool.toolId}`, key === undefined ? {} : { key });
      expect(one).toEqual({ status: 200, body: tool });
    }
    return tools.map(({ toolId }) => toolId);
  };

  it('holds what is granted to the caller, sorted, and nothing else is to be found', async () => {
    const own = 'x-host-touchstone:memory.write';
    expect(await idsFor()).toEqual(['local:kb.search', 'local:kb.write', own]);
    expect(await idsFor(ACME_SIDE_KEY)).toEqual(['local:kb.search', 'local:kb.write', own]);
    expect(await idsFor(OTHER_KEY)).toEqual(['local:kb.write', own]);
    const absent = await readJson(host, '/v1/tools/local:none', { key: OTHER_KEY });
    expect(absent.status).toBe(404);
    for (const toolId of ['local:kb.search', 'local:kb.nobody'])
      expect(await readJson(host, `/v1/tools/${toolId}`, { key: OTHER_KEY })).toEqual(absent);
  });

  it('says what a tool may do, and takes the unknown for harmful', async () => {
    const { body } = await readJson(host, '/v1/tools/local:kb.search');
    expect(body).toMatchObject({ source: 'host-extension', safetyTier: 'read', inputSchema: SCHEMA });
    expect((await readJson(host, '/v1/tools/local:kb.write')).body).toMatchObject({ safetyTier: 'write' });
  });
});

it('what names no tenants is the only tenant’s, and not that of one who comes later', async () => {
  const later = 'test-key-of-a-newcomer-0123456789';
  const host = await openWholeHost({
    keys: [{ key: KEY, tenant: 'acme', roles: ['admin'] }],
    tools: [{ toolId: 'local:kb.search', kind: 'http', url: 'http://127.0.0.1:9/' }],
  });
  expect((await readJson(host, '/v1/tools/local:kb.search')).status).toBe(200);
  const store = await openStoreBeside(host.folder);
  const owner = { tenant: 'newcomer', workspace: 'main' };
  const keyHash = hashKey(later);
  await store.keys.put({
    keyHash,
    owner,
    principal: 'new',
    roles: ['admin'],
    createdAt: systemClock.now(),
  });
  await store.close();
  expect((await readJson(host, '/v1/agents', { key: later })).status).toBe(200);
  expect((await readJson(host, '/v1/tools/local:kb.search', { key: later })).status).toBe(404);
  await host.close();
});

it('a pack installed by one owner cannot be mistaken for the answer to another’s', async () => {
  const host = await openWholeHost({ trust: { policy: 'open' } });
  const headers = { 'idempotency-key': 'same-key' };
  const url = packUrl('vendor.acme.support', '1.2.0');
  const mine = await put(host, await archiveFor(), url, { headers });
  const theirs = await put(host, await archiveFor(), url, { headers, key: OTHER_KEY });
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(await agentsOf(host, OTHER_KEY)).toHaveLength(1);
  await host.close();
});
