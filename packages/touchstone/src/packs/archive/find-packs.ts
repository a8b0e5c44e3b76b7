import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { validationError } from '@touchstone/protocol';
import { MANIFEST_PATH } from './file-table.js';

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
