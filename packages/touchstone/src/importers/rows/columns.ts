import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { rowCell } from '../../suites/index.js';

/** What a column of rows may be. */
export type ColumnRole = 'input' | 'expected' | 'id' | 'tags' | 'context' | 'answer' | 'metadata';
/** By which names rows call each, the most telling one first. */
export type ColumnNames = { readonly [role in ColumnRole]?: readonly string[] };
/** The column or pointer of each, as far as rows have it. */
export type Columns = { readonly [role in ColumnRole]?: string };

/** Names that rows use when nobody says otherwise. */
export const USUAL_NAMES: ColumnNames = {
  input: ['input', 'inputs', 'question', 'prompt', 'query', 'messages'],
  expected: [
    'expected',
    'target',
    'ideal',
    'expected_output',
    'expectedOutput',
    'outputs',
    '__expected',
    'reference',
    'answer',
    'output',
  ],
  id: ['id'],
  tags: ['tags'],
  context: ['context'],
  answer: ['output', 'actual_output', 'actualOutput'],
  metadata: ['metadata'],
};

/** Which columns are what. A column is one thing: what is expected is no recorded answer as well. */
export function columnsOf(
  rows: readonly JsonObject[],
  names: ColumnNames,
  map: Columns | undefined,
): Columns {
  const has = (name: string): boolean => rows.some((row) => rowCell(row, name) !== undefined);
  const taken = new Set<string>(Object.values(map ?? {}));
  const columns: { [role in ColumnRole]?: string } = { ...map };
  for (const [role, candidates] of Object.entries(names) as [ColumnRole, readonly string[]][]) {
    const name = columns[role] ?? candidates.find((one) => !taken.has(one) && has(one));
    if (name === undefined) continue;
    columns[role] = name;
    taken.add(name);
  }
  return columns;
}

/** Columns of rows that nothing is made of. */
export function unusedColumns(rows: readonly JsonObject[], columns: Columns): readonly string[] {
  const used = new Set(
    Object.values(columns).map((name) => (name.startsWith('/') ? name.split('/')[1] : name)),
  );
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !used.has(name));
}

/** A cell of a table holds an object or a list as its JSON. */
export function structured(value: Json | undefined, isTable: boolean): Json | undefined {
  if (!isTable || typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

/** Texts among the members of metadata choose tasks with `--tag`. */
export const metadataTags = (metadata: Json | undefined): readonly string[] =>
  isObject(metadata)
    ? Object.values(metadata).filter((value): value is string => typeof value === 'string' && value !== '')
    : [];
