import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Files of compiled code. Whatever cannot be read or written is not there. */
export type KeptCode = {
  read(file: string): Buffer | undefined;
  write(files: readonly (readonly [file: string, code: Buffer])[]): void;
};

export const NOTHING_KEPT: KeptCode = { read: () => undefined, write: () => undefined };

/** So long after it was written, the code of a build is removed; one that is still used is written again. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** @param name Changes with the build and with V8, which compares no more of a source than its length. */
export function createKeptCode(folder: string, name: string, now: () => number): KeptCode {
  const own = join(folder, name);
  return {
    read(file) {
      try {
        return readFileSync(join(own, file));
      } catch {
        return undefined;
      }
    },
    write(files) {
      try {
        mkdirSync(own, { recursive: true, mode: 0o700 });
        for (const [file, code] of files) writeWhole(join(own, file), code);
        removeOld(folder, now() - KEPT_MS);
      } catch {
        // A full disk, a folder that cannot be written: the next start compiles again.
      }
    },
  };
}

/** Another process may read at any time, and the machine may stop: V8 does not look for damage in what it is given. */
function writeWhole(path: string, code: Buffer): void {
  const unfinished = `${path}.${process.pid}`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(file, code);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}

function removeOld(folder: string, before: number): void {
  for (const name of readdirSync(folder))
    if (statSync(join(folder, name)).mtimeMs < before) rmSync(join(folder, name), { recursive: true });
}
