import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf, placeDraft, targetOf } from './local-files.js';

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

export type DraftKind = 'suite' | 'contract';

/** Nothing is made in the folder before there is something to write. `sha256` tells drafts of one process apart. */
export function openDraft(folder: string, sha256: string, kind: DraftKind): Draft {
  const place = targetOf(folder);
  const path = join(place, `.${sha256.slice(0, 8)}.${kind}.${process.pid}.tmp`);
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
        removeAbandoned(place);
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

const DRAFT = /^\.[0-9a-f]{8}\.(?:suite|contract)\.(?<pid>\d+)\.tmp$/;

/** A killed process leaves its drafts behind; the next one removes them. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = DRAFT.exec(name)?.groups?.pid;
    if (pid !== undefined && hasEnded(Number(pid))) removeIfAllowed(join(folder, name));
  }
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function removeIfAllowed(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It belongs to another user, and does no harm.
  }
}
