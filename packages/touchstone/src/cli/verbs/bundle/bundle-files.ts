import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isHostError } from '@touchstone/protocol';
import type { BundleFiles } from '../../../app/index.js';
import { PACK_LIMITS, readTar, writeTar } from '../../../packs/index.js';
import { placeFile } from '../../files/local-files.js';
import { UsageError } from '../../io.js';

/** What makes files a bundle. */
const MANIFEST = 'manifest.dsse.json';
const MOST_BYTES = 512 * 1024 * 1024;
const LIMITS = { ...PACK_LIMITS, maxUnpackedBytes: MOST_BYTES, maxEntryBytes: MOST_BYTES, maxEntries: 1_000 };

export const isArchive = (place: string): boolean => /\.tar$/i.test(place);

/** The files of a bundle, in an archive or a folder. */
export function readBundle(named: string, cwd: string): BundleFiles {
  const path = resolve(cwd, named);
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry)
    throw new UsageError(
      `There is no bundle ${named}.`,
      'Write one with: touchstone export <runId> --bundle out.tar',
    );
  if (entry.size > MOST_BYTES) throw new UsageError(`${named} is larger than any bundle.`);
  const files = entry.isDirectory() ? readFolder(path, named) : readArchive(path, named);
  if (files.has(MANIFEST)) return files;
  throw new UsageError(`${named} is no evidence bundle: it has no ${MANIFEST}.`);
}

function readArchive(path: string, named: string): BundleFiles {
  try {
    return readTar(readFileSync(path), LIMITS);
  } catch (error) {
    if (!isHostError(error)) throw error;
    throw new UsageError(
      `${named} is no evidence bundle. ${inWordsOfBundles(error.message)}`,
      'A bundle is a folder, or a .tar file that is not compressed.',
    );
  }
}

/** The reader of archives was written for packs. */
const inWordsOfBundles = (message: string): string =>
  message.replace(/\b([Aa]) pack\b/g, '$1 bundle').replace('The unzipped archive', 'The file');

/** Bundles have no folders in them, and a link may lead anywhere. */
function readFolder(path: string, named: string): BundleFiles {
  const names = readdirSync(path);
  if (names.length > LIMITS.maxEntries)
    throw new UsageError(`${named} is no evidence bundle: it holds more files than any bundle.`);
  const files = names.map((name): [string, Buffer] => {
    const file = join(path, name);
    const entry = lstatSync(file);
    if (!entry.isFile() || entry.size > MOST_BYTES)
      throw new UsageError(`${named} is no evidence bundle: ${name} in it is no plain file.`);
    return [name, readFileSync(file)];
  });
  return new Map(files);
}

/** Writes a bundle whole or not at all, in the place of an earlier one or of nothing. */
export function placeBundle(named: string, cwd: string, files: BundleFiles): void {
  const path = resolve(cwd, named);
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  if (isThere) checkEarlier(named, cwd);
  if (isArchive(named)) placeFile(path, writeTar(files), true);
  else placeFolder(path, files, isThere);
}

function checkEarlier(named: string, cwd: string): void {
  try {
    readBundle(named, cwd);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${named} exists and is no evidence bundle.`, 'Name another place, or remove it.');
  }
}

function placeFolder(path: string, files: BundleFiles, isThere: boolean): void {
  const aside = (end: string): string => join(dirname(path), `.${basename(path)}.${process.pid}.${end}`);
  const [draft, old] = [aside('tmp'), aside('old')];
  try {
    mkdirSync(draft, { recursive: true });
    for (const [name, bytes] of files) placeFile(join(draft, name), bytes);
    if (isThere) exchange(path, draft, old);
    else renameSync(draft, path);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The earlier folder comes back when the draft cannot take its place. */
function exchange(path: string, draft: string, old: string): void {
  renameSync(path, old);
  try {
    renameSync(draft, path);
  } catch (error) {
    renameSync(old, path);
    throw error;
  }
  rmSync(old, { recursive: true, force: true });
}
