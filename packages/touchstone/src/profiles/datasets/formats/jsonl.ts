import { isUtf8 } from 'node:buffer';
import type { Issue } from '@touchstone/protocol';
import { readJsonText } from '../../../suites/index.js';
import { asBuffer, NOT_UTF8 } from './strict-utf8.js';

/** A row as the file has it, before its meaning is read. Pointers are relative to the row. */
export type RawRow = {
  /** The line, or the place in the list from 1 on. */
  readonly at: number;
  /** Absent when the text of the row could not be read. */
  readonly value?: unknown;
  /** Wrong with the text itself. */
  readonly issues: readonly Issue[];
  /** Adds lines and columns, as far as the format has them. */
  locate(issues: readonly Issue[]): readonly Issue[];
};

export const brokenRow = (line: number, message: string): RawRow => ({
  at: line,
  issues: [{ pointer: '', message, line }],
  locate: (issues) => issues,
});

/** The rows of a JSONL file, one a line. A broken line costs that line alone. */
export async function* jsonlRows(
  bytes: AsyncIterable<Uint8Array>,
  maxRowBytes: number,
): AsyncGenerator<readonly RawRow[]> {
  for await (const lines of byteLines(bytes, maxRowBytes)) {
    yield lines.flatMap((line) => readLine(line, maxRowBytes));
  }
}

function readLine({ line, bytes }: ByteLine, maxRowBytes: number): readonly RawRow[] {
  if (bytes === undefined) return [brokenRow(line, `Expected a line of at most ${maxRowBytes} bytes.`)];
  if (!isUtf8(bytes)) return [brokenRow(line, NOT_UTF8)];
  const written = bytes.toString('utf8');
  const text = line === 1 && written.startsWith('\uFEFF') ? written.slice(1) : written;
  return text.trim() === '' ? [] : [readRow(text, line)];
}

function readRow(text: string, line: number): RawRow {
  const { value, problem, locate } = readJsonText(text);
  const inLine = (issues?: readonly Issue[]): readonly Issue[] =>
    locate(issues).map((issue) => ({
      ...issue,
      message: issue.message.replace('the end of the file', 'the end of the line'),
      line,
    }));
  return problem
    ? { at: line, issues: inLine(), locate: (issues) => issues }
    : { at: line, value, issues: [], locate: inLine };
}

/** A line without its line break, which may be LF or CRLF. */
type ByteLine = {
  readonly line: number;
  /** Undefined when it is longer than the limit. */
  readonly bytes?: Buffer;
};

const LF = 0x0a;
const CR = 0x0d;

/**
 * Lines as they come, those of one chunk together. What is held is one chunk and the beginning of one line, however
 * long the file: a line beyond the limit is passed over, not collected.
 */
async function* byteLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<readonly ByteLine[]> {
  // The beginning of a line whose end has not come yet.
  let parts: Buffer[] = [];
  let length = 0;
  let line = 0;
  const endLine = (last: Buffer): ByteLine => {
    const isTooLong = length + last.length > maxBytes;
    const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    [parts, length] = [[], 0];
    line += 1;
    return isTooLong ? { line } : { line, bytes: bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes };
  };
  for await (const chunk of chunks) {
    const bytes = asBuffer(chunk);
    const lines: ByteLine[] = [];
    let from = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, from)) {
      lines.push(endLine(bytes.subarray(from, at)));
      from = at + 1;
    }
    length += bytes.length - from;
    // A copy: a chunk may be the source's own memory, which it fills again.
    if (length > maxBytes) parts = [];
    else if (from < bytes.length) parts.push(Buffer.from(bytes.subarray(from)));
    yield lines;
  }
  if (length > 0) yield [endLine(Buffer.alloc(0))];
}
