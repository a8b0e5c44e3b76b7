import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError, validationError } from '@touchstone/protocol';
import { shownPath } from '../../suites/index.js';
import { FileTable, MANIFEST_PATH, PACK_LIMITS, type PackFiles, type PackLimits } from './file-table.js';

const LOCKFILES = new Set(
  'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb pack-lock.json'.split(
    ' ',
  ),
);

/**
 * The files of a pack that is not packed yet, as an archive of it would hold them. What never belongs in a pack is
 * passed over: dotfiles (and with them `.git`), `node_modules` and lockfiles.
 */
export async function readPackFolder(folder: string, limits: PackLimits = PACK_LIMITS): Promise<PackFiles> {
  const files = new Map<string, Buffer>();
  await readInto(files, new FileTable(limits), folder, '');
  return files;
}

async function readInto(
  files: Map<string, Buffer>,
  table: FileTable,
  folder: string,
  prefix: string,
): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    const file = join(folder, entry.name);
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      table.folder(path);
      await readInto(files, table, file, `${path}/`);
    } else {
      if (!entry.isFile()) refuseKind(entry, path);
      const { size } = await stat(file);
      files.set(table.file(path, size), await readFile(file));
    }
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter(({ name }) => !isPassedOver(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw validationError([{ pointer: '', message: `Expected a readable folder at ${folder} (${reason}).` }]);
  }
}

const isPassedOver = (name: string): boolean =>
  name.startsWith('.') || name === 'node_modules' || LOCKFILES.has(name);

function refuseKind(entry: Dirent, path: string): never {
  if (entry.isSymbolicLink())
    throw new HostError(
      'tarball_path_traversal',
      `A pack holds files and folders only: ${shownPath(path)} is a link. Put a copy in its place.`,
    );
  throw new HostError(
    'tarball_tar_parse_failed',
    `A pack holds files and folders only: ${shownPath(path)} is neither.`,
  );
}

const ARCHIVE = /\.(?:tgz|tar\.gz)$/i;

/** Whether a path is a pack by its looks: an archive by its name, or a folder with a manifest. */
export function looksLikePack(path: string): boolean {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry?.isDirectory()) return existsSync(join(path, MANIFEST_PATH));
  return entry?.isFile() === true && ARCHIVE.test(path);
}

/** The packs at a path, in the same order everywhere: the one it is, or those that lie directly in it. */
export function findPacks(path: string): readonly string[] {
  if (looksLikePack(path)) return [path];
  return namesIn(path)
    .filter((name) => !name.startsWith('.') && name !== 'node_modules')
    .sort()
    .map((name) => join(path, name))
    .filter(looksLikePack);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw validationError([
      { pointer: '', message: `Expected a pack, or a readable folder of packs, at ${folder} (${reason}).` },
    ]);
  }
}
