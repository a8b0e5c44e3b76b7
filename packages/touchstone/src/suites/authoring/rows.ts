import { child, type Issue, isObject, type Json, type JsonObject, readPointer } from '@touchstone/protocol';
import { createTaskIds, taskSlug } from './task-ids.js';

/** Which column or pointer of a row is what. */
export type RowMap = { readonly [member in 'input' | 'expected' | 'id' | 'tags' | 'context']?: string };
/** What a row's expected value becomes; by its shape when absent. */
export const ROW_EXPECTS = ['exact', 'contains', 'json', 'judge', 'overlap', 'none'] as const;
export type RowExpect = (typeof ROW_EXPECTS)[number];
export type RowSource = { readonly file: string; readonly map: RowMap; readonly expect?: RowExpect };

/** A longer line is rather told in other words than repeated. */
const SHORT_ANSWER = 40;
const DEFAULT_OVERLAP = 0.75;

/** Names of columns that are shown. */
const MOST_COLUMNS = 20;

/**
 * What keeps rows from becoming tasks. A column that is mapped and that no row has would be an expectation lost without
 * a word, or an input that is the whole row.
 */
export function rowIssues(
  rows: readonly JsonObject[],
  { map, expect }: RowSource,
  hasDefaults: boolean,
): readonly Issue[] {
  if (rows.length === 0) return [{ pointer: '/rows/file', message: 'The file has no rows.' }];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MOST_COLUMNS);
  const known = `The rows have: ${columns.join(', ')}.`;
  const lost = Object.entries(map).flatMap(([member, name]) => {
    const misses = rows.map((row) => rowCell(row, name) === undefined);
    const at = misses.indexOf(true);
    if (member === 'input' ? at < 0 : misses.includes(false)) return [];
    const who = misses.includes(false) ? `Row ${at + 1} does not have` : 'No row has';
    return [{ pointer: child('/rows/map', member), message: `${who} "${name}". ${known}` }];
  });
  if (lost.length > 0 || hasDefaults) return lost;
  const name = map.expected ?? 'expected';
  const isEmpty = rows.map((row) => isEmptyCell(rowCell(row, name)));
  if (isEmpty.includes(false) && expect !== 'none') return emptyIssue(isEmpty, name);
  const message = `Nothing says what is expected of the answers: map "expected" to a column, or write "defaults.expect". ${known}`;
  return [{ pointer: '/rows', message }];
}

/** An empty cell says nothing of the answer: taken by its letter, only an empty answer would be right. */
export const isEmptyCell = (value: Json | undefined): boolean =>
  value == null || (typeof value === 'string' && value.trim() === '');

function emptyIssue(isEmpty: readonly boolean[], name: string): readonly Issue[] {
  const at = isEmpty.indexOf(true);
  if (at < 0) return [];
  const others = isEmpty.filter(Boolean).length - 1;
  const message = `Row ${at + 1} has nothing in "${name}"${others > 0 ? `, like ${others} more` : ''}. Fill it in, take the row out, or write "defaults.expect".`;
  return [{ pointer: '/rows/file', message }];
}

/** Tasks in the form an author writes them, one per row. */
export function tasksOf(rows: readonly JsonObject[], source: RowSource): readonly JsonObject[] {
  const ids = createTaskIds();
  return rows.map((row, index) => taskOf(row, index, source, ids));
}

function taskOf(
  row: JsonObject,
  index: number,
  { map, expect }: RowSource,
  ids: (id: string) => string,
): JsonObject {
  const [input, expected, id, tags, context] = (['input', 'expected', 'id', 'tags', 'context'] as const).map(
    (member) =>
      rowCell(row, map[member] ?? (member === 'input' || member === 'expected' ? member : undefined)),
  );
  const expectation =
    expected === undefined || isEmptyCell(expected)
      ? []
      : rowExpectation(expected, expect ?? expectFor(expected));
  return {
    taskId: ids(taskSlug(String(id ?? '')) || `t-${String(index + 1).padStart(4, '0')}`),
    input: context === undefined ? (input ?? restOf(row, map)) : { input: input ?? null, context },
    expect: expectation,
    ...(tags !== undefined && { tags: rowTags(tags) }),
  };
}

/** A row without a column for the input is the input itself, but for what the agent must not see. */
function restOf(row: JsonObject, { expected = 'expected', id, tags }: RowMap): JsonObject {
  const taken = [expected, id, tags].flatMap((name) => (name === undefined ? [] : [columnOf(row, name)]));
  return Object.fromEntries(Object.entries(row).filter(([name]) => !taken.includes(name)));
}

/** The column that a name or a pointer leads into. */
const columnOf = (row: JsonObject, name: string): string =>
  Object.hasOwn(row, name) ? name : (name.split('/')[1] ?? name).replaceAll('~1', '/').replaceAll('~0', '~');

/** A name of a column, or a pointer into the row. */
export function rowCell(row: JsonObject, name: string | undefined): Json | undefined {
  if (name === undefined) return undefined;
  if (Object.hasOwn(row, name)) return row[name];
  return name.startsWith('/') ? readPointer(row, name) : undefined;
}

/** What an expected value becomes when its author does not say. */
export function expectFor(expected: Json): RowExpect {
  if (typeof expected !== 'string') return 'json';
  return expected.length <= SHORT_ANSWER && !expected.includes('\n') ? 'exact' : 'judge';
}

/** The entry of `expect` for an expected value. */
export function rowExpectation(expected: Json, expect: RowExpect): readonly JsonObject[] {
  const text = typeof expected === 'string' ? expected : JSON.stringify(expected);
  if (expect === 'none') return [];
  if (expect === 'exact') return [{ equals: { value: expected } }];
  if (expect === 'contains') return [{ contains: { text } }];
  if (expect === 'overlap') return [{ overlap: { text, min: DEFAULT_OVERLAP } }];
  if (expect === 'json') return [{ 'json-subset': { value: escaped(expected) } }];
  return [{ judge: { reference: expected }, says: 'The answer says the same as the reference.' }];
}

/** A row's value is data: a member that looks like an operator stands for itself. */
const escaped = (value: Json): Json => (JSON.stringify(value).includes('"$') ? { $literal: value } : value);

/** Words of a cell: a list, or a text with commas. */
export const rowTags = (tags: Json): readonly string[] =>
  Array.isArray(tags)
    ? tags.map((tag: Json) => (typeof tag === 'object' ? JSON.stringify(tag) : String(tag)))
    : String(isObject(tags) ? JSON.stringify(tags) : tags).split(/\s*[,;]\s*/);
