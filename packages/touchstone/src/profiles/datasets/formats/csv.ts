import { createRequire } from 'node:module';
import { pipeline } from 'node:stream';
import { child, type Issue, isHostError, validationError } from '@touchstone/protocol';
import { readJsonText } from '../../../suites/index.js';
import { brokenRow, type RawRow } from './jsonl.js';
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
    // The reader of the pipeline meets its errors.
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
  const issues = read.flatMap((cell) => cell.issue ?? []);
  const locate = (found: readonly Issue[]): readonly Issue[] => found.map((issue) => ({ ...issue, line }));
  if (issues.length > 0) return { at: line, issues, locate };
  const present = read.flatMap(({ value }, index) => (value === undefined ? [] : [[columns[index], value]]));
  return { at: line, value: Object.fromEntries(present), issues, locate };
}

/** An empty cell is an absent member; one that opens like JSON is JSON. */
function readCell(
  cell: string,
  pointer: string,
  line: number,
): { readonly value?: unknown; readonly issue?: Issue } {
  if (cell === '') return {};
  if (!/^\s*[{[]/.test(cell)) return { value: cell };
  const { value, problem, locate } = readJsonText(cell);
  if (!problem) return { value };
  const [first = { pointer: '', message: '' }] = locate();
  const message = `A cell that opens with "{" or "[" is read as JSON. ${first.message}`;
  return { issue: { pointer: `${pointer}${first.pointer}`, message, line } };
}

type Csv = typeof import('csv-parse');

const require = createRequire(import.meta.url);
let library: Csv | undefined;

/** The CSV library, loaded with the first CSV file: most runs have none, and loading it is not free. */
function csv(): Csv {
  library ??= require('csv-parse') as Csv;
  return library;
}

const LF = 0x0a;
const CR = 0x0d;

/** Where the text of a line ends, and where the next line begins. */
type LineEnd = { readonly end: number; readonly next: number };

/** Finds lines by offset in a file that passes by, forgetting what lies behind the last record. */
type LineCount = {
  add(bytes: Uint8Array): void;
  /** The line of the next record, given where the one before it ended. Empty lines between them are passed. */
  nextRecord(offset: number): number;
  /** The line of an offset that no record has passed yet. */
  lineAt(offset: number): number;
};

function createLineCount(): LineCount {
  let ends: LineEnd[] = [];
  let first = 0;
  let passed = 0;
  let length = 0;
  let before = 0;

  const endsUpTo = (offset: number): number => {
    let at = first;
    while (at < ends.length && (ends[at] as LineEnd).next <= offset) at += 1;
    return at - first;
  };
  const pass = (count: number): void => {
    first += count;
    passed += count;
  };
  return {
    add(bytes) {
      ends = ends.slice(first);
      first = 0;
      for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
        const previous = at === 0 ? before : bytes[at - 1];
        ends.push({ end: length + at - (previous === CR ? 1 : 0), next: length + at + 1 });
      }
      length += bytes.length;
      before = bytes.at(-1) ?? before;
    },
    nextRecord(offset) {
      pass(endsUpTo(offset));
      for (let start = offset; ends[first]?.end === start; pass(1)) start = (ends[first] as LineEnd).next;
      return passed + 1;
    },
    lineAt: (offset) => passed + endsUpTo(offset) + 1,
  };
}
