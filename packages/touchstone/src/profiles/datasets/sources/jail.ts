import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { datasetError } from '../errors.js';

/** A dataset whose bytes can be read, once. */
export type DatasetFile = {
  /** For its ending, which says the format. */
  readonly name: string;
  readonly mediaType?: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** For callers that do not read it: reading, to the end or not, releases everything by itself. */
  close(): void;
};

type JailOptions = { readonly scheme: string; readonly maxBytes: number };
type FileId = { readonly dev: number; readonly ino: number };

/**
 * A file below a folder, wherever links lead: what counts is where it really is. Only plain files are read, since a
 * pipe or a device would keep its reader waiting or never end.
 */
export async function openBelow(root: string, path: string, options: JailOptions): Promise<DatasetFile> {
  const { scheme, maxBytes } = options;
  const segments = path.split('/');
  if (isAbsolute(path) || segments.includes('..') || /[\\\0]/.test(path)) throw outside(scheme);
  const { real, id } = await locate(root, join(root, ...segments), options);
  return {
    name: basename(path),
    bytes: readFileOnce(real, id, { scheme, maxBytes }),
    close: () => undefined,
  };
}

async function locate(
  root: string,
  target: string,
  { scheme, maxBytes }: JailOptions,
): Promise<{ readonly real: string; readonly id: FileId }> {
  try {
    const [realRoot, real] = [await realpath(root), await realpath(target)];
    if (!isBelow(realRoot, real)) throw outside(scheme);
    const stats = await lstat(real);
    if (!stats.isFile()) throw notAFile(scheme);
    if (stats.size > maxBytes) throw tooLarge(scheme, maxBytes);
    return { real, id: stats };
  } catch (error) {
    throw fileError(error, scheme);
  }
}

const isBelow = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** Opened when reading begins, so that a dataset that is never read holds nothing open. */
async function* readFileOnce(path: string, id: FileId, options: JailOptions): AsyncGenerator<Uint8Array> {
  const { scheme, maxBytes } = options;
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const handle = await open(path, flags);
    try {
      const stats = await handle.stat();
      // Another file has taken its place since the check.
      if (stats.dev !== id.dev || stats.ino !== id.ino) throw outside(scheme);
      let bytes = 0;
      for await (const chunk of handle.createReadStream({ autoClose: false })) {
        bytes += (chunk as Buffer).length;
        if (bytes > maxBytes) throw tooLarge(scheme, maxBytes);
        yield chunk as Buffer;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError(error, scheme);
  }
}

const outside = (scheme: string): Error =>
  datasetError('dataset_refused', 'The dataset lies outside the folder it may be read from.', { scheme });
const notAFile = (scheme: string): Error =>
  datasetError('dataset_refused', 'Expected the dataset to be a plain file.', { scheme });

export const tooLarge = (scheme: string, maxBytes: number): Error =>
  datasetError(
    'dataset_too_large',
    `The dataset is larger than ${maxBytes} bytes. Make it smaller, or raise datasets.maxBytes in the configuration.`,
    { scheme },
  );

const MISSING = new Set(['ENOENT', 'ENOTDIR']);
const DENIED = new Set(['EACCES', 'EPERM']);

function fileError(error: unknown, scheme: string): unknown {
  const { code = '' } = error as { readonly code?: string };
  if (MISSING.has(code)) return datasetError('dataset_not_found', 'There is no such file.', { scheme });
  if (DENIED.has(code)) return datasetError('dataset_denied', 'The file may not be read.', { scheme });
  if (code === 'ELOOP' || code === 'ENXIO') return notAFile(scheme);
  return error;
}
