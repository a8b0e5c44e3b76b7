import { createHash } from 'node:crypto';
import { defined, isHostError } from '@touchstone/protocol';
import type { NormalRow, ProfileWarning } from '../types.js';
import { csvRows } from './formats/csv.js';
import { type DatasetFormat, formatByName, SNIFFED_BYTES, sniffFormat } from './formats/format.js';
import { readJsonRows } from './formats/json.js';
import { jsonlRows } from './formats/jsonl.js';
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
 * reported together, each with its line: an error may follow rows that were fine. The bytes are hashed as they pass,
 * before anything is made of them.
 */
export function readRows(source: AsyncIterable<Uint8Array>, options: ReadRowsOptions = {}): DatasetRows {
  const reader = new RowReader();
  const bytes = new HashedBytes(source);
  let format: DatasetFormat | undefined;
  let isRead = false;

  async function* read(): AsyncGenerator<NormalRow> {
    try {
      const named = formatByName(options);
      const head = named === undefined ? await readHead(bytes) : [];
      format = named ?? sniffFormat(Buffer.concat(head).subarray(0, SNIFFED_BYTES));
      yield* rowsOf(format, chained(head, bytes), options, reader);
      reader.check();
      await bytes.checkWhole(options.pin);
      isRead = true;
    } catch (error) {
      throw await worstOf(error, bytes, options.pin);
    } finally {
      await bytes.close();
    }
  }

  return {
    [Symbol.asyncIterator]: read,
    facts() {
      if (!isRead || format === undefined) throw new Error('The rows have not been read to the end.');
      const list = format === 'json' ? reader.list : undefined;
      return defined({ ...bytes.result(), format, rows: reader.rows, list });
    },
    warnings: () => reader.warnings(),
  };
}

/** As much as tells the format: up to the end of the first line with text. */
async function readHead(bytes: HashedBytes): Promise<readonly Uint8Array[]> {
  const head: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    head.push(chunk);
    length += chunk.length;
    if (length >= SNIFFED_BYTES || /\S[^\n]*\n/.test(Buffer.from(chunk).toString('latin1'))) break;
  }
  return head;
}

async function* chained(
  head: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* rest;
}

async function* rowsOf(
  format: DatasetFormat,
  bytes: AsyncIterable<Uint8Array>,
  { maxRowBytes = MAX_ROW_BYTES, maxJsonBytes = MAX_JSON_BYTES }: ReadRowsOptions,
  reader: RowReader,
): AsyncGenerator<NormalRow> {
  if (format === 'json') {
    const { rows, pointer, locate } = await readJsonRows(bytes, maxJsonBytes);
    yield* reader.takeList(rows, pointer, locate);
    return;
  }
  const isCsv = format === 'csv';
  const batches = isCsv ? csvRows(bytes, maxRowBytes, columnIssues) : jsonlRows(bytes, maxRowBytes);
  for await (const batch of batches) {
    for (const raw of batch) {
      const row = reader.take(raw, isCsv);
      if (row) yield row;
    }
  }
}

/** If the file is not the pinned one, that is reported rather than what is now wrong in it. */
async function worstOf(error: unknown, bytes: HashedBytes, pin: string | undefined): Promise<unknown> {
  if (pin === undefined || bytes.failed || !isHostError(error)) return error;
  try {
    await bytes.checkWhole(pin);
    return error;
  } catch (worse) {
    return worse;
  }
}

/**
 * Bytes on their way, hashed exactly as they came. There is no `return`: a reader that stops early leaves the rest, so
 * that the whole can still be hashed.
 */
class HashedBytes implements AsyncIterableIterator<Uint8Array> {
  /** Whether the source itself gave up, so that there is nothing more to read. */
  failed = false;
  private readonly hash = createHash('sha256');
  private readonly source: AsyncIterator<Uint8Array>;
  private bytes = 0;
  private isOver = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.isOver) return { done: true, value: undefined };
    try {
      const step = await this.source.next();
      if (step.done) this.isOver = true;
      else {
        this.hash.update(step.value);
        this.bytes += step.value.length;
      }
      return step;
    } catch (error) {
      this.isOver = true;
      this.failed = true;
      throw error;
    }
  }

  /** Reads what is left, and throws when the whole is not what was pinned. */
  async checkWhole(pin: string | undefined): Promise<void> {
    while (!(await this.next()).done);
    if (pin !== undefined) checkPin(pin, this.result().sha256);
  }

  /** Lets the source go, read to the end or not. */
  async close(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    await this.source.return?.();
  }

  /** Of everything that has passed. */
  result(): { readonly sha256: string; readonly bytes: number } {
    return { sha256: this.hash.copy().digest('hex'), bytes: this.bytes };
  }
}
