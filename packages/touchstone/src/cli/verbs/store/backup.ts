import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { signingKeyFile } from '../../../app/index.js';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import { hasStore, readConfig, STORE_FILE, storeFile, withTouchstone } from '../../local.js';

/** Copies the store and the signing key to a new folder, while a host may go on with its work. */
export async function backupCommand(context: Context, folder: string): Promise<ExitCode> {
  const { io, settings } = context;
  const target = resolve(io.cwd, folder);
  const file = join(target, STORE_FILE);
  if (existsSync(file))
    throw new UsageError(`There is a store in ${folder} already.`, 'Name a folder that does not exist yet.');
  if (storeFile(context, await readConfig(context)) === undefined)
    throw new UsageError(
      'The store is a PostgreSQL database, and this command copies files.',
      'Use pg_dump, or copy it into a file with: touchstone store copy <from> <to>',
    );
  if (!(await hasStore(context))) throw new UsageError('Nothing is kept here, so there is nothing to copy.');
  mkdirSync(target, { recursive: true, mode: 0o700 });
  await withTouchstone(context, 'store', ({ touchstone }) => touchstone.store.copyTo(file));
  chmodSync(file, 0o600);
  const key = signingKeyFile(resolve(io.cwd, settings.data));
  const hasKey = existsSync(key);
  if (hasKey) copyFileSync(key, signingKeyFile(target));
  const words = `The store is copied to ${folder}${hasKey ? ', with the signing key' : ''}.`;
  writeResult(context, { folder: target, signingKey: hasKey }, () => `${words}\n`);
  return 0;
}
