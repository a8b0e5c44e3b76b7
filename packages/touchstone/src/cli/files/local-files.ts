import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { HostError } from '@touchstone/protocol';
import { UsageError } from '../io.js';
import { wordsOf } from '../system-errors.js';

/** The sha256 of a file, in hex, however long it is. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The text of a regular file. `shown` is its name in messages. */
export function readText(path: string, shown: string): string {
  try {
    // Reading a pipe would wait for someone to write to it.
    if (!statSync(path).isFile()) throw new UsageError(`${shown} is not a regular file.`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new HostError('validation_error', `Cannot read ${shown}: ${wordsOf(error)}.`, undefined, error);
  }
}

/** As short as it can be typed from here. */
export function displayPath(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') || near === '' ? path : near;
}

/**
 * Writes a whole file or nothing: no reader sees half of it. Writes to where a link leads, as the shell
 * does, and to nothing but a regular file. Throws EEXIST rather than overwrite.
 */
export function placeFile(named: string, content: string | Buffer, overwrite = false): void {
  checkRegular(named, named, 'Name another file.');
  const file = targetOf(named);
  mkdirSync(dirname(file), { recursive: true });
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  try {
    // On disk before it has the name: after a power cut the name leads to the whole file or to the one before.
    writeFileSync(draft, content, { flush: true });
    placeDraft(draft, named, overwrite);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The same for a file that is written already and lies on the same file system. It may still be there afterwards. */
export function placeDraft(draft: string, named: string, overwrite: boolean): void {
  checkRegular(named, named, 'Name another file.');
  const file = targetOf(named);
  if (overwrite) renameSync(draft, file);
  else placeNew(draft, file);
}

/** A second name is given only where there is none yet, in one step; some file systems have no second names. */
function placeNew(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (existsSync(file)) throw error;
    renameSync(draft, file);
  }
}

/** A device or a pipe that is renamed over is gone, and others may need it. */
export function checkRegular(file: string, shown: string, hint: string): void {
  const entry = statSync(file, { throwIfNoEntry: false });
  if (entry && !entry.isFile()) throw new UsageError(`${shown} is not a regular file.`, hint);
}

const MOST_LINKS = 40;

/** Where a path leads, also when nothing is there yet. */
export function targetOf(path: string, left = MOST_LINKS): string {
  if (existsSync(path)) return realpathSync(path);
  const link = left > 0 ? linkAt(path) : undefined;
  if (link !== undefined) return targetOf(resolve(dirname(path), link), left - 1);
  const folder = dirname(path);
  return folder === path ? path : join(targetOf(folder, left), basename(path));
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It is no link, or not there.
    return undefined;
  }
}
