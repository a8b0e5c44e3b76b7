import type { Json } from '@touchstone/protocol';
import type { RowCriterion, TaskRow } from '@touchstone/sdk/view';
import type { FileExporter } from './file-run.js';

type Cell = string | number | boolean | undefined;
type CsvColumn = readonly [name: string, cell: (row: TaskRow) => Cell];

/** The columns never change their order; new ones come last. */
const COLUMNS: readonly CsvColumn[] = [
  ['runId', (row) => row.runId],
  ['suite', (row) => row.suite],
  ['agent', (row) => row.agent],
  ['taskId', (row) => row.taskId],
  ['repeat', (row) => row.repeat],
  ['score', (row) => row.score],
  ['passed', (row) => row.passed],
  ['unscored', (row) => row.unscored],
  ['outcome', (row) => row.outcome],
  ['latencyMs', (row) => row.latencyMs],
  ['costUsd', (row) => row.costUsd],
  ['inputTokens', (row) => row.tokens?.input],
  ['outputTokens', (row) => row.tokens?.output],
  ['criteria', (row) => row.criteria.map(criterionCell).join('; ')],
  ['findings', (row) => row.findings.map(({ kind, severity }) => `${kind}:${severity}`).join('; ')],
  ['tags', (row) => row.tags.join('; ')],
  ['content', (row) => row.content],
  ['input', (row) => valueCell(row.input)],
  ['output', (row) => valueCell(row.output)],
  ['expected', (row) => valueCell(row.expected)],
  ['toolCalls', (row) => valueCell(row.toolCalls as Json | undefined)],
  ['reasons', (row) => row.reasons?.map(reasonCell).join('\n')],
];

const criterionCell = ({ id, met }: RowCriterion): string => `${id}=${met}`;

const reasonCell = ({ criterion, reason }: NonNullable<TaskRow['reasons']>[number]): string =>
  criterion === undefined ? reason : `${criterion}: ${reason}`;

/** A text, a number or a truth value is its own cell; anything else is JSON. */
const valueCell = (value: Json | undefined): Cell =>
  typeof value === 'object' ? JSON.stringify(value) : value;

/** RFC 4180, with a line of names first. */
export const renderCsv: FileExporter = (runs) =>
  [COLUMNS.map(([name]) => name), ...runs.flatMap(({ rows }) => rows).map(cellsOf)]
    .map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
    .join('');

const cellsOf = (row: TaskRow): readonly Cell[] => COLUMNS.map(([, cell]) => cell(row));

/** What makes a spreadsheet take a text for a formula, in its wide forms too. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function csvCell(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
