import { isObject, type Json, type JsonObject, pointerOf } from '@touchstone/protocol';
import { inside, itemOf, placeIn, readDocument, readRows } from '../documents.js';
import type { ImportRequest, SourceDocument, SourceFile, SourcePointer } from '../imported.js';
import { testOfRow } from './csv-tests.js';

/** A test as it stands in a file. */
export type PlacedTest = { readonly at: SourcePointer; readonly value: JsonObject };

type Reading = Pick<ImportRequest, 'items' | 'open'> & { readonly from: SourceFile };

/** The tests that a member stands for: a list, the name of a file, or a list of both. */
export function readTests(
  value: Json | undefined,
  at: SourcePointer,
  reading: Reading,
): readonly PlacedTest[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return namedTests(value, at, reading);
  if (!Array.isArray(value)) return lose(at, 'tests that are neither a list nor a file', reading);
  return (value as readonly Json[]).flatMap((test, index) => {
    const there = inside(at, index);
    if (typeof test === 'string') return namedTests(test, there, reading);
    return isObject(test) && !('path' in test)
      ? [{ at: there, value: test }]
      : lose(there, 'tests that code makes', reading);
  });
}

function lose(at: SourcePointer, what: string, { items }: Pick<Reading, 'items'>): readonly PlacedTest[] {
  items.lost(at, what);
  return [];
}

const TEST_FILES = /\.(?:csv|jsonl|ndjson|json|ya?ml)$/i;

function namedTests(name: string, at: SourcePointer, reading: Reading): readonly PlacedTest[] {
  const path = name.replace(/^file:\/\//, '');
  if (/^\w+:\/\//.test(path)) return lose(at, 'tests that lie elsewhere: no network is used', reading);
  if (!TEST_FILES.test(path)) return lose(at, 'tests in a file of another kind', reading);
  const files = reading.open(path, reading.from);
  if (files.length === 0) return lose(at, 'tests in a file that is not there', reading);
  return files.flatMap((file) => testsIn(file, reading));
}

/** The tests of a file: rows of a table, lines, or a list. */
export function testsIn(file: SourceFile, reading: Pick<Reading, 'items'>): readonly PlacedTest[] {
  const isTable = /\.csv$/i.test(file.path);
  return documentsIn(file).flatMap((document) => {
    const { value } = document;
    if (!isObject(value)) return lose(placeIn(document), 'test that is no object', reading);
    return [{ at: placeIn(document), value: isTable ? testOfRow(value) : value }];
  });
}

function documentsIn(file: SourceFile): readonly SourceDocument[] {
  if (!/\.ya?ml$/i.test(file.path)) return readRows(file);
  const document = readDocument(file);
  return Array.isArray(document.value)
    ? (document.value as readonly Json[]).map((value, index) => itemOf(document, value, pointerOf([index])))
    : [document];
}
