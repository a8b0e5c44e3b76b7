import { pipeline } from 'node:stream';
import { child, type Issue, isHostError, validationError } from '@touchstone/protocol';
import { readJson } from '../../../suites/index.js';
import { csv } from './csv-library.js';
import { inspect } from './jsonl.js';
import { createLineCount, type LineCount } from './line-count.js';
import { brokenRow, type RawRow } from './raw-row.js';
import { strictUtf8 } from './strict-utf8.js';

type CsvRecord = { readonly record: readonly string[]; readonly info: { readonly bytes: number } };

/** The parser takes a chunk at a time and gives all its records at once, so a chunk is what bounds their number. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The rows of a CSV file with a header (RFC 4180). The library's own line numbers count a CRLF inside quotes twice, so
 * lines are counted from the offsets of bytes. A header without a column that could be an input is refused at once.
 */
export async function* csvRows(
  bytes: AsyncIterable<Uint8Array>,
  maxRowBytes: number,
  checkHeader: (columns: readonly string[]) => readonly Issue[],
): AsyncGenerator<readonly RawRow[]> {
  const lines = createLineCount();
  let columns: readonly string[] | undefined;
  let start = 0;
  for await (const { record, info } of records(bytes, lines, maxRowBytes)) {
    const line = lines.nextRecord(start);
    start = info.bytes;
    if (columns) yield [readCells(columns, record, line)];
    else columns = readHeader(record, line, checkHeader);
  }
}

async function* records(
  bytes: AsyncIterable<Uint8Array>,
  lines: LineCount,
  maxRowBytes: number,
): AsyncGenerator<CsvRecord> {
  const parser = csv().parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
    record_delimiter: ['\r\n', '\n'],
  });
  try {
    // What ends the pipeline is met by whoever reads it.
    yield* pipeline(counted(bytes, lines), parser, () => undefined) as AsyncIterable<CsvRecord>;
  } catch (error) {
    throw csvError(error, lines, maxRowBytes);
  }
}

async function* counted(bytes: AsyncIterable<Uint8Array>, lines: LineCount): AsyncGenerator<Buffer> {
  for await (const buffer of strictUtf8(bytes)) {
    for (let from = 0; from < buffer.length; from += CHUNK_BYTES) {
      const piece = buffer.subarray(from, from + CHUNK_BYTES);
      lines.add(piece);
      yield piece;
    }
  }
}

const MESSAGES: { readonly [code: string]: string } = {
  CSV_QUOTE_NOT_CLOSED: 'A quote that opens in this line is never closed.',
  CSV_INVALID_CLOSING_QUOTE:
    'Expected a comma or the end of the line after a closing quote. Write a quote inside quotes twice.',
  INVALID_OPENING_QUOTE:
    'A quote may only open a cell. Put the whole cell in quotes, and write quotes in it twice.',
};

/** The library's sentences quote the file. */
function csvError(error: unknown, lines: LineCount, maxRowBytes: number): unknown {
  if (isHostError(error)) return error;
  const { code = '', bytes } = error as { readonly code?: string; readonly bytes?: number };
  const message =
    code === 'CSV_MAX_RECORD_SIZE' ? `Expected a row of at most ${maxRowBytes} bytes.` : MESSAGES[code];
  if (message === undefined || bytes === undefined) return error;
  return validationError([{ pointer: '', message, line: lines.lineAt(bytes) }], { code: 'invalid_rows' });
}

function readHeader(
  header: readonly string[],
  line: number,
  check: (columns: readonly string[]) => readonly Issue[],
): readonly string[] {
  if (header.some((name) => name.includes('\r'))) {
    const message = 'Expected lines that end in LF or CRLF; here the header goes on after a CR alone.';
    throw validationError([{ pointer: '', message, line }], { code: 'invalid_rows' });
  }
  const columns = header.map((name) => name.trim());
  const issues = columns.flatMap((name, index): readonly Issue[] => {
    if (name === '') return [{ pointer: '', message: `Column ${index + 1} has no name.`, line }];
    return columns.indexOf(name) < index
      ? [{ pointer: '', message: `Column ${index + 1} has the name of an earlier one.`, line }]
      : [];
  });
  const all = [...issues, ...check(columns).map((issue) => ({ ...issue, line }))];
  if (all.length > 0) throw validationError(all, { code: 'invalid_rows' });
  return columns;
}

function readCells(columns: readonly string[], cells: readonly string[], line: number): RawRow {
  if (cells.length !== columns.length)
    return brokenRow(line, `Expected ${columns.length} cells, as in the header, got ${cells.length}.`);
  const read = cells.map((cell, index) => readCell(cell, child('', columns[index] ?? ''), line));
  const faults = read.flatMap((cell) => cell.faults);
  const locate = (issues: readonly Issue[]): readonly Issue[] => issues.map((issue) => ({ ...issue, line }));
  if (faults.length > 0) return { at: line, faults, locate };
  const present = read.flatMap(({ value }, index) => (value === undefined ? [] : [[columns[index], value]]));
  return { at: line, value: Object.fromEntries(present), faults, locate };
}

type Cell = { readonly value?: unknown; readonly faults: readonly Issue[] };

/** An empty cell is an absent member; one that opens like JSON is JSON. */
function readCell(cell: string, pointer: string, line: number): Cell {
  if (cell === '') return { faults: [] };
  if (!/^\s*[{[]/.test(cell)) return { value: cell, faults: [] };
  const source = readJson(cell);
  const { faults, issues } = inspect(source);
  const [wrong] = [...faults, ...issues];
  if (wrong === undefined) return { value: source.value, faults: [] };
  const message = `A cell that opens with "{" or "[" is read as JSON. ${wrong.message}`;
  return { faults: [{ pointer: `${pointer}${wrong.pointer}`, message, line }] };
}
