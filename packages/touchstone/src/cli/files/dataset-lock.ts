import { existsSync } from 'node:fs';
import { isHostError, validationError } from '@touchstone/protocol';
import type { DatasetLock } from '../../profiles/index.js';
import { type Context, writeLine } from '../io.js';
import { wordsOf } from '../system-errors.js';
import { displayPath, readText } from './read-file.js';
import { placeFile } from './write-file.js';

/** What datasets of a definition were when they were last fetched; undefined when there is no lock file. */
export async function readDatasetLock(definition: string, cwd: string): Promise<DatasetLock | undefined> {
  const { lockFile, readLock } = await import('../../profiles/index.js');
  const path = lockFile(definition);
  if (!existsSync(path)) return undefined;
  const file = displayPath(path, cwd);
  try {
    return readLock(readText(path, file));
  } catch (error) {
    if (!isHostError(error) || !error.details?.issues) throw error;
    const { issues, ...details } = error.details;
    throw validationError(issues as Parameters<typeof validationError>[0], { ...details, file });
  }
}

export type Locked = { readonly uri: string; readonly sha256: string; readonly bytes: number };

/** Writes down what was fetched, so that the next reading is checked. A folder that cannot be written to stops nothing. */
export async function lockDataset(context: Context, definition: string, locked: Locked): Promise<void> {
  const { io } = context;
  const { lockFile, writeLock } = await import('../../profiles/index.js');
  const { uri, sha256, bytes } = locked;
  const path = lockFile(definition);
  const file = displayPath(path, io.cwd);
  const before = (await readDatasetLock(definition, io.cwd)) ?? new Map();
  try {
    placeFile(path, writeLock(new Map([...before, [uri, { sha256, bytes }]])), true);
    writeLine(io.stderr, `note: Wrote ${file}. From now on the dataset must have the hash it has today.`);
  } catch (error) {
    writeLine(io.stderr, `note: ${file} cannot be written (${wordsOf(error)}), so nothing pins the dataset.`);
  }
}
