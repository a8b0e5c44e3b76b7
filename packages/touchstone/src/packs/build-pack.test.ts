import { createPublicKey, verify } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readArchive, writeArchive } from './archive/archive.js';
import { PACK_LIMITS } from './archive/file-table.js';
import { buildPack, signPack } from './build-pack.js';
import { openPack } from './open-pack.js';
import { parseTrust } from './signing/trust.js';
import { verifyPack } from './signing/verify-pack.js';
import { codeOf, errorOf, keyPair, manifest, options, packFiles } from './testing/pack-bytes.js';

const keys = keyPair();
const signing = { keyId: 'alice', privateKey: keys.privateKey };
const trust = parseTrust(
  { keys: [{ keyId: 'alice', publicKey: keys.publicKey, wholePack: true }] },
  'verified',
  String,
);

describe('building', () => {
  test('gives back the files it was given, whatever they are called and hold', async () => {
    const segment = fc.stringMatching(/^[a-zü]{1,60}$/);
    const path = fc.array(segment, { minLength: 1, maxLength: 6 }).map((parts) => `x/${parts.join('/')}.md`);
    const content = fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(path, content), { selector: ([name]) => name, maxLength: 8 }),
        async (more) => {
          const files = new Map([...packFiles(), ...more]);
          const { archive, integrity } = await buildPack(files, options);
          const pack = await openPack(archive, options);
          expect(pack.integrity).toBe(integrity);
          expect(new Map([...pack.files].sort())).toEqual(new Map([...files].sort()));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('gives the same bytes for the same files, in any order and on any system', async () => {
    const files = packFiles();
    const first = await buildPack(files, { ...options, signing });
    const second = await buildPack(new Map([...files].reverse()), { ...options, signing });
    expect(second.archive.equals(first.archive)).toBe(true);
    // No time, no flags, level 9, no system: ten bytes that depend on nothing.
    expect(first.archive.subarray(0, 10).toString('hex')).toBe('1f8b08000000000002ff');
  });

  test('leaves no trace of who built it and when', async () => {
    const { archive } = await buildPack(packFiles(), options);
    const header = gunzipSync(archive).subarray(0, 512);
    const octalAt = (offset: number, length: number) =>
      Number.parseInt(header.subarray(offset, offset + length).toString(), 8);
    const fields = {
      mode: octalAt(100, 8),
      uid: octalAt(108, 8),
      gid: octalAt(116, 8),
      mtime: octalAt(136, 12),
    };
    expect(fields).toEqual({ mode: 0o644, uid: 0, gid: 0, mtime: 0 });
    expect(header.subarray(265, 329).every((byte) => byte === 0)).toBe(true);
  });

  test('writes the manifest as it is when nobody signs it', async () => {
    const files = packFiles(manifest(), { 'pack.json': `\n${JSON.stringify(manifest(), null, 7)}` });
    const { archive } = await buildPack(files, options);
    expect((await readArchive(archive, PACK_LIMITS)).get('pack.json')).toEqual(files.get('pack.json'));
  });

  test('refuses what would not open', async () => {
    expect(await codeOf(() => buildPack(packFiles(manifest({ x: 1 })), options))).toBe('invalid_manifest');
    expect(await codeOf(() => buildPack(packFiles(manifest(), { '../a': 'x' }), options))).toBe(
      'tarball_path_traversal',
    );
    const absent = packFiles(manifest(), { 'prompts/support.md': undefined });
    expect(await codeOf(() => buildPack(absent, options))).toBe('tarball_entry_missing');
    const limits = { ...PACK_LIMITS, maxUnpackedBytes: 4096 };
    expect(await codeOf(() => buildPack(packFiles(), { ...options, limits }))).toBe('tarball_too_large');
  });

  test('refuses a list of files that fits no longer, unless it is made anew', async () => {
    const { archive } = await buildPack(packFiles(), { ...options, signing });
    const edited = new Map(await readArchive(archive, PACK_LIMITS)).set('README.md', Buffer.from('new'));
    expect(await codeOf(() => buildPack(edited, options))).toBe('pack_integrity_failure');
    expect(await codeOf(() => buildPack(edited, { ...options, signing }))).toBe('no error');
  });

  test('passes on what there is to say about the pack', async () => {
    const { warnings } = await buildPack(packFiles(manifest({ dependencies: { 'core.a.b': '1' } })), options);
    expect(warnings).toHaveLength(1);
  });
});

describe('signing', () => {
  test('covers the exact bytes of the manifest, as any verifier reads them', async () => {
    const { archive } = await buildPack(packFiles(), { ...options, signing });
    const files = await readArchive(archive, PACK_LIMITS);
    const document = files.get('pack.json') as Buffer;
    const signature = files.get('keys/pack.json.sig') as Buffer;
    expect(signature).toHaveLength(64);
    expect(verify(null, document, createPublicKey(keys.publicKey), signature)).toBe(true);
    expect(JSON.parse(String(document))).toEqual({
      ...manifest(),
      signing: { method: 'manual', publicKeyRef: 'alice', signatureRef: 'keys/pack.json.sig' },
    });
  });

  test('an archive is signing its files, once or again', async () => {
    const plain = await buildPack(packFiles(), options);
    const once = await signPack(plain.archive, signing, options);
    const again = await signPack(once.archive, signing, options);
    expect(again.archive.equals(once.archive)).toBe(true);
    expect(once.archive.equals((await buildPack(packFiles(), { ...options, signing })).archive)).toBe(true);
    expect(verifyPack(await openPack(once.archive, options), trust).filesSigned).toBe(true);
  });

  test('an archive that is not what was signed before says so', async () => {
    const { archive } = await buildPack(packFiles(), { ...options, signing });
    const files = new Map(await readArchive(archive, PACK_LIMITS)).set('README.md', Buffer.from('new'));
    const edited = writeArchive(files, PACK_LIMITS);
    expect((await signPack(archive, signing, options)).warnings).toEqual([]);
    expect((await signPack(edited, signing, options)).warnings).toEqual([
      expect.stringContaining('"README.md"'),
    ]);
  });

  test('replaces the signature of another key and of another place', async () => {
    const other = { method: 'manual', publicKeyRef: 'bob', signatureRef: 'keys/bob.sig' };
    const files = packFiles(manifest({ signing: other }), { 'keys/bob.sig': 'x' });
    const { archive } = await buildPack(files, { ...options, signing });
    const pack = await openPack(archive, options);
    expect(pack.files.has('keys/bob.sig')).toBe(false);
    expect(verifyPack(pack, trust).signedBy).toBe('alice');
  });

  test('keeps roles and every other member of the manifest', async () => {
    const [agent] = (manifest() as { agents: object[] }).agents;
    const document = manifest({ agents: [{ ...agent, role: 'skill' }] });
    const { archive } = await buildPack(packFiles(document), { ...options, signing });
    expect((await openPack(archive, options)).manifest).toMatchObject(document);
  });

  test.each([
    ['no key', 'words'],
    ['a public key', keys.publicKey],
  ])('with %s is refused, and the key is not repeated', async (_, privateKey) => {
    const attempt = () => buildPack(packFiles(), { ...options, signing: { keyId: 'a', privateKey } });
    expect(await codeOf(attempt)).toBe('validation_error');
    expect(JSON.stringify(await errorOf(attempt))).not.toContain(privateKey.slice(30, 60) || privateKey);
  });
});
