import { describe, expect, test } from 'vitest';
import { PACK_LIMITS } from './archive/file-table.js';
import { openPack, openPackFiles, type PackOptions } from './open-pack.js';
import {
  agentEntry,
  archiveOf,
  archiveOfFiles,
  codeOf,
  errorOf,
  manifest,
  options,
  PACK_NAME,
  packFiles,
  suiteText,
} from './testing/pack-bytes.js';

const open = (pack: object, replaced = {}, more: Partial<PackOptions> = {}) =>
  openPackFiles(packFiles(pack, replaced), { ...options, ...more });
const withAgent = (members: object) => manifest({ agents: [agentEntry(members)] });

describe('a sound pack', () => {
  test('opens to its agents with everything their manifests name', async () => {
    const pack = await openPack(archiveOfFiles(packFiles()), options);
    expect(pack).toMatchObject({ name: PACK_NAME, version: '1.2.0', manifest: manifest(), warnings: [] });
    expect(pack.integrity).toMatch(/^sha256-[A-Za-z0-9+/]{43}=$/);
    expect(pack.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(pack.agents).toEqual([
      {
        manifest: agentEntry(),
        systemPrompt: 'Answer kindly.\n',
        taskSchema: { type: 'object' },
        returnSchema: { type: 'object' },
        suite: { suiteId: 'vendor.acme.evals.support', version: '1.0.0' },
        degraded: [],
      },
    ]);
    expect(pack.suites.map(({ head }) => head.taskCount)).toEqual([1]);
  });

  test('is the same pack in another archive, and another with one file changed or signed otherwise', async () => {
    const reversed = new Map([...packFiles()].reverse());
    const { digest, integrity } = await open(manifest());
    const other = await openPack(archiveOfFiles(reversed), options);
    expect(other.digest).toBe(digest);
    expect(other.integrity).not.toBe(integrity);
    expect((await open(manifest(), { 'README.md': 'other' })).digest).not.toBe(digest);
    expect((await open(manifest(), { 'keys/a.sig': 'other' })).digest).toBe(digest);
  });

  test('may write its prompt in the manifest and its suite as YAML', async () => {
    const { systemPromptRef: _, ...inline } = agentEntry({
      systemPrompt: 'Be kind.',
      evalSuiteRef: './evals/s.yaml',
    }) as {
      systemPromptRef: string;
    };
    const pack = await open(manifest({ agents: [inline] }), { 'evals/s.yaml': suiteText() });
    expect(pack.agents[0]?.systemPrompt).toBe('Be kind.');
    expect(pack.suites).toHaveLength(1);
  });

  test('may have agents that share a suite', async () => {
    const second = agentEntry({ agentId: PACK_NAME });
    const pack = await open(manifest({ agents: [agentEntry(), second] }));
    expect(pack.agents.map(({ suite }) => suite?.suiteId)).toEqual([
      'vendor.acme.evals.support',
      'vendor.acme.evals.support',
    ]);
    expect(pack.suites).toHaveLength(1);
  });

  test('may carry roles, which are kept in its manifest as written', async () => {
    const skill = { role: 'skill', memoryShape: { scratchpad: true, longTerm: false } };
    const pack = await open(withAgent(skill));
    expect(pack.manifest).toEqual(withAgent(skill));
    expect(pack.agents[0]?.manifest).not.toHaveProperty('role');
    expect(
      (await open(withAgent({ role: 'assistant', memoryShape: { longTerm: true } }))).agents,
    ).toHaveLength(1);
  });

  test('says what of it is not used here', async () => {
    const node = { typeId: 'vendor.acme.x', version: '1', category: 'data', role: 'pure' };
    const { warnings } = await open(manifest({ nodes: [node], dependencies: { 'vendor.acme.b': '^1.0.0' } }));
    expect(warnings).toEqual([expect.stringContaining('nodes'), expect.stringContaining('dependencies')]);
  });
});

describe('the manifest', () => {
  test.each([
    ['is missing', { 'pack.json': undefined }, 'tarball_manifest_missing'],
    ['lies in a folder', { 'pack.json': undefined, 'package/pack.json': '{}' }, 'tarball_manifest_missing'],
    ['is no JSON', { 'pack.json': '{' }, 'tarball_manifest_not_json'],
    ['is no UTF-8', { 'pack.json': Buffer.from([0x22, 0xff, 0x22]) }, 'tarball_manifest_not_json'],
    ['is no object', { 'pack.json': '[]' }, 'invalid_manifest'],
    ['nests without end', { 'pack.json': '['.repeat(9999) + ']'.repeat(9999) }, 'invalid_manifest'],
    [
      'is too large',
      { 'pack.json': ' '.repeat(PACK_LIMITS.maxManifestBytes + 1) },
      'tarball_manifest_too_large',
    ],
  ])('that %s is refused, in a folder and in an archive', async (_, replaced, code) => {
    expect(await codeOf(() => open(manifest(), replaced))).toBe(code);
    const archive = archiveOfFiles(packFiles(manifest(), replaced));
    expect(await codeOf(() => openPack(archive, options))).toBe(code);
  });

  test.each([
    ['stops being JSON', '{\n  "name": "x"\n  "version": "1.0.0"\n}', 'tarball_manifest_not_json', '', 3, 3],
    ['uses a member twice', '{\n  "name": "a",\n  "name": "b"\n}', 'invalid_manifest', '/name', 3, 3],
    [
      'uses a member twice further down',
      '{ "agents": [\n{ "agentId": "a", "agentId": "b" }] }',
      'invalid_manifest',
      '/agents/0/agentId',
      2,
      19,
    ],
    [
      'has a wrong member',
      JSON.stringify(manifest({ version: 7 }), null, 1),
      'invalid_manifest',
      '/version',
      3,
      2,
    ],
    [
      'has a version that is none',
      JSON.stringify(manifest({ engines: { openwop: 'soon' } }), null, 1),
      'invalid_manifest',
      '/engines/openwop',
      5,
      3,
    ],
  ])('that %s is refused with the place', async (_, text, code, pointer, line, column) => {
    const attempt = () => open(manifest(), { 'pack.json': text });
    expect(await codeOf(attempt)).toBe(code);
    const { details } = await errorOf(attempt);
    expect(details).toMatchObject({ file: 'pack.json', issues: [{ pointer, line, column }] });
  });

  test('of an archive without entries is missing', async () => {
    expect(await codeOf(() => openPack(archiveOf([]), options))).toBe('tarball_manifest_missing');
  });

  test.each([
    ['an unknown member', manifest({ secret: 'sk-1' }), ['/secret']],
    ['a scope that packs do not have', manifest({ name: 'local.acme.support' }), ['/name']],
    ['a kind that upstream does not have', manifest({ kind: 'agent' }), ['/kind']],
    ['a version with a leading zero', manifest({ version: '01.2.0' }), ['/version']],
    ['engines that are no range', manifest({ engines: { openwop: 'whatever' } }), ['/engines/openwop']],
    ['an unknown role', withAgent({ role: 'boss' }), ['/agents/0/role']],
    ['a role that is no string', withAgent({ role: 7 }), ['/agents/0/role']],
    [
      'a skill that remembers and says not what it takes',
      withAgent({ role: 'skill', handoff: undefined, memoryShape: { conversation: true, longTerm: true } }),
      ['/agents/0/handoff', '/agents/0/memoryShape/conversation', '/agents/0/memoryShape/longTerm'],
    ],
    ['an agent of another pack', withAgent({ agentId: 'vendor.acme.other.default' }), ['/agents/0/agentId']],
    ['an agent two parts deeper', withAgent({ agentId: `${PACK_NAME}.a.b` }), ['/agents/0/agentId']],
    ['an agent with a longer name', withAgent({ agentId: `${PACK_NAME}er.a` }), ['/agents/0/agentId']],
    ['an agent twice', manifest({ agents: [agentEntry(), agentEntry()] }), ['/agents/1/agentId']],
  ])('with %s is invalid, and every place is named', async (_, pack, pointers) => {
    expect(await codeOf(() => open(pack))).toBe('invalid_manifest');
    const { details } = await errorOf(() => open(pack));
    expect((details as { issues: { pointer: string }[] }).issues.map(({ pointer }) => pointer)).toEqual(
      pointers,
    );
  });

  test('is refused without a word of its content', async () => {
    const error = await errorOf(() => open(withAgent({ persona: 7, role: 'sk-1', modelClass: 'sk-1' })));
    expect(JSON.stringify(error)).not.toContain('sk-1');
  });

  test('in another language has no runtime here', async () => {
    const members = { runtime: { language: 'python', entry: 'a.py' } };
    expect(await codeOf(() => open(manifest(members)))).toBe('unsupported_runtime');
  });
});

describe('what a pack asks of its host', () => {
  const peers = { 'aiProviders.local': '*', memory: 'supported', constructor: 'supported' };

  test('refuses it when it is missing, and says which', async () => {
    const attempt = () =>
      open(manifest({ peerDependencies: peers }), {}, { hasCapability: (key) => key === 'memory' });
    expect(await codeOf(attempt)).toBe('pack_peer_dependency_missing');
    expect((await errorOf(attempt)).details).toEqual({ missing: ['aiProviders.local', 'constructor'] });
  });

  test('degrades every agent when it can do without', async () => {
    const meta = { memory: { optional: true }, constructor: { optional: true } };
    const agents = [
      agentEntry({ requiresCapabilities: ['vision', 'memory'] }),
      agentEntry({ agentId: PACK_NAME }),
    ];
    const pack = await open(
      manifest({ agents, peerDependencies: peers, peerDependenciesMeta: meta }),
      {},
      { hasCapability: (key) => key === 'aiProviders.local' },
    );
    expect(pack.agents.map(({ degraded }) => degraded)).toEqual([
      ['constructor', 'memory', 'vision'],
      ['constructor', 'memory'],
    ]);
  });
});

describe('a file that an agent names', () => {
  const handoff = (path: string) => ({ handoff: { taskSchemaRef: path } });
  test.each([
    ['systemPromptRef', (path: string) => ({ systemPromptRef: path })],
    ['evalSuiteRef', (path: string) => ({ evalSuiteRef: path })],
    ['handoff.taskSchemaRef', handoff],
    ['handoff.returnSchemaRef', (path: string) => ({ handoff: { returnSchemaRef: path } })],
  ])('by %s must be in the pack', async (member, membersFor) => {
    const attempt = (path: string) => () => open(withAgent(membersFor(path)));
    for (const path of ['../secret', '/etc/passwd', 'a\\b', 'prompts/../../x'])
      expect(await codeOf(attempt(path))).toBe('tarball_path_traversal');
    for (const path of ['prompts/absent.md', 'prompts', '.', 'PACK.json'])
      expect(await codeOf(attempt(path))).toBe('tarball_entry_missing');
    const { message, details } = await errorOf(attempt('gone.md'));
    expect(message).toContain(`${PACK_NAME}.default: ${member} "gone.md"`);
    expect(details).toEqual({ agentId: `${PACK_NAME}.default`, ref: member, path: 'gone.md' });
  });

  test.each([
    ['a prompt that is not UTF-8', { 'prompts/support.md': Buffer.from([0xc3, 0x28]) }],
    ['an empty prompt', { 'prompts/support.md': ' \n' }],
    ['a prompt too long', { 'prompts/support.md': 'x'.repeat(PACK_LIMITS.maxPromptBytes + 1) }],
    ['a schema that is no JSON', { 'schemas/task.json': '{' }],
    ['a schema that is no object', { 'schemas/return.json': 'true' }],
    ['a schema with a member twice', { 'schemas/task.json': '{"type":"object","type":"array"}' }],
    ['a schema without end', { 'schemas/task.json': `{"a":${'['.repeat(999)}${']'.repeat(999)}}` }],
    ['a suite that is none', { 'evals/support.json': '{"suiteId":"private words"}' }],
    ['a suite that is no JSON', { 'evals/support.json': '{"private words' }],
    ['a suite that is not UTF-8', { 'evals/support.json': Buffer.from([0xff]) }],
    [
      'a suite for another agent',
      { 'evals/support.json': suiteText().replace('support.default', 'support.x') },
    ],
  ])('must be readable: %s is not', async (_, replaced) => {
    expect(await codeOf(() => open(manifest(), replaced))).toBe('invalid_manifest');
    const error = await errorOf(() => open(manifest(), replaced));
    expect(JSON.stringify(error)).not.toContain('private words');
    expect(error.message).toContain(Object.keys(replaced)[0]);
  });

  test('is refused by the schema check that the host brings', async () => {
    const checkSchema = () => [{ pointer: '/type', message: 'expected a known type' }];
    const { message, details } = await errorOf(() =>
      open(manifest(), {}, { openSchemaCheck: () => checkSchema }),
    );
    expect(message).toContain('/type: expected a known type');
    expect(details).toMatchObject({ issues: checkSchema() });
  });

  test('does not lie among the signatures, which no digest covers', async () => {
    const attempt = () => open(withAgent({ systemPromptRef: './keys/p.md' }), { 'keys/p.md': 'Obey.' });
    expect(await codeOf(attempt)).toBe('invalid_manifest');
  });

  test('is not two suites of one name and version', async () => {
    const agents = [agentEntry(), agentEntry({ agentId: PACK_NAME, evalSuiteRef: 'evals/b.json' })];
    const other = { 'evals/b.json': suiteText('When?') };
    expect(await codeOf(() => open(manifest({ agents }), other))).toBe('invalid_manifest');
  });

  test('is read and checked once, however many agents name it', async () => {
    const agents = ['a', 'b', 'c'].map((name) => agentEntry({ agentId: `${PACK_NAME}.${name}` }));
    let checked = 0;
    const openSchemaCheck = () => () => {
      checked += 1;
      return [];
    };
    const suite = suiteText().replace('support.default', 'support.a');
    const pack = await open(manifest({ agents }), { 'evals/support.json': suite }, { openSchemaCheck });
    expect(pack.agents.map(({ taskSchema }) => taskSchema)).toEqual(Array(3).fill({ type: 'object' }));
    expect(checked).toBe(2);
  });
});

describe('what the agents of a pack take up', () => {
  const agentsOf = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      agentEntry({ agentId: `${PACK_NAME}.a${index}`, evalSuiteRef: undefined, handoff: undefined }),
    );
  const pointerOf = async (pack: object, replaced: object, limits = PACK_LIMITS) => {
    expect(await codeOf(() => open(pack, replaced, { limits }))).toBe('invalid_manifest');
    const { details } = await errorOf(() => open(pack, replaced, { limits }));
    return (details as { issues: { pointer: string; message: string }[] }).issues;
  };

  test('is bounded by their number', async () => {
    expect((await open(manifest({ agents: agentsOf(100) }))).agents).toHaveLength(100);
    expect(await pointerOf(manifest({ agents: agentsOf(101) }), {})).toEqual([
      { pointer: '/agents', message: 'expected at most 100 agents, got 101' },
    ]);
  });

  test('is bounded by their prompts and schemas, each counted for every agent that names it', async () => {
    const replaced = { 'prompts/support.md': 'x'.repeat(250 * 1024) };
    expect((await open(manifest({ agents: agentsOf(32) }), replaced)).agents).toHaveLength(32);
    const message = expect.stringContaining(`${8 * 1024 * 1024} bytes`);
    expect(await pointerOf(manifest({ agents: agentsOf(33) }), replaced)).toEqual([
      { pointer: '/agents/32', message },
    ]);
    const limits = { ...PACK_LIMITS, maxResolvedBytes: 48 };
    expect((await open(manifest(), {}, { limits: { ...limits, maxResolvedBytes: 49 } })).agents).toHaveLength(
      1,
    );
    expect(await pointerOf(manifest(), {}, limits)).toHaveLength(1);
  });
});
