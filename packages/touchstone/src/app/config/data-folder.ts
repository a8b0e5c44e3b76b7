import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MEMORY } from '../../store/index.js';
import type { Config } from './config.js';
import { resolvedAddress } from './store-address.js';

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

/** What is kept here. A folder that holds anything else, such as a project, is not only a data folder. */
const OWN_FILES = /^(?:touchstone\.db|signing-key\.pem$)/;

/** Runs and their content do not belong in a repository. A file that somebody has written there is left as it is. */
async function ignoreFolder(path: string): Promise<void> {
  if (!(await readdir(path)).every((name) => OWN_FILES.test(name))) return;
  await writeFile(join(path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      // A folder that cannot be written to is told of by the store.
      if (!['EEXIST', 'EACCES', 'EROFS', 'EPERM', 'ENOSPC'].includes(error.code ?? '')) throw error;
    },
  );
}

/** Where everything is kept: the database or file that is configured, or a file in the data folder; without a folder, in memory. */
export async function storeAddress(config: Config, dataDir: string | undefined): Promise<string> {
  const configured = config.store === undefined ? undefined : resolvedAddress(config.store, config.baseDir);
  if (configured !== undefined) return configured;
  if (dataDir === undefined) return MEMORY;
  // Inputs and answers are kept in clear, so other users of the machine get no access to this folder.
  await makeFolder(dataDir);
  await ignoreFolder(dataDir);
  return join(dataDir, 'touchstone.db');
}
