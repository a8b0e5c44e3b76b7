import { watch } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** What is watched: these files, and everything plain that lies beside an agent's code. */
export type Watched = {
  readonly files: readonly string[];
  /** Folders of agents, whose code may be spread over several files. */
  readonly folders: readonly string[];
  /** Written by the run itself, so a change of theirs means nothing. */
  readonly outputs: readonly string[];
};

export function isRelevant(watched: Watched, folder: string, name: string): boolean {
  const path = resolve(folder, name);
  if (watched.outputs.includes(path)) return false;
  if (watched.files.includes(path)) return true;
  return (
    watched.folders.includes(folder) &&
    !name.startsWith('.') &&
    name !== 'node_modules' &&
    !name.endsWith('~')
  );
}

export type FileWatcher = {
  /** Resolves when something has changed since the last call returned, and the changes have settled. */
  changed(signal: AbortSignal): Promise<void>;
  close(): void;
};

const SETTLE_MS = 100;

/** Folders rather than files are watched, because editors save by putting a new file in the place of the old one. */
export function watchFiles(watched: Watched): FileWatcher {
  let dirty = false;
  let wake = (): void => undefined;
  const folders = new Set([...watched.files.map((file) => dirname(file)), ...watched.folders]);
  const watchers = [...folders].map((folder) =>
    watch(folder, (_event, name) => {
      if (name === null || !isRelevant(watched, folder, name)) return;
      dirty = true;
      wake();
    }),
  );
  return {
    async changed(signal) {
      const stop = (): void => wake();
      signal.addEventListener('abort', stop);
      while (!dirty && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      // A save is often several changes; the run starts after the last of them.
      while (dirty && !signal.aborted) {
        dirty = false;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      }
      signal.removeEventListener('abort', stop);
      signal.throwIfAborted();
    },
    close() {
      for (const one of watchers) one.close();
    },
  };
}
