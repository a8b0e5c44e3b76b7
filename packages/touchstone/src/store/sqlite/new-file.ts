import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** A store without rows. The build makes it, by the migrations; sources that are run without a build have none. */
export const EMPTY_STORE = new URL('./empty-store.db', import.meta.url);

/**
 * Makes the file of a new store. With the tables in it, which saves making them: that takes longer than a small run writes.
 * Where that cannot be, as on a disk without links, the file is empty and the migrations make the tables.
 */
export function createFile(file: string, emptyStore = EMPTY_STORE): void {
  try {
    placeWhole(file, readFileSync(emptyStore));
  } catch {
    closeSync(openSync(file, 'a', 0o600));
  }
}

/**
 * The file is complete on the disk before it gets its name: another process may open it at once, and what is committed later
 * rests on it. When that other process was quicker, its file stays.
 */
function placeWhole(file: string, content: Buffer): void {
  const unfinished = `${file}.${process.pid}`;
  const made = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(made, content);
    fsyncSync(made);
    linkSync(unfinished, file);
  } finally {
    closeSync(made);
    rmSync(unfinished, { force: true });
  }
}
