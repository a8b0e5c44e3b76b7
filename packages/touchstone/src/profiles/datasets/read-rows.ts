import { isHostError } from '@touchstone/protocol';
import type { NormalRow, ProfileWarning } from '../types.js';
import { csvRows } from './formats/csv.js';
import { type DatasetFormat, formatByName, SNIFFED_BYTES, sniffFormat } from './formats/format.js';
import { createHashing, type Hashing } from './formats/hashing.js';
import { readJsonRows } from './formats/json.js';
import { jsonlRows } from './formats/jsonl.js';
import type { RawRow } from './formats/raw-row.js';
import { columnIssues } from './normal-row.js';
import { checkPin } from './pins.js';
import { RowReader } from './row-reader.js';

export type ReadRowsOptions = {
  readonly format?: DatasetFormat;
  /** Tells the format by its ending when `format` does not. */
  readonly name?: string;
  readonly mediaType?: string;
  /** The sha256 that the bytes must have. */
  readonly pin?: string;
  /** Of one row of JSONL or CSV. */
  readonly maxRowBytes?: number;
  /** Of a JSON file, which is held whole. */
  readonly maxJsonBytes?: number;
};

export type DatasetFacts = {
  readonly sha256: string;
  readonly bytes: number;
  readonly format: DatasetFormat;
  readonly rows: number;
  /** Of a file that is one value: the pointer of the list of rows in it. */
  readonly list?: string;
};

/** The rows of a dataset. They can be read once; what they amount to is known when all of them have been read. */
export type DatasetRows = AsyncIterable<NormalRow> & {
  facts(): DatasetFacts;
  warnings(): readonly ProfileWarning[];
};

const MAX_ROW_BYTES = 16 * 1024 * 1024;
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/**
 * Reads rows as they come. Rows that cannot be read are passed over until there are too many or no more, and are then
 * told together, each with its line: an error may follow rows that were fine. The bytes are hashed as they pass, before
 * anything is made of them.
 */
export function readRows(bytes: AsyncIterable<Uint8Array>, options: ReadRowsOptions = {}): DatasetRows {
  const desk = new RowReader();
  const hashing = createHashing(bytes);
  let format: DatasetFormat | undefined;
  let isRead = false;

  async function* read(): AsyncGenerator<NormalRow> {
    try {
      const opened = await openFormat(hashing.bytes, options);
      format = opened.format;
      yield* rowsAs(opened, options, desk);
      await finish(hashing, options.pin);
      isRead = true;
    } catch (error) {
      throw await worstOf(error, hashing, options.pin);
    } finally {
      await hashing.close();
    }
  }

  return {
    [Symbol.asyncIterator]: read,
    facts() {
      if (!isRead || format === undefined) throw new Error('The rows have not been read to the end.');
      const list = format === 'json' ? { list: desk.list } : {};
      return { ...hashing.result(), format, rows: desk.rows, ...list };
    },
    warnings: () => desk.warnings(),
  };
}

type Opened = { readonly format: DatasetFormat; readonly bytes: AsyncIterable<Uint8Array> };

async function openFormat(
  bytes: AsyncIterableIterator<Uint8Array>,
  options: ReadRowsOptions,
): Promise<Opened> {
  const named = formatByName(options);
  if (named !== undefined) return { format: named, bytes };
  const head: Uint8Array[] = [];
  let length = 0;
  let isEnough = false;
  while (!isEnough) {
    const next = await bytes.next();
    if (next.done) break;
    head.push(next.value);
    length += next.value.length;
    isEnough = length >= SNIFFED_BYTES || hasWholeLine(next.value);
  }
  return { format: sniffFormat(Buffer.concat(head).subarray(0, SNIFFED_BYTES)), bytes: chained(head, bytes) };
}

const hasWholeLine = (chunk: Uint8Array): boolean => /\S[^\n]*\n/.test(Buffer.from(chunk).toString('latin1'));

async function* chained(
  head: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* rest;
}

function rowsAs(
  { format, bytes }: Opened,
  options: ReadRowsOptions,
  desk: RowReader,
): AsyncIterable<NormalRow> {
  const { maxRowBytes = MAX_ROW_BYTES, maxJsonBytes = MAX_JSON_BYTES } = options;
  if (format === 'json') return wholeRows(bytes, maxJsonBytes, desk);
  return format === 'csv'
    ? streamedRows(csvRows(bytes, maxRowBytes, columnIssues), desk, true)
    : streamedRows(jsonlRows(bytes, maxRowBytes), desk, false);
}

async function* streamedRows(
  batches: AsyncIterable<readonly RawRow[]>,
  desk: RowReader,
  cells: boolean,
): AsyncGenerator<NormalRow> {
  for await (const batch of batches) {
    for (const raw of batch) {
      const row = desk.take(raw, cells);
      if (row) yield row;
    }
  }
  desk.check();
}

async function* wholeRows(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  desk: RowReader,
): AsyncGenerator<NormalRow> {
  const { rows, pointer, locate } = await readJsonRows(bytes, maxBytes);
  desk.place(pointer, locate);
  for (const [index, value] of rows.entries()) {
    const row = desk.take({ at: index + 1, value, faults: [], locate: (issues) => issues }, false);
    if (row) yield row;
  }
  desk.check();
}

async function finish(hashing: Hashing, pin: string | undefined): Promise<void> {
  await hashing.drain();
  if (pin !== undefined) checkPin(pin, hashing.result().sha256);
}

/** Of a file that was changed, that it was changed is worth more than what is now wrong with it. */
async function worstOf(error: unknown, hashing: Hashing, pin: string | undefined): Promise<unknown> {
  if (pin === undefined || hashing.failed || !isHostError(error)) return error;
  try {
    await finish(hashing, pin);
    return error;
  } catch (worse) {
    return worse;
  }
}
