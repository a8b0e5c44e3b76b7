import { describe, expect, test } from 'vitest';
import { openPack, openPackFiles } from '../open-pack.js';
import {
  agentEntry,
  archiveOfFiles,
  codeOf,
  errorOf,
  manifest,
  options,
  packFiles,
} from '../testing/pack-bytes.js';

// What the packs of the public registry look like, rebuilt: their ranges, and the manifests of the other kinds.

const open = (pack: object) => openPack(archiveOfFiles(packFiles(pack)), options);

describe('engines.openwop', () => {
  test.each([
    // 42 of 43 published agent packs, and the other one.
    '>=1.1.0 <2.0.0',
    '>=1.0.0 <2.0.0',
    '>=1.0 <2.0.0',
    '>=1.1 <2.0',
    '^1.1.0',
    '~1.4.0',
    '1.x',
    '1.2.3',
    '>=1.9.0',
    '>=0.9.0 <1.0.1',
    '*',
    '>=1.1.0-rc.1 <2.0.0',
    '>=1.1.0 <3.0.0',
    '^2.0.0 || ^1.3.0',
  ])('%s meets major 1', async (range) => {
    expect(await codeOf(() => open(manifest({ engines: { openwop: range } })))).toBe('no error');
  });

  test.each(['>=2.0.0 <3.0.0', '^2.0.0', '2.x', '<1.0.0', '>=2.0.0-rc.1', '>=1.5.0 <1.2.0', '0.9.0'])(
    '%s does not, and the refusal says what came and what this host speaks',
    async (range) => {
      const attempt = () => open(manifest({ engines: { openwop: range } }));
      expect(await codeOf(attempt)).toBe('pack_engine_unsupported');
      const { message, details } = await errorOf(attempt);
      expect(message).toContain(`"${range}"`);
      expect(message).toContain('major 1');
      expect(details).toEqual({ range, protocolMajor: 1 });
    },
  );

  test('of another major is the reason, whatever else that major writes differently', async () => {
    const signing = { keyId: 'openwop-team-1', scheme: 'ed25519-canonical-json' };
    const pack = manifest({ engines: { openwop: '>=2.0.0 <3.0.0' }, signing });
    expect(await codeOf(() => open(pack))).toBe('pack_engine_unsupported');
  });

  test.each([[7], ['soon'], ['1'.repeat(300)], [undefined]])('%s is no range', async (range) => {
    expect(await codeOf(() => open(manifest({ engines: { openwop: range } })))).toBe('invalid_manifest');
  });
});

const NODE = { typeId: 'core.crypto.hash', version: '1.0.0', category: 'data', role: 'pure' };
const head = (members: object) => ({
  name: 'core.openwop.sample',
  version: '1.0.0',
  engines: { openwop: '>=1.1.0 <2.0.0' },
  ...members,
});

describe('a pack of another kind', () => {
  test.each([
    [
      'a node pack',
      'node',
      head({ nodes: [NODE], runtime: { language: 'javascript', entry: './index.mjs', format: 'esm' } }),
    ],
    ['a node pack', 'node', head({ kind: 'node', nodes: [NODE], agents: [], runtime: { language: 'wasm' } })],
    ['a workflow-chain pack', 'workflow-chain', head({ kind: 'workflow-chain', chains: [{ chainId: 'x' }] })],
    ['a prompt pack', 'prompt', head({ kind: 'prompt', prompts: [] })],
    ['an artifact-type pack', 'artifact-type', head({ kind: 'artifact-type', artifactTypes: [{ id: 'x' }] })],
    ['a connection pack', 'connection', head({ kind: 'connection', provider: { id: 'github' } })],
    ['a chat-card pack', 'chat-card', head({ kind: 'chat-card' })],
    ['a form-content pack', 'form-content', head({ kind: 'form-content' })],
    ['a frontend-plugin pack', 'frontend-plugin', head({ kind: 'frontend-plugin', uiPlugins: [] })],
  ])('is refused as %s', async (words, kind, pack) => {
    const attempt = () => openPackFiles(packFiles(pack), options);
    expect(await codeOf(attempt)).toBe('pack_kind_invalid');
    const { message, details } = await errorOf(attempt);
    expect(message).toBe(`This is ${words}; this host evaluates agent packs.`);
    expect(details).toEqual({ kind });
  });

  test('that upstream does not have is refused without being quoted', async () => {
    const error = await errorOf(() => open(head({ kind: 'SK-1 secret' })));
    expect(error).toEqual({
      message: 'This is a pack of an unknown kind; this host evaluates agent packs.',
      details: {},
    });
  });

  test('has agents too: then its nodes need a runtime that is not here', async () => {
    const mixed = manifest({ nodes: [NODE], runtime: { language: 'javascript', entry: './index.mjs' } });
    expect(await codeOf(() => open(mixed))).toBe('unsupported_runtime');
    expect(await codeOf(() => open(manifest({ nodes: [NODE], agents: [agentEntry()] })))).toBe('no error');
  });

  test.each([[{ kind: 7 }], [{ kind: null }], [{ agents: 'none' }]])(
    'is not what a malformed manifest is: %j',
    async (members) => {
      expect(await codeOf(() => open(manifest(members)))).toBe('invalid_manifest');
    },
  );
});
