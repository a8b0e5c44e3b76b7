import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArchive } from '../../packages/touchstone/src/packs/archive/archive.js';
import { PACK_LIMITS } from '../../packages/touchstone/src/packs/archive/file-table.js';
import {
  agentEntry,
  archiveOf,
  archiveOfFiles,
  keyPair,
  longName,
  manifest,
  packFiles,
  suiteText,
  type TarEntry,
} from '../../packages/touchstone/src/packs/testing/pack-bytes.js';
import { archiveFor, filesOf, readJson } from './pack-host.js';
import { put, refusal, refused } from './pack-publishing.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

const sound = (): TarEntry[] => [...filesOf()].map(([path, content]) => ({ path, content }));
const withEntries = (...entries: TarEntry[]) => archiveOf([...sound(), ...entries]);
const withFiles = (replaced: Parameters<typeof packFiles>[1], pack = manifest()) =>
  archiveOfFiles(packFiles(pack, replaced));
const withManifest = (members: object) => withFiles({}, manifest(members));
const withAgent = (members: object) => withManifest({ agents: [agentEntry(members)] });
const MB = 1024 * 1024;
const NODE = { typeId: 'vendor.acme.x', version: '1', category: 'data', role: 'pure' };

const MALFORMED: readonly [name: string, archive: () => Buffer, code: string][] = [
  ['text', () => Buffer.from('no gzip'), 'tarball_gunzip_failed'],
  ['a gzip cut short', () => archiveOf(sound()).subarray(0, -9), 'tarball_gunzip_failed'],
  ['bytes after it', () => Buffer.concat([archiveOf(sound()), Buffer.from('x')]), 'tarball_gunzip_failed'],
  ['a gzip of text', () => gzipSync('hello'), 'tarball_tar_parse_failed'],
  ['a device', () => withEntries({ path: 'dev', kind: '3' }), 'tarball_tar_parse_failed'],
  ['a file twice', () => withEntries({ path: 'README.md', content: 'x' }), 'tarball_tar_parse_failed'],
  ['a bomb', () => gzipSync(Buffer.alloc(51 * MB), { level: 1 }), 'tarball_too_large'],
  [
    'a large file',
    () => withEntries({ path: 'a', content: Buffer.alloc(5 * MB + 1) }),
    'tarball_entry_too_large',
  ],
  ['a link', () => withEntries({ path: 'a', kind: '2', linkTo: '/etc/passwd' }), 'tarball_path_traversal'],
  ['a hard link', () => withEntries({ path: 'a', kind: '1', linkTo: 'pack.json' }), 'tarball_path_traversal'],
  ['an absolute path', () => withEntries({ path: '/etc/x', content: 'x' }), 'tarball_path_traversal'],
  ['a path that climbs', () => withEntries({ path: 'a/../../b', content: 'x' }), 'tarball_path_traversal'],
  ['a long name that climbs', () => withEntries(longName('../b'), { path: 'b' }), 'tarball_path_traversal'],
  ['no manifest', () => withFiles({ 'pack.json': undefined }), 'tarball_manifest_missing'],
  ['nothing at all', () => archiveOf([]), 'tarball_manifest_missing'],
  [
    'a huge manifest',
    () => withFiles({ 'pack.json': ' '.repeat(256 * 1024 + 1) }),
    'tarball_manifest_too_large',
  ],
  ['a manifest that is no JSON', () => withFiles({ 'pack.json': '{' }), 'tarball_manifest_not_json'],
  ['an unknown member', () => withManifest({ surprise: 1 }), 'invalid_manifest'],
  ['an agent of another pack', () => withAgent({ agentId: 'vendor.acme.other.a' }), 'invalid_manifest'],
  ['a later protocol', () => withManifest({ engines: { openwop: '^2.0.0' } }), 'pack_engine_unsupported'],
  ['an empty prompt', () => withFiles({ 'prompts/support.md': ' ' }), 'invalid_manifest'],
  ['a schema that is none', () => withFiles({ 'schemas/task.json': '{"type":"thing"}' }), 'invalid_manifest'],
  [
    'a schema that leads outside',
    () => withFiles({ 'schemas/task.json': '{"$ref":"https://example.com/s.json"}' }),
    'invalid_manifest',
  ],
  ['a suite that is none', () => withFiles({ 'evals/support.json': '{}' }), 'invalid_manifest'],
  [
    'a suite of another agent',
    () => withFiles({ 'evals/support.json': suiteText().replace('support.default', 'support.x') }),
    'invalid_manifest',
  ],
  ['a missing prompt', () => withFiles({ 'prompts/support.md': undefined }), 'tarball_entry_missing'],
  ['a prompt outside', () => withAgent({ systemPromptRef: '../p.md' }), 'tarball_path_traversal'],
  ['code', () => withManifest({ runtime: { language: 'python', entry: 'a.py' } }), 'unsupported_runtime'],
  ['no agents', () => withManifest({ agents: undefined, nodes: [NODE] }), 'pack_kind_invalid'],
  [
    'an unmet need',
    () => withManifest({ peerDependencies: { 'aiProviders.x': '*' } }),
    'pack_peer_dependency_missing',
  ],
];

describe('a malformed pack is refused by its code and leaves nothing behind', () => {
  let host: WholeHost;
  beforeAll(async () => {
    host = await openWholeHost({ trust: { policy: 'open' } });
  });
  afterAll(() => host.close());

  it.each(MALFORMED)('%s', async (_name, archive, code) => {
    expect(await refused(host, archive())).toEqual(refusal(code));
  });

  it('and the sound one is installed after all of them', async () => {
    expect(await put(host, archiveOf(sound()))).toMatchObject({ status: 201 });
  });
});

describe('a host that says nothing about trust', () => {
  const { publicKey, privateKey } = keyPair();
  const signing = { keyId: 'acme-1', privateKey };
  let host: WholeHost;
  beforeAll(async () => {
    host = await openWholeHost({ trust: { keys: [{ keyId: 'acme-1', publicKey }] } });
  });
  afterAll(() => host.close());

  const signed = () => archiveFor({}, signing);
  /** The signed archive with one of its files replaced (or left out) afterwards. */
  const swapped = async (path: string, content: string | undefined): Promise<Buffer> => {
    const files = new Map(await readArchive(await signed(), PACK_LIMITS));
    if (content === undefined) files.delete(path);
    else files.set(path, Buffer.from(content));
    return archiveOfFiles(files);
  };

  it('refuses one that nobody signed, or a stranger, or a stranger under a known name', async () => {
    expect(await refused(host, await archiveFor())).toEqual(refusal('pack_signature_invalid'));
    for (const keyId of ['stranger', 'acme-1']) {
      const foreign = await archiveFor({}, { keyId, privateKey: keyPair().privateKey });
      expect(await refused(host, foreign)).toEqual(refusal('pack_signature_invalid'));
    }
  });

  it('refuses one that was signed and changed afterwards', async () => {
    const easier = suiteText('An easier question?');
    expect(await refused(host, await swapped('evals/support.json', easier))).toEqual(
      refusal('pack_integrity_failure'),
    );
    expect(await refused(host, await swapped('prompts/support.md', 'Obey.'))).toEqual(
      refusal('pack_integrity_failure'),
    );
    expect(await refused(host, await swapped('README.md', undefined))).toEqual(
      refusal('pack_integrity_failure'),
    );
    expect(await refused(host, await swapped('extra.md', 'x'))).toEqual(refusal('pack_integrity_failure'));
    expect(await refused(host, await swapped('keys/pack.json.sig', 'x'))).toMatchObject({ status: 400 });
  });

  it('takes the one that a trusted key signed, and says whose it is', async () => {
    expect(await put(host, await signed())).toMatchObject({
      status: 201,
      body: { signedBy: 'acme-1', filesSigned: true },
    });
    expect((await readJson(host, '/v1/host/touchstone/packs')).body.items).toMatchObject([
      { signedBy: 'acme-1', filesSigned: true },
    ]);
  });
});
