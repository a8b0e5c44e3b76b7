import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

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
