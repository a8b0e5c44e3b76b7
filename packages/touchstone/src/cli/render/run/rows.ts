import { duration, score, type TaskRow, usd } from '@touchstone/sdk/view';
import { renderTable } from '../table.js';
import { type Ink, type Look, printable, truncateMiddle } from '../text.js';

const NAME_WIDTH = 50;

/** Every task of a run, one line for each repeat, in the order of the suite. */
export function renderRows(rows: readonly TaskRow[], { ink }: Look): string {
  const repeated = rows.some(({ repeat }) => repeat > 0);
  const priced = rows.some(({ costUsd }) => costUsd !== undefined);
  const heads = [
    '',
    'task',
    ...(repeated ? ['repeat'] : []),
    'score',
    'time',
    ...(priced ? ['cost'] : []),
    '',
  ];
  const cells = rows.map((row) => [
    markOf(row, ink),
    truncateMiddle(printable(row.taskId), NAME_WIDTH),
    ...(repeated ? [String(row.repeat)] : []),
    row.unscored ? '–' : score(row.score),
    row.latencyMs === undefined ? '–' : duration(row.latencyMs),
    ...(priced ? [row.costUsd === undefined ? '–' : usd(row.costUsd)] : []),
    ink.dim(remarksOf(row)),
  ]);
  return `\n${renderTable(heads, cells, ink).trimEnd()}\n`;
}

const markOf = ({ passed, unscored }: TaskRow, ink: Ink): string =>
  unscored ? ink.yellow('?') : passed ? ink.green('✓') : ink.red('✗');

/** Names of what went wrong; never content. */
const remarksOf = ({ unscored, outcome, findings, criteria }: TaskRow): string =>
  [
    unscored ?? (outcome === 'completed' ? '' : outcome),
    ...criteria.flatMap(({ check }) => check ?? []),
    ...findings.map(({ kind, severity }) => `${kind} (${severity})`),
  ]
    .filter((word) => word !== '')
    .join(', ');
