import { createReadStream, existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { defined, isHostError, validationError } from '@touchstone/protocol';
import {
  type DatasetLock,
  type DatasetRows,
  type DefinitionAgent,
  datasetError,
  lockFile,
  type NormalRow,
  type ProfileWarning,
  readLock,
  readRows,
  writeLock,
} from '../../profiles/index.js';
import { type Context, writeLine } from '../io.js';
import { wordsOf } from '../system-errors.js';
import { localDataset } from './definition-file.js';
import { displayPath, placeFile, readText } from './local-files.js';

/** Rows that lie in a file at hand, and can be read from the beginning as often as needed. */
export type FileRows = {
  readonly path: string;
  readonly rows: () => AsyncIterable<NormalRow>;
  /** Of the latest complete reading. */
  readonly facts: DatasetRows['facts'];
  readonly warnings: () => readonly ProfileWarning[];
};

export function openFileRows(path: string, pin?: string): FileRows {
  let latest: DatasetRows | undefined;
  return {
    path,
    async *rows() {
      latest = readRows(createReadStream(path), { name: basename(path), ...defined({ pin }) });
      yield* latest;
    },
    facts: () => (latest as DatasetRows).facts(),
    warnings: () => latest?.warnings() ?? [],
  };
}

/** The dataset that a definition names, when it is a file below the folder of the definition. */
export function openNamedRows(
  agent: DefinitionAgent,
  definition: string,
  lock: DatasetLock | undefined,
): FileRows | undefined {
  const named = localDataset(agent, definition);
  if (!named) return undefined;
  const pin = named.pin ?? lock?.get(named.uri)?.sha256;
  return openFileRows(fileBelow(dirname(definition), named.path), pin);
}

/** Where the file really is. A link must not lead out of the folder, and nothing but a plain file is read. */
function fileBelow(folder: string, path: string): string {
  const real = realPathOf(path);
  const way = relative(realpathSync(folder), real);
  if (way === '' || way === '..' || way.startsWith(`..${sep}`))
    throw datasetError('dataset_refused', 'The dataset lies outside the folder of the definition.');
  if (!statSync(real).isFile())
    throw datasetError('dataset_refused', 'Expected the dataset to be a plain file.');
  return real;
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw datasetError('dataset_not_found', `The dataset cannot be read: ${wordsOf(error)}.`);
  }
}

/** What datasets of a definition were when they were last fetched; undefined when there is no lock file. */
export function readDatasetLock(definition: string, cwd: string): DatasetLock | undefined {
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

type Locked = { readonly uri: string; readonly sha256: string; readonly bytes: number };

/** Writes down what was fetched, so that the next reading is checked. A folder that cannot be written to stops nothing. */
export function lockDataset({ io }: Context, definition: string, { uri, sha256, bytes }: Locked): void {
  const path = lockFile(definition);
  const file = displayPath(path, io.cwd);
  const before = readDatasetLock(definition, io.cwd) ?? new Map();
  try {
    placeFile(path, writeLock(new Map([...before, [uri, { sha256, bytes }]])), true);
    writeLine(io.stderr, `note: Wrote ${file}. From now on the dataset must have the hash it has today.`);
  } catch (error) {
    writeLine(io.stderr, `note: ${file} cannot be written (${wordsOf(error)}), so nothing pins the dataset.`);
  }
}
