import { isHostError } from '@touchstone/protocol';
import type { NormalRow } from '../../types.js';
import { type DatasetRows, type ReadRowsOptions, readRows } from '../read-rows.js';

/** Bytes in pieces of any size, so that every cut falls somewhere awkward sooner or later. */
export async function* pieces(content: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

export async function allRows(rows: DatasetRows): Promise<NormalRow[]> {
  const all: NormalRow[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

export const rowsOf = (content: string | Uint8Array, options: ReadRowsOptions = {}): Promise<NormalRow[]> =>
  allRows(readRows(pieces(content), options));

/** The one row of a JSON file, without its place. */
export async function rowOf(value: unknown): Promise<Omit<NormalRow, 'at'>> {
  const [row] = await rowsOf(JSON.stringify([value]), { format: 'json' });
  const { at: _, ...rest } = row as NormalRow;
  return rest;
}

/** What an error tells a program: its code, and each issue as `line:pointer message`. */
export async function troubleOf(
  work: Promise<unknown> | (() => unknown),
): Promise<{ code: unknown; issues: string[] }> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (!isHostError(error)) throw error;
    const issues = (error.details?.issues ?? []) as { line?: number; pointer: string; message: string }[];
    return {
      code: error.details?.code,
      issues: issues.map(({ line = '', pointer, message }) => `${line}:${pointer} ${message}`),
    };
  }
  throw new Error('Nothing was refused.');
}
