import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildPack } from '../build-pack.js';
import { openPack } from '../open-pack.js';
import {
  archiveOf,
  codeOf,
  keyPair,
  longName,
  options,
  packFiles,
  type TarEntry,
  tarOf,
} from '../testing/pack-bytes.js';
import { readArchive } from './archive.js';
import { PACK_LIMITS } from './file-table.js';

const read = (archive: Buffer, limits: object = {}) => readArchive(archive, { ...PACK_LIMITS, ...limits });
const codeOfArchive = (archive: Buffer, limits?: object) => codeOf(() => read(archive, limits));

const sound: readonly TarEntry[] = [
  { path: './', kind: '5' },
  { path: './pack.json', content: '{}' },
  { path: 'prompts/', kind: '5' },
  { path: 'prompts/a.md', content: 'words' },
];

describe('an archive', () => {
  test('gives its files by their paths', async () => {
    const files = await read(archiveOf(sound));
    expect([...files].map(([path, bytes]) => [path, bytes.toString()])).toEqual([
      ['pack.json', '{}'],
      ['prompts/a.md', 'words'],
    ]);
  });

  test('may hold long names and empty files', async () => {
    const path = `${'a'.repeat(90)}/${'ü'.repeat(90)}.md`;
    const files = await read(archiveOf([longName(path), { path: 'short', content: 'x' }, { path: 'empty' }]));
    expect([...files.keys()]).toEqual([path, 'empty']);
  });

  test('without an entry has no files', async () => {
    expect((await read(gzipSync(Buffer.alloc(1024)))).size).toBe(0);
  });
});

describe('bytes that are no archive', () => {
  const archive = archiveOf(sound);
  test.each([
    ['nothing', Buffer.alloc(0), 'invalid_body'],
    ['text', Buffer.from('PK not a gzip'), 'tarball_gunzip_failed'],
    ['a gzip cut short', archive.subarray(0, -5), 'tarball_gunzip_failed'],
    ['a gzip with bytes after it', Buffer.concat([archive, Buffer.from('more')]), 'tarball_gunzip_failed'],
    ['a gzip with zeros after it', Buffer.concat([archive, Buffer.alloc(64)]), 'tarball_gunzip_failed'],
    ['a gzip of nothing', gzipSync(Buffer.alloc(0)), 'tarball_tar_parse_failed'],
    ['a gzip of text', gzipSync('hello'), 'tarball_tar_parse_failed'],
    ['a gzip of blocks of text', gzipSync('h'.repeat(2048)), 'tarball_tar_parse_failed'],
    [
      'a gzip in a gzip',
      gzipSync(Buffer.concat([gzipSync(tarOf(sound)), Buffer.alloc(512)]).subarray(0, 512)),
      'tarball_tar_parse_failed',
    ],
    [
      'a tar cut inside a file',
      gzipSync(tarOf([{ path: 'a', content: 'x', size: 5000 }])),
      'tarball_tar_parse_failed',
    ],
    ['a tar cut inside a block', gzipSync(tarOf(sound).subarray(0, -100)), 'tarball_tar_parse_failed'],
  ])('%s', async (_, bytes, code) => {
    expect(await codeOfArchive(bytes)).toBe(code);
  });
});

describe('an entry that could reach outside is refused', () => {
  test.each<[string, readonly TarEntry[]]>([
    ['a symbolic link', [{ path: 'a', kind: '2', linkTo: '/etc/passwd' }]],
    ['a hard link', [{ path: 'a', kind: '1', linkTo: 'pack.json' }]],
    ['an absolute path', [{ path: '/etc/passwd', content: 'x' }]],
    ['a path that climbs', [{ path: 'a/../../b', content: 'x' }]],
    ['a folder that climbs', [{ path: '../', kind: '5' }]],
    ['a path with backslashes', [{ path: 'a\\..\\b', content: 'x' }]],
    ['a path with a drive', [{ path: 'C:/b', content: 'x' }]],
    ['a long name that climbs', [longName('../b'), { path: 'b', content: 'x' }]],
  ])('%s', async (_, entries) => {
    expect(await codeOfArchive(archiveOf([...sound, ...entries]))).toBe('tarball_path_traversal');
  });
});

describe('an entry that is no file of a pack is refused', () => {
  test.each<[string, readonly TarEntry[]]>([
    ['a character device', [{ path: 'a', kind: '3' }]],
    ['a block device', [{ path: 'a', kind: '4' }]],
    ['a named pipe', [{ path: 'a', kind: '6' }]],
    ['a contiguous file', [{ path: 'a', kind: '7', content: 'x' }]],
    ['a kind nobody knows', [{ path: 'a', kind: 'Z', content: 'x' }]],
    ['a path without a letter', [{ path: './.', content: 'x' }]],
    ['a path with a control character', [{ path: 'a\nb', content: 'x' }]],
    ['a path that is not UTF-8', [{ path: Buffer.from([0x61, 0xff]), content: 'x' }]],
    ['a long name with a zero byte', [longName('a\0b'), { path: 'a', content: 'x' }]],
    ['a path nested too deep', [longName(`${'a/'.repeat(40)}b`), { path: 'a', content: 'x' }]],
    ['a path too long', [longName('a'.repeat(513)), { path: 'a', content: 'x' }]],
    ['a file that is there already', [{ path: 'pack.json', content: '{}' }]],
    ['a file under another spelling', [{ path: 'prompts/./a.md', content: 'x' }]],
    ['a file under another case', [{ path: 'Prompts/A.md', content: 'x' }]],
    ['a file in place of a folder', [{ path: 'prompts', content: 'x' }]],
    ['a file below a file', [{ path: 'pack.json/a', content: 'x' }]],
  ])('%s', async (_, entries) => {
    expect(await codeOfArchive(archiveOf([...sound, ...entries]))).toBe('tarball_tar_parse_failed');
  });
});

describe('an archive that is too large is refused', () => {
  // The end of this gzip is missing. Whoever unzips it whole and measures afterwards finds that, not its size.
  test('before it is unzipped whole', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    const limits = { maxUnpackedBytes: 64 * 1024 };
    expect(await codeOfArchive(bomb.subarray(0, -100), limits)).toBe('tarball_too_large');
  });

  test('when it is a small bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(PACK_LIMITS.maxUnpackedBytes + 512), { level: 1 });
    expect(await codeOfArchive(bomb)).toBe('tarball_too_large');
  });

  test.each<[string, readonly TarEntry[], object, string]>([
    [
      'by the number of its entries',
      Array.from({ length: 4 }, (_, n) => ({ path: `f${n}/`, kind: '5' })),
      { maxEntries: 3 },
      'tarball_too_large',
    ],
    [
      'by one of its files',
      [{ path: 'a', content: 'x'.repeat(11) }],
      { maxEntryBytes: 10 },
      'tarball_entry_too_large',
    ],
    [
      'by its manifest',
      [{ path: './pack.json', content: 'x'.repeat(11) }],
      { maxManifestBytes: 10 },
      'tarball_manifest_too_large',
    ],
    ['by the size that a file claims', [{ path: 'a', size: 8 ** 11 - 1 }], {}, 'tarball_entry_too_large'],
  ])('%s', async (_, entries, limits, code) => {
    expect(await codeOfArchive(archiveOf(entries), limits)).toBe(code);
  });

  test('but not at the limit itself', async () => {
    const limits = { maxEntries: 1, maxEntryBytes: 10, maxManifestBytes: 10, maxUnpackedBytes: 2048 };
    expect((await read(archiveOf([{ path: 'pack.json', content: 'x'.repeat(10) }]), limits)).size).toBe(1);
  });
});

describe('a damaged archive is refused by name or is still the same pack', () => {
  const KNOWN = /^(tarball_\w+|invalid_body|no error)$/;
  const signing = { keyId: 'k1', privateKey: keyPair().privateKey };
  const made = buildPack(packFiles(), { ...options, signing });

  test('when any part of its end is missing', async () => {
    const { archive } = await made;
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), async (length) => {
        expect(await codeOfArchive(archive.subarray(0, length))).toMatch(
          /^(tarball_gunzip_failed|invalid_body)$/,
        );
      }),
    );
  });

  test('when any one of its bytes is another', async () => {
    const { archive } = await made;
    const { digest } = await openPack(archive, options);
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = Buffer.from(archive);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        let found = digest;
        const open = async () => {
          found = (await openPack(damaged, options)).digest;
        };
        expect(await codeOf(open)).toMatch(KNOWN);
        expect(found).toBe(digest);
      }),
      { numRuns: 500 },
    );
  });

  test('when any one byte of the tar inside is another', async () => {
    const bytes = tarOf(sound);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        expect(await codeOfArchive(gzipSync(damaged, { level: 1 }))).toMatch(KNOWN);
      }),
      { numRuns: 500 },
    );
  });

  test('when the tar inside is made of anything', async () => {
    const block = fc.oneof(
      fc.uint8Array({ minLength: 512, maxLength: 512 }),
      fc.constant(new Uint8Array(512)),
      fc
        .record({
          path: fc.string({ maxLength: 90 }),
          kind: fc.constantFrom(...'01234567xgLKSDNZ'),
          size: fc.nat(2000),
        })
        .map((entry) => tarOf([entry]).subarray(0, 512)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 8 }), async (blocks) => {
        expect(await codeOfArchive(gzipSync(Buffer.concat(blocks), { level: 1 }))).toMatch(KNOWN);
      }),
      { numRuns: 500 },
    );
  });
});
