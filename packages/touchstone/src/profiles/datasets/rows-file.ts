import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, resolve } from 'node:path';
import { isObject, type JsonObject, parseJson, typeName } from '@touchstone/protocol';
import type { ReadRows } from '../../suites/index.js';

const require = createRequire(import.meta.url);

/** Reads the rows that a suite file names, from a path that is relative to it. A message names the file and the row, never its content. */
export const rowsBeside =
  (suiteFile: string): ReadRows =>
  (file) => {
    const text = readText(resolve(dirname(suiteFile), file), file);
    const read = READERS[extname(file).toLowerCase()];
    if (!read) throw new Error(`Expected a .csv, .json or .jsonl file, got ${file}.`);
    return read(text, file);
  };

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

type Reader = (text: string, file: string) => readonly JsonObject[];

const readJson: Reader = (text, file) => {
  const value = parseJson(text);
  if (value === undefined) throw new Error(`${file} is not JSON.`);
  if (!Array.isArray(value)) throw new Error(`${file} holds ${typeName(value)}. Expected a list of rows.`);
  return value.map((row, at) => asRow(row, `row ${at + 1} of ${file}`));
};

const readJsonLines: Reader = (text, file) =>
  text
    .split('\n')
    .map((line, at) => ({ line: line.trim(), at }))
    .filter(({ line }) => line !== '')
    .map(({ line, at }) => asRow(parseJson(line), `${file}:${at + 1}`));

const readCsv: Reader = (text, file) => {
  const { parse } = require('csv-parse/sync') as typeof import('csv-parse/sync');
  try {
    return parse(text, { columns: true, skip_empty_lines: true }) as readonly JsonObject[];
  } catch (error) {
    const { lines, code } = error as { readonly lines?: number; readonly code?: string };
    throw new Error(`${file}${lines === undefined ? '' : `:${lines}`} is not CSV (${code ?? 'unknown'}).`);
  }
};

const READERS: { readonly [extension: string]: Reader } = {
  '.json': readJson,
  '.jsonl': readJsonLines,
  '.ndjson': readJsonLines,
  '.csv': readCsv,
};

function asRow(value: unknown, place: string): JsonObject {
  if (isObject(value)) return value as JsonObject;
  throw new Error(`${place}: expected an object, got ${typeName(value)}.`);
}
