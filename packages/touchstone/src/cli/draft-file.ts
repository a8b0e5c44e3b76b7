import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf } from './file-hash.js';
import { placeDraft, targetOf } from './place-file.js';

/** A long text that is written bit by bit, aside, and put in its place when it is whole. */
export type Draft = {
  write(piece: string): Promise<void>;
  /** Whether the file of this name holds this text already. */
  isSameAs(file: string): Promise<boolean>;
  /** Overwrites only what it is told to. */
  place(file: string, overwrite: boolean): void;
  /** Leaves nothing behind of what was not put in its place. */
  discard(): Promise<void>;
};

/** Nothing is made in the folder before there is something to write. */
export function openDraft(folder: string, name: string): Draft {
  const place = targetOf(folder);
  const path = join(place, `.${name}.${process.pid}.tmp`);
  const hash = createHash('sha256');
  let digest: string | undefined;
  let handle: FileHandle | undefined;
  const close = async (): Promise<void> => {
    digest ??= hash.digest('hex');
    await handle?.close();
    handle = undefined;
  };
  return {
    async write(piece) {
      if (!handle) {
        mkdirSync(place, { recursive: true });
        handle = await open(path, 'w');
      }
      hash.update(piece);
      await handle.write(piece);
    },
    async isSameAs(file) {
      await close();
      return existsSync(file) && (await hashOf(file)) === digest;
    },
    place: (file, overwrite) => placeDraft(path, file, overwrite),
    async discard() {
      await close();
      await rm(path, { force: true });
    },
  };
}
