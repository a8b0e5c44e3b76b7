import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildPack } from '../build-pack.js';
import { openPack, openPackFiles } from '../open-pack.js';
import { codeOf, options, packFiles } from '../testing/pack-bytes.js';
import { PACK_LIMITS } from './file-table.js';
import { readPackFolder } from './pack-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-pack-'));
  for (const [path, bytes] of packFiles()) await put(path, bytes);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

test('a folder is the pack that an archive of it is', async () => {
  const fromFolder = await openPackFiles(await readPackFolder(folder), options);
  const { archive } = await buildPack(packFiles(), options);
  const fromArchive = await openPack(archive, options);
  expect(fromFolder.digest).toBe(fromArchive.digest);
  expect(fromFolder.integrity).toBe(fromArchive.integrity);
});

test('what never belongs in a pack is passed over', async () => {
  await put('.git/config', 'x');
  await put('.env', 'SECRET=1');
  await put('prompts/.draft', 'x');
  await put('node_modules/a/index.js', 'x');
  await put('package-lock.json', '{}');
  await put('yarn.lock', 'x');
  expect([...(await readPackFolder(folder)).keys()].sort()).toEqual([...packFiles().keys()].sort());
});

test('links are refused, whatever they lead to', async () => {
  await symlink(join(folder, 'README.md'), join(folder, 'evals/linked.md'));
  expect(await codeOf(() => readPackFolder(folder))).toBe('tarball_path_traversal');
});

test('a linked folder is refused', async () => {
  await symlink(tmpdir(), join(folder, 'elsewhere'));
  expect(await codeOf(() => readPackFolder(folder))).toBe('tarball_path_traversal');
});

test('what is neither file nor folder is refused', async () => {
  const server = createServer().listen(join(folder, 'socket'));
  await once(server, 'listening');
  expect(await codeOf(() => readPackFolder(folder))).toBe('tarball_tar_parse_failed');
  server.close();
  await once(server, 'close');
});

test('a file over its limit is refused', async () => {
  const limits = { ...PACK_LIMITS, maxEntryBytes: 10 };
  expect(await codeOf(() => readPackFolder(folder, limits))).toBe('tarball_entry_too_large');
});

test('a folder that is not there is the caller’s mistake', async () => {
  expect(await codeOf(() => readPackFolder(join(folder, 'absent')))).toBe('validation_error');
});
