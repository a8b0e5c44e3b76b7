import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DatasetSource, OpenOptions } from '../../profiles/index.js';
import {
  type DatasetRows,
  type DatasetUri,
  type NormalRow,
  type ProfileWarning,
  readRows,
} from '../../profiles/index.js';

/** A dataset that can be read again and again: what lies elsewhere is fetched once. */
export type OpenRows = {
  readonly rows: () => AsyncIterable<NormalRow>;
  readonly facts: () => ReturnType<DatasetRows['facts']>;
  readonly warnings: () => readonly ProfileWarning[];
  close(): Promise<void>;
};

type Bytes = {
  readonly name: string;
  readonly mediaType?: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  close(): Promise<void> | void;
};

const LOCAL: readonly DatasetUri['scheme'][] = ['relative', 'pack', 'file', 'data'];

export async function openRows(
  source: DatasetSource,
  uri: DatasetUri,
  options: OpenOptions,
  pin: string | undefined,
): Promise<OpenRows> {
  const place = LOCAL.includes(uri.scheme)
    ? { open: (): Promise<Bytes> => source.open(uri, options), remove: async () => undefined }
    : await fetchOnce(source, uri, options);
  let latest: DatasetRows | undefined;
  const rows = async function* (): AsyncGenerator<NormalRow> {
    const { bytes, close, ...facts } = await place.open();
    try {
      latest = readRows(bytes, { ...facts, ...(pin !== undefined && { pin }) });
      yield* latest;
    } finally {
      await close();
    }
  };
  return {
    rows,
    facts: () => (latest as DatasetRows).facts(),
    warnings: () => latest?.warnings() ?? [],
    close: place.remove,
  };
}

async function fetchOnce(source: DatasetSource, uri: DatasetUri, options: OpenOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-dataset-'));
  const file = join(folder, 'rows');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { bytes, close, ...facts } = await source.open(uri, options);
    try {
      await pipeline(bytes, createWriteStream(file, { mode: 0o600 }));
    } finally {
      await close();
    }
    const open = async (): Promise<Bytes> => ({ ...facts, bytes: createReadStream(file), close() {} });
    return { open, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
