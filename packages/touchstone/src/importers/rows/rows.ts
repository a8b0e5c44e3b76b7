import { isObject, type Json, type JsonObject, typeName } from '@touchstone/protocol';
import {
  expectFor,
  isEmptyCell,
  ROW_EXPECTS,
  type RowExpect,
  rowCell,
  rowExpectation,
  rowTags,
} from '../../suites/index.js';
import { extensionOf, inside, placeIn, readRows, unreadable } from '../documents.js';
import type {
  ImportDraft,
  ImportedTest,
  Importer,
  ImportFormat,
  ImportOptions,
  ItemCollector,
  RecordedAnswer,
  Sample,
  SourceDocument,
  SourceFile,
} from '../imported.js';
import { wordOf } from '../nodes.js';
import { type Columns, columnsOf, metadataTags, structured, USUAL_NAMES, unusedColumns } from './columns.js';
import { deepevalCalls, deepevalTest, deepevalTools } from './deepeval.js';

/** What a tool that exports rows does differently. */
type Preset = {
  readonly names?: typeof USUAL_NAMES;
  readonly fits: (row: JsonObject) => boolean;
  /** Why a row is out of use. */
  readonly unused?: (row: JsonObject) => string | undefined;
  /** Rows of a shape that only this tool has. */
  readonly own?: (row: SourceDocument, items: ItemCollector) => ImportedTest | undefined;
  /** What else is expected. */
  readonly more?: (row: SourceDocument) => ImportedTest['expect'];
  /** Calls of a recorded answer. */
  readonly calls?: (row: SourceDocument) => readonly JsonObject[];
  /** Columns that `own`, `more` and `calls` read. */
  readonly reads?: readonly string[];
};

/** One file of rows at work. */
export type RowReading = {
  readonly columns: Columns;
  readonly isTable: boolean;
  readonly expect: ImportOptions['expect'];
  readonly items: ItemCollector;
  /** How many expected values became which check. */
  readonly tally: Map<string, number>;
};

const readWith =
  (preset: Preset): Importer =>
  ({ files, options, items }): ImportDraft => {
    checkExpect(options.expect, files[0]?.file ?? '');
    const tally = new Map<string, number>();
    const tests = files.flatMap((file) => readFile(file, preset, { options, items, tally }));
    const lines = [...tally].map(([check, count]) => `${check}: ${count}`);
    return {
      tests,
      suite: { thresholds: { passScore: 1 } },
      details: [{ heading: 'Expected values became', lines }],
    };
  };

/** `trajectory` is a word of traces. */
function checkExpect(expect: ImportOptions['expect'], file: string): void {
  if (expect === undefined || ROW_EXPECTS.includes(expect as RowExpect)) return;
  throw unreadable(file, `Expected --expect to be one of ${ROW_EXPECTS.join(', ')} for rows.`);
}

type FileReading = Pick<RowReading, 'items' | 'tally'> & { readonly options: ImportOptions };

function readFile(
  file: SourceFile,
  preset: Preset,
  { options, items, tally }: FileReading,
): readonly ImportedTest[] {
  const rows = readRows(file);
  const values = rows.map((row) => rowOf(row));
  const own = rows.map((row) => preset.own?.(row, items));
  const plain = values.filter((_, at) => own[at] === undefined);
  const columns = columnsOf(plain, preset.names ?? USUAL_NAMES, options.map);
  if (plain.length > 0) checkColumns(plain, columns, file.file);
  noteUnused(
    rows,
    unusedColumns(plain, columns).filter((name) => !preset.reads?.includes(name)),
    items,
  );
  const isTable = extensionOf(file) === '.csv';
  const reading: RowReading = { columns, isTable, expect: options.expect, items, tally };
  return rows.map((row, at) => own[at] ?? testOf(row, preset, reading));
}

function rowOf({ file, value, locate }: SourceDocument): JsonObject {
  if (isObject(value)) return value;
  throw unreadable(file, `Expected an object as the row, got ${typeName(value)}.`, locate([''])[0]);
}

const MOST_COLUMNS = 20;

/** Without these two nothing can be a test; a name that is mapped and missing is a typing error. */
function checkColumns(rows: readonly JsonObject[], columns: Columns, file: string): void {
  const known = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MOST_COLUMNS).join(', ');
  for (const role of ['input', 'expected'] as const)
    if (columns[role] === undefined)
      throw unreadable(
        file,
        `Expected a column that is the ${role}. Name it with --map ${role}=<column>. The rows have: ${known}.`,
      );
  for (const [role, name] of Object.entries(columns))
    if (rows.every((row) => rowCell(row, name) === undefined))
      throw unreadable(file, `--map ${role}=${name}: no row has that. The rows have: ${known}.`);
}

function noteUnused(
  [first]: readonly SourceDocument[],
  columns: readonly string[],
  items: ItemCollector,
): void {
  for (const name of columns) if (first) items.note(placeIn(first), `column "${name}": not carried over`);
}

function testOf(document: SourceDocument, preset: Preset, reading: RowReading): ImportedTest {
  const row = document.value as JsonObject;
  const { columns, isTable } = reading;
  const [input, id, tags, context, answer, metadata] = (
    ['input', 'id', 'tags', 'context', 'answer', 'metadata'] as const
  ).map((role) => structured(columns[role] === undefined ? undefined : rowCell(row, columns[role]), isTable));
  const at = placeIn(document);
  const unused = preset.unused?.(row);
  const words = [...(tags == null || tags === '' ? [] : rowTags(tags)), ...metadataTags(metadata)];
  return {
    at,
    ...(id != null && { id: wordOf(id) }),
    input: inputOf(input, columns, context),
    ...(unused === undefined ? expectationsOf(document, preset, reading) : { unused, expect: [], lost: 0 }),
    tags: [...new Set(words)],
    ...(answer != null && { answer: { output: answer, ...callsOf(document, preset) } }),
  };
}

function inputOf(input: Json | undefined, { input: column }: Columns, context: Json | undefined): Json {
  const asked = column === 'messages' ? { messages: input ?? [] } : (input ?? '');
  return context == null || context === '' ? asked : { input: asked, context };
}

function callsOf(document: SourceDocument, { calls }: Preset): Pick<RecordedAnswer, 'toolCalls'> {
  const toolCalls = calls?.(document) ?? [];
  return toolCalls.length > 0 ? { toolCalls } : {};
}

type Expectations = Pick<ImportedTest, 'expect' | 'lost'>;

function expectationsOf(document: SourceDocument, { more }: Preset, reading: RowReading): Expectations {
  const others = more?.(document) ?? [];
  const own = valueExpectation(document, reading);
  // Without any other expectation the row is left out, and the report says so.
  if (own.length === 0 && others.length > 0)
    reading.items.note(placeIn(document), 'expected value: empty, so nothing is expected of the answer');
  return { expect: [...own, ...others], lost: 0 };
}

function valueExpectation(document: SourceDocument, reading: RowReading): ImportedTest['expect'] {
  const { columns, isTable, expect, items } = reading;
  const name = columns.expected ?? '';
  const at = name.startsWith('/') ? placeIn(document, name) : inside(placeIn(document), name);
  const expected = structured(rowCell(document.value as JsonObject, name), isTable);
  if (expect === 'none') {
    items.changed(
      at,
      'expected value: left out with --expect none',
      'a check that the agent does not refuse',
    );
    return [{ at, entry: { 'not-refused': {} } }];
  }
  if (expected === undefined || isEmptyCell(expected)) return [];
  const kind = (expect ?? expectFor(expected)) as RowExpect;
  const [entry] = rowExpectation(expected, kind);
  if (!entry) return [];
  const check = Object.keys(entry)[0] ?? kind;
  reading.tally.set(check, (reading.tally.get(check) ?? 0) + 1);
  return [{ at, entry }];
}

const format = (preset: Preset): ImportFormat => ({
  read: readWith(preset),
  fits: ({ form, value }: Sample) => form === 'rows' && isObject(value) && preset.fits(value),
  options: ['map', 'expect'],
});

const has = (row: JsonObject, ...names: readonly string[]): boolean =>
  names.every((name) => Object.hasOwn(row, name));

/** Rows of any tool. */
export const ROWS = format({ fits: () => true });

export const LANGSMITH = format({
  names: { input: ['inputs'], expected: ['outputs'], id: ['id'], metadata: ['metadata'] },
  fits: (row) => has(row, 'inputs', 'outputs'),
});

export const BRAINTRUST = format({
  names: {
    input: ['input'],
    expected: ['expected'],
    id: ['id'],
    tags: ['tags'],
    metadata: ['metadata'],
    answer: ['output'],
  },
  fits: (row) => has(row, 'input', 'expected') && (has(row, 'metadata') || has(row, 'tags', 'id')),
});

export const LANGFUSE = format({
  names: { input: ['input'], expected: ['expectedOutput'], id: ['id'], metadata: ['metadata'] },
  fits: (row) => has(row, 'input', 'expectedOutput'),
  unused: ({ status }) => (status === 'ARCHIVED' ? 'it is archived' : undefined),
});

export const DEEPEVAL = format({
  fits: (row) => has(row, 'input', 'expected_output') || has(row, 'scenario', 'expected_outcome'),
  own: deepevalTest,
  more: deepevalTools,
  calls: deepevalCalls,
  reads: [
    'expected_tools',
    'tools_called',
    'scenario',
    'turns',
    'expected_outcome',
    'user_description',
    'name',
  ],
});
