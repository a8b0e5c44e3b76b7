import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { child, isObject, type Json, type JsonObject, validationError } from '@touchstone/protocol';
import { readFileText, readJsonText, type TextReading, utf8 } from '../suites/index.js';
import type { Position, SourceDocument, SourceFile, SourcePointer } from './imported.js';

const require = createRequire(import.meta.url);

export const extensionOf = ({ path }: SourceFile): string => extname(path).toLowerCase();

export function textOf({ file, bytes }: SourceFile): string {
  const text = utf8(bytes);
  if (text === undefined) throw unreadable(file, 'Expected text in UTF-8.');
  return text;
}

/** The error of a file that cannot be imported at all. */
export const unreadable = (file: string, message: string, position?: Position): Error =>
  validationError([{ pointer: '', message, ...position }], { file });

export const placeIn = (document: SourceDocument, pointer = ''): SourcePointer => ({ document, pointer });
export const inside = ({ document, pointer }: SourcePointer, key: string | number): SourcePointer => ({
  document,
  pointer: child(pointer, key),
});

/** The objects of a list; none when it is no list. */
export const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).flatMap((one) => (isObject(one) ? [one] : [])) : [];

/** A JSON or YAML file as one value. */
export function readDocument(source: SourceFile): SourceDocument {
  const isJson = extensionOf(source) === '.json';
  return documentOf(
    source.file,
    readFileText(textOf(source), { format: isJson ? 'json' : 'yaml', mergeKeys: true }),
  );
}

function documentOf(file: string, reading: TextReading, linesBefore = 0): SourceDocument {
  if (reading.problem === 'syntax' || reading.problem === 'unsound')
    throw validationError(
      reading.locate().map((issue) => ({ ...issue, line: (issue.line ?? 1) + linesBefore })),
      { file },
    );
  const locate = (pointers: readonly string[]) => positionsOf(reading, pointers, linesBefore);
  return { file, value: reading.value as Json, locate };
}

/** `locate` of the text sorts by place, so each pointer is found again by its number. */
function positionsOf(
  reading: TextReading,
  pointers: readonly string[],
  linesBefore: number,
): readonly Position[] {
  const positions: Position[] = [];
  const issues = pointers.map((pointer, index) => ({ pointer, message: String(index) }));
  for (const { message, line = 1, column = 1 } of reading.locate(issues))
    if (/^\d+$/.test(message)) positions[Number(message)] = { line: line + linesBefore, column };
  return positions;
}

/** The rows of a `.jsonl`, `.csv` or `.json` file, each with its own places. */
export function readRows(source: SourceFile): readonly SourceDocument[] {
  const extension = extensionOf(source);
  if (extension === '.csv') return readTable(source);
  if (extension === '.jsonl' || extension === '.ndjson') return readLines(source);
  return rowsIn(readDocument(source));
}

function rowsIn(document: SourceDocument): readonly SourceDocument[] {
  return Array.isArray(document.value)
    ? (document.value as readonly Json[]).map((value, at) => itemOf(document, value, child('', at)))
    : [document];
}

/** An item of a document as a document of its own. */
export const itemOf = (document: SourceDocument, value: Json, pointer: string): SourceDocument => ({
  file: document.file,
  value,
  within: { document, pointer },
  locate: (pointers) => document.locate(pointers.map((one) => `${pointer}${one}`)),
});

/** One value a line. A file under this name that holds one value over several lines is read as that. */
function readLines(source: SourceFile): readonly SourceDocument[] {
  const text = textOf(source);
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const first = lines.find((line) => line.trim() !== '');
  if (first !== undefined && readJsonText(first).problem === 'syntax') {
    const whole = readJsonText(text);
    if (whole.problem !== 'syntax') return rowsIn(documentOf(source.file, whole));
  }
  return lines.flatMap((line, at) =>
    line.trim() === '' ? [] : [documentOf(source.file, readJsonText(line), at)],
  );
}

/** A row as an object by the names of its columns. */
function readTable(source: SourceFile): readonly SourceDocument[] {
  const { parse } = require('csv-parse/sync') as typeof import('csv-parse/sync');
  const text = textOf(source);
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true } as const;
    const [head, ...rows] = parse(text, options) as unknown as readonly TableRow[];
    return head
      ? rows.map((row, at) => rowOf(source.file, head, row, (at === 0 ? head : rows[at - 1]) as TableRow))
      : [];
  } catch (error) {
    const { lines, code } = error as { readonly lines?: number; readonly code?: string };
    if (code === undefined) throw error;
    throw unreadable(source.file, `Expected CSV (${code}).`, { line: lines ?? 1, column: 1 });
  }
}

/** `lines` is how many lines were read when the row ended. */
type TableRow = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

function rowOf(file: string, head: TableRow, { record }: TableRow, before: TableRow): SourceDocument {
  const names = head.record.map((name) => name.trim());
  const value: JsonObject = Object.fromEntries(
    record.map((cell, at) => [names[at] ?? `column-${at + 1}`, cell]),
  );
  const position = { line: before.info.lines + 1, column: 1 };
  return { file, value, locate: (pointers) => pointers.map(() => position) };
}
