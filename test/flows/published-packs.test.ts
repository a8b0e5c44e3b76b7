import { createPrivateKey, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveOfFiles, keyPair } from '../../packages/touchstone/src/packs/testing/pack-bytes.js';
import { eventsOf, packUrl, questionIn, readJson, type Summary, startModelServer } from './pack-host.js';
import { put, refusal, refused } from './pack-publishing.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// The agent packs of the public registry, rebuilt: their ranges, peers, roles and allowlists, and the way the registry signs:
// 64 raw bytes over pack.json alone, in keys/pack.json.sig, by a key that may sign for some names.

const TEAM = keyPair();
const VENDOR = keyPair();
const DEMO = keyPair();
const TRUST = {
  policy: 'verified',
  keys: [
    { keyId: 'openwop-team-1', publicKey: TEAM.publicKey, names: ['core.openwop.*', 'vendor.openwop.*'] },
    { keyId: 'myndhyve-internal-1', publicKey: VENDOR.publicKey, names: ['vendor.myndhyve.*'] },
    { keyId: 'demo-1', publicKey: DEMO.publicKey, names: ['community.openwop-team.demo'] },
  ],
};

const MODELS = { aiProviders: 'supported' };
const RUNTIME = { ...MODELS, 'host.agentRuntime': 'supported' };
const MEMORY = { ...RUNTIME, 'openwop.agents.memoryBackends': '>=longTerm' };

type Shape = {
  readonly name: string;
  readonly peers?: object;
  readonly classes?: readonly string[];
  readonly range?: string;
  readonly agent?: object;
  readonly members?: object;
};

const CORE = 'core.openwop.agents.';
const ADMITTED: readonly Shape[] = [
  { name: `${CORE}classifier`, peers: MODELS, classes: ['classification'] },
  { name: `${CORE}react`, peers: RUNTIME, classes: ['reasoning'], agent: { role: 'assistant' } },
  { name: `${CORE}supervisor`, peers: RUNTIME, classes: ['reasoning'] },
  { name: `${CORE}deep-research`, peers: MEMORY, classes: ['research'] },
  { name: `${CORE}sdr`, peers: MEMORY, classes: ['writing'], agent: { role: 'skill' } },
  { name: `${CORE}research-crew`, peers: RUNTIME, classes: ['reasoning', 'research', 'general', 'writing'] },
  { name: 'core.openwop.agent-examples', peers: MODELS, classes: ['general', 'writing', 'classification'] },
  { name: `${CORE}range`, range: '>=1.0.0 <2.0.0', peers: RUNTIME },
  { name: `${CORE}bare` },
  {
    name: 'vendor.myndhyve.market-intel-crew',
    peers: { ...MEMORY, 'host.webResearch': 'supported', 'aiProviders.imageGeneration': 'supported' },
    members: {
      peerDependenciesMeta: {
        'host.webResearch': { optional: true },
        'aiProviders.imageGeneration': { optional: true },
      },
    },
  },
];

/** The members of a published agent, which says of each kind of memory whether it has it. */
const agentOf = (name: string, modelClass: string, index: number, more: object = {}): object => ({
  agentId: `${name}.${index === 0 ? 'default' : `part-${index}`}`,
  persona: 'Published',
  label: 'Published Agent',
  description: 'As the registry has it.',
  modelClass,
  systemPromptRef: 'prompts/agent.md',
  toolAllowlist: ['openwop:core.openwop.http.fetch'],
  memoryShape: { scratchpad: true, conversation: false, longTerm: false },
  handoff: {
    taskSchemaRef: 'schemas/agent.task.schema.json',
    returnSchemaRef: 'schemas/agent.return.schema.json',
  },
  confidence: { defaultThreshold: 0.7 },
  ...more,
});

const documentOf = ({ name, peers, classes = ['general'], range, agent, members }: Shape): object => ({
  name,
  version: '1.0.0',
  description: 'Pure-agent pack.',
  author: 'OpenWOP Working Group',
  license: 'Apache-2.0',
  homepage: `https://openwop.dev/packs/${name}`,
  repository: 'https://github.com/openwop/openwop',
  keywords: ['core', 'agents'],
  engines: { openwop: range ?? '>=1.1.0 <2.0.0' },
  ...(peers && { peerDependencies: peers }),
  agents: classes.map((modelClass, index) => agentOf(name, modelClass, index, agent)),
  runtime: { language: 'remote', entry: 'pack.json' },
  ...members,
});

type Signer = { readonly keyId: string; readonly privateKey: string };
const SIGNERS: { readonly [scope: string]: Signer } = {
  core: { keyId: 'openwop-team-1', privateKey: TEAM.privateKey },
  vendor: { keyId: 'myndhyve-internal-1', privateKey: VENDOR.privateKey },
  community: { keyId: 'demo-1', privateKey: DEMO.privateKey },
};

const SCHEMA = '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}';

function archive(document: object & { readonly name: string }, signer?: Signer): Buffer {
  const { keyId, privateKey } = signer ?? (SIGNERS[document.name.split('.')[0] ?? ''] as Signer);
  const signing = { method: 'manual', publicKeyRef: keyId, signatureRef: 'keys/pack.json.sig' };
  const manifest = Buffer.from(`${JSON.stringify({ ...document, signing }, null, 2)}\n`);
  return archiveOfFiles(
    new Map([
      ['pack.json', manifest],
      ['prompts/agent.md', Buffer.from('Answer with one label as JSON.\n')],
      ['schemas/agent.task.schema.json', Buffer.from(SCHEMA)],
      ['schemas/agent.return.schema.json', Buffer.from(SCHEMA)],
      ['README.md', Buffer.from('# Published\n')],
      ['keys/pack.json.sig', sign(null, manifest, createPrivateKey(privateKey))],
    ]),
  );
}

const send = (host: WholeHost, shape: Shape, signer?: Signer) =>
  put(host, archive(documentOf(shape) as never, signer), packUrl(shape.name, '1.0.0'));
const refuse = (host: WholeHost, shape: Shape, signer?: Signer) =>
  refused(host, archive(documentOf(shape) as never, signer), packUrl(shape.name, '1.0.0'));

const CLASSES = ['reasoning', 'writing', 'research', 'classification', 'general'];

describe('the packs of the public registry', () => {
  let host: WholeHost;
  let model: Awaited<ReturnType<typeof startModelServer>>;
  beforeAll(async () => {
    model = await startModelServer((request) => ({
      say: JSON.stringify({ label: questionIn(request).includes('refund') ? 'billing' : 'other' }),
    }));
    host = await openWholeHost({
      trust: TRUST,
      providers: { local: { kind: 'openai-compatible', baseUrl: model.baseUrl, tenants: ['acme'] } },
      modelClasses: Object.fromEntries(CLASSES.map((name) => [name, 'local/small-1'])),
    });
  });
  afterAll(async () => {
    await host.close();
    await model.close();
  });

  it.each(ADMITTED)('$name is admitted, and its signature verified', async (shape) => {
    const { keyId } = SIGNERS[shape.name.split('.')[0] ?? ''] as Signer;
    expect(await send(host, shape)).toMatchObject({
      status: 201,
      body: { name: shape.name, signedBy: keyId, filesSigned: false },
    });
  });

  it('says of an admitted one what it does without', async () => {
    const { body } = await readJson(host, '/v1/agents/vendor.myndhyve.market-intel-crew.default');
    expect(body.degraded).toEqual(['aiProviders.imageGeneration', 'host.webResearch']);
    const classifier = await readJson(host, `/v1/agents/${CORE}classifier.default`);
    expect(classifier.body).not.toHaveProperty('degraded');
  });

  it.each([
    ['host.fs', {}],
    ['host.queueBus', {}],
    ['host.webSearch', {}],
    ['host.webResearch', {}],
    ['host.aiEnvelope.await', {}],
    ['host.campaignMessaging', {}],
    ['aiProviders.imageGeneration', {}],
    ['aiProviders.videoGeneration', {}],
    ['secrets.resolveInPack', {}],
  ])('one that cannot do without %s is refused, and told so', async (key) => {
    const shape = { name: `${CORE}needy`, peers: { ...RUNTIME, [key]: 'supported' } };
    const answer = await put(host, archive(documentOf(shape) as never), packUrl(shape.name, '1.0.0'));
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'pack_peer_dependency_missing', details: { missing: [key] } },
    });
  });

  it('a mixed pack needs a runtime for its nodes, which is not here', async () => {
    const node = { typeId: 'community.openwop-team.demo.uppercase', version: '0.1.0', category: 'data' };
    const members = {
      nodes: [{ ...node, role: 'pure', label: 'Uppercase', capabilities: ['cacheable'] }],
      runtime: { language: 'javascript', format: 'esm', entry: './index.mjs' },
    };
    const shape = { name: 'community.openwop-team.demo', range: '>=1.0.0 <2.0.0', members };
    expect(await refuse(host, shape)).toEqual(refusal('unsupported_runtime'));
  });

  it('a pack of another kind, or for another major, is refused by that', async () => {
    const node = { typeId: 'core.crypto.hash', version: '1.0.0', category: 'data', role: 'pure' };
    const head = { version: '1.0.0', engines: { openwop: '>=1.1.0 <2.0.0' } };
    const kinds = [
      [
        'core.openwop.crypto',
        'a node pack',
        { nodes: [node], runtime: { language: 'javascript', entry: 'i' } },
      ],
      ['core.openwop.connections.github', 'a connection pack', { kind: 'connection', provider: {} }],
      ['core.openwop.chains', 'a workflow-chain pack', { kind: 'workflow-chain', chains: [{}] }],
    ] as const;
    for (const [name, words, members] of kinds) {
      const bytes = archive({ name, ...head, ...members });
      expect(await put(host, bytes, packUrl(name, '1.0.0'))).toMatchObject({
        status: 400,
        body: {
          error: 'pack_kind_invalid',
          message: expect.stringContaining(`${words}; this host evaluates agent packs`),
        },
      });
    }
    const later = { name: `${CORE}later`, range: '>=2.0.0 <3.0.0' };
    expect(await put(host, archive(documentOf(later) as never), packUrl(later.name, '1.0.0'))).toMatchObject({
      status: 400,
      body: { error: 'pack_engine_unsupported', details: { range: '>=2.0.0 <3.0.0', protocolMajor: 1 } },
    });
  });

  it('a key of the registry signs for its own names alone', async () => {
    const vendor = SIGNERS.vendor as Signer;
    expect(await refuse(host, { name: `${CORE}stolen` }, vendor)).toEqual(refusal('pack_signature_invalid'));
  });

  it('the classifier is evaluated', async () => {
    const task = (taskId: string, text: string, label: string) => ({
      taskId,
      input: { text },
      expected: { kind: 'golden', match: { strategy: 'json-match', value: { label } } },
    });
    const suite = {
      suiteId: 'local.acme.evals.labels',
      version: '1.0.0',
      modes: ['golden'],
      tasks: [task('refund', 'I want a refund', 'billing'), task('hello', 'Good morning', 'other')],
    };
    const installed = await readJson(host, '/v1/host/touchstone/suites', { method: 'POST', body: suite });
    expect(installed.status).toBe(201);
    const { body } = await readJson(host, '/v1/runs', {
      method: 'POST',
      body: { mode: 'eval', evalSuiteRef: suite.suiteId, agentId: `${CORE}classifier.default` },
    });
    const runId = String(body.runId);
    await eventsOf(host, runId);
    const summary = (await readJson(host, `/v1/runs/${runId}/eval-summary`)).body as unknown as Summary;
    expect(summary).toMatchObject({ passed: true, passedCount: 2, taskCount: 2 });
  });
});

describe('aiProviders', () => {
  const peers = { name: `${CORE}classifier`, peers: MODELS, classes: ['classification'] };
  const provider = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', tenants: ['acme'] };

  it.each([
    ['no provider', {}],
    [
      'a provider, and no model for the class',
      { providers: { local: provider }, modelClasses: { general: 'local/a' } },
    ],
    [
      'a provider that is granted to another tenant',
      {
        providers: { local: { ...provider, tenants: ['globex'] } },
        modelClasses: { classification: 'local/a' },
      },
    ],
  ])('is not met by %s, and the refusal says what to set', async (_, config) => {
    const host = await openWholeHost({ trust: TRUST, ...config });
    try {
      expect(await send(host, peers)).toMatchObject({
        status: 400,
        body: {
          error: 'pack_peer_dependency_missing',
          message: expect.stringContaining('modelClasses'),
          details: { missing: ['aiProviders'], modelClasses: ['classification'] },
        },
      });
      const optional = { members: { peerDependenciesMeta: { aiProviders: { optional: true } } } };
      expect(await send(host, { ...peers, ...optional })).toMatchObject({ status: 201 });
      const { body } = await readJson(host, `/v1/agents/${CORE}classifier.default`);
      expect(body.degraded).toEqual(['aiProviders', 'modelClasses.classification']);
    } finally {
      await host.close();
    }
  });

  it('is met only when every agent of the pack has a model', async () => {
    const host = await openWholeHost({
      trust: TRUST,
      providers: { local: provider },
      modelClasses: { classification: 'local/a', writing: 'local/a' },
    });
    try {
      expect(await send(host, peers)).toMatchObject({ status: 201 });
      const crew = { name: `${CORE}crew`, peers: MODELS, classes: ['writing', 'research'] };
      expect(await send(host, crew)).toMatchObject({ status: 400 });
    } finally {
      await host.close();
    }
  });
});
