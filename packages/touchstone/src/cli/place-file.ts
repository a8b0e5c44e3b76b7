import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Puts a whole file in its place, or nothing: nobody ever reads half of it. Throws EEXIST rather than overwrite. */
export function placeFile(file: string, content: string | Buffer, overwrite = false): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  try {
    writeFileSync(draft, content);
    if (overwrite) renameSync(draft, file);
    else placeNew(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
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
