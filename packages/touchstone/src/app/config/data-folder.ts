import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { HostError } from '@touchstone/protocol';
import type { Config } from './config.js';

/**
 * Makes a folder and what is missing above it, closed to other users of the machine. Not the library's own
 * recursion: where the system says that a name cannot exist (`/proc/x`), that one tries for ever.
 */
export async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) await makeFolder(parent);
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process may have been quicker.
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Where everything durable is kept: the file that is configured, or one in the data folder. */
export async function storeFile(config: Config, dataDir: string): Promise<string> {
  if (config.store?.startsWith('sqlite:'))
    return resolve(config.baseDir, config.store.slice('sqlite:'.length));
  if (config.store !== undefined) {
    throw new HostError(
      'validation_error',
      'The configured store is not one this version can open. Use "sqlite:<file>", or leave "store" out.',
    );
  }
  // Inputs and answers are kept in clear, so other users of the machine get no access to this folder.
  await makeFolder(dataDir);
  return join(dataDir, 'touchstone.db');
}
