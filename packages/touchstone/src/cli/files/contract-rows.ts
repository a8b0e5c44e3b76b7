import { createReadStream, realpathSync, statSync } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import type {
  DatasetLock,
  DatasetRows,
  DefinitionAgent,
  NormalRow,
  ProfileWarning,
} from '../../profiles/index.js';
import { wordsOf } from '../system-errors.js';
import { localDataset } from './definition-file.js';

/** Rows that lie in a file at hand, and can be read from the beginning as often as needed. */
export type FileRows = {
  readonly path: string;
  readonly rows: () => AsyncIterable<NormalRow>;
  /** Of the latest complete reading. */
  readonly facts: DatasetRows['facts'];
  readonly warnings: () => readonly ProfileWarning[];
};

export async function openFileRows(path: string, pin?: string): Promise<FileRows> {
  const { readRows } = await import('../../profiles/index.js');
  let latest: DatasetRows | undefined;
  return {
    path,
    async *rows() {
      latest = readRows(createReadStream(path), { name: basename(path), ...(pin !== undefined && { pin }) });
      yield* latest;
    },
    facts: () => (latest as DatasetRows).facts(),
    warnings: () => latest?.warnings() ?? [],
  };
}

/** The dataset that a definition names, when it is a file below the folder of the definition. */
export async function openNamedRows(
  agent: DefinitionAgent,
  definition: string,
  lock: DatasetLock | undefined,
): Promise<FileRows | undefined> {
  const named = await localDataset(agent, definition);
  if (!named) return undefined;
  const pin = named.pin ?? lock?.get(named.uri)?.sha256;
  const path = await fileBelow(dirname(definition), named.path);
  return openFileRows(path, pin);
}

/** Where the file really is. A link must not lead out of the folder, and nothing but a plain file is read. */
async function fileBelow(folder: string, path: string): Promise<string> {
  const { datasetError } = await import('../../profiles/index.js');
  const real = realPathOf(path);
  if ('trouble' in real)
    throw datasetError('dataset_not_found', `The dataset cannot be read: ${real.trouble}.`);
  const way = relative(realpathSync(folder), real.path);
  if (way === '' || way === '..' || way.startsWith(`..${sep}`))
    throw datasetError('dataset_refused', 'The dataset lies outside the folder of the definition.');
  if (!statSync(real.path).isFile())
    throw datasetError('dataset_refused', 'Expected the dataset to be a plain file.');
  return real.path;
}

function realPathOf(path: string): { readonly path: string } | { readonly trouble: string } {
  try {
    return { path: realpathSync(path) };
  } catch (error) {
    return { trouble: wordsOf(error) };
  }
}
