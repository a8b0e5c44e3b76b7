import { chmodSync, closeSync, copyFileSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';

/** A store without rows. The build makes it, by the migrations; sources that are run without a build have none. */
export const EMPTY_STORE = new URL('./empty-store.db', import.meta.url);

/**
 * Makes the file of a new store. With the tables in it, which saves making them: that takes longer than a small run writes.
 * Where that cannot be, as on a disk without links, the file is empty and the migrations make the tables.
 */
export function createFile(file: string, emptyStore = EMPTY_STORE): void {
  try {
    placeWhole(file, emptyStore);
  } catch {
    closeSync(openSync(file, 'a', 0o600));
  }
}

/**
 * The file is complete on the disk before it gets its name: another process may open it at once, and what is committed later
 * rests on it. When that other process was quicker, its file stays.
 */
function placeWhole(file: string, emptyStore: URL): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    copyFileSync(emptyStore, unfinished);
    chmodSync(unfinished, 0o600);
    flush(unfinished);
    linkSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function flush(file: string): void {
  const opened = openSync(file, 'r+');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
