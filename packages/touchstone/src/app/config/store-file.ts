import { join, resolve } from 'node:path';
import { HostError } from '@touchstone/protocol';
import type { Config } from './config.js';
import { makeFolder } from './data-folder.js';

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
