import {
  existsSync,
  linkSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../exit.js';

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
    writeFileSync(draft, content);
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
