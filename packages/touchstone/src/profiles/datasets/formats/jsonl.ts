import { isUtf8 } from 'node:buffer';
import type { Issue } from '@touchstone/protocol';
import type { Fault, Source } from '../../../suites/index.js';
import { keysIfSound, readJson, soundnessIssues, withPositions } from '../../../suites/index.js';
import { type ByteLine, byteLines } from './byte-lines.js';
import { brokenRow, NOT_UTF8, type RawRow } from './raw-row.js';

/** The rows of a JSONL file, one a line. A broken line costs that line: the others are read all the same. */
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
  const source = readJson(text);
  const locate = (issues: readonly Issue[], faults: readonly Fault[] = []): readonly Issue[] =>
    withPositions(text, source, faults, issues).map((issue) => ({
      ...issue,
      message: issue.message.replace('the end of the file', 'the end of the line'),
      line,
    }));
  const { faults, issues } = inspect(source);
  if (faults.length === 0 && issues.length === 0)
    return { at: line, value: source.value, faults: [], locate: (found) => locate(found) };
  return { at: line, faults: locate(issues, faults), locate: (found) => found };
}

export type TextTroubles = { readonly faults: readonly Fault[]; readonly issues: readonly Issue[] };

/** What is wrong with JSON before anybody asks what it means: its syntax, repeated names, values nobody can exchange. */
export function inspect(source: Source): TextTroubles {
  if (source.faults.length > 0) return { faults: source.faults, issues: [] };
  const keys = keysIfSound(source.value);
  return keys === undefined
    ? { faults: [], issues: soundnessIssues(source.value) }
    : { faults: source.repeatedKeys(keys), issues: [] };
}
