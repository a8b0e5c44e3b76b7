import type { TaskListing } from '../wire/vendor/tasks.js';

const COLUMNS = [
  'n',
  'taskId',
  'score',
  'passed',
  'unscored',
  'outcome',
  'latencyMs',
  'costUsd',
  'judgeUsd',
] as const;

/** Ids, numbers and names of reasons: nothing that would have to be quoted. */
const csvOf = (rows: readonly TaskListing[]): string =>
  [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((column) => row[column] ?? '').join(','))]
    .map((line) => `${line}\r\n`)
    .join('');

/** The forms in which a list of tasks is one text. */
export type LineType = 'text/csv' | 'application/x-ndjson';

/** A list of tasks with one line each. */
export const taskLines = (type: LineType, rows: readonly TaskListing[]): string =>
  type === 'text/csv' ? csvOf(rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
