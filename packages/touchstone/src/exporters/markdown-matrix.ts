import {
  againstFirst,
  differingTasks,
  duration,
  type Matrix,
  type MatrixVariant,
  plural,
  range,
  score,
  usd,
  whole,
} from '@touchstone/sdk/view';
import { cell, code, markerOf, table } from './markdown-report.js';

const ROWS = 50;
const SYMBOLS = { worse: '❌', better: '✅', unclear: '⚠️', same: '➖' };

/** Runs of one suite side by side: what each came to, the tests, and the tasks that differ. */
export function matrixSection(matrix: Matrix): string {
  const parts = [
    `${markerOf(matrix.suite)}\n### Side by side: ${cell(matrix.suite)}`,
    variantTable(matrix),
    testList(matrix),
    taskTable(matrix),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function variantTable({ variants }: Matrix): string {
  const row = ({ name, score: value, interval, passed, p50Ms, costUsd, runId }: MatrixVariant): string[] => [
    cell(name),
    value === undefined ? '–' : `${score(value)}${interval ? ` (95 %: ${range(interval)})` : ''}`,
    passed === undefined ? '–' : passed ? '✅' : '❌',
    p50Ms === undefined ? '–' : duration(p50Ms),
    costUsd === undefined ? '–' : usd(costUsd),
    runId === undefined ? 'not run' : code(runId),
  ];
  return table(['variant', 'score', 'bars met', 'p50', 'cost', 'run'], variants.map(row));
}

const testList = ({ variants: [first, ...others] }: Matrix): string =>
  others
    .map((variant) => {
      const { trend, words } = againstFirst(variant);
      return `- ${SYMBOLS[trend]} ${cell(variant.name)} against ${cell(first?.name ?? '')}: ${cell(words)}`;
    })
    .join('\n');

function taskTable(matrix: Matrix): string {
  const differing = differingTasks(matrix);
  const rows = differing
    .slice(0, ROWS)
    .map(({ taskId, scores }) => [
      code(taskId),
      ...scores.map((value) => (value === null ? '–' : score(value))),
    ]);
  const more = differing.length > ROWS ? [`… and ${whole(differing.length - ROWS)} more that differ.`] : [];
  const same = matrix.tasks.length - differing.length;
  return [
    table(['task', ...matrix.variants.map(({ name }) => cell(name))], rows),
    ...more,
    ...(same > 0 ? [`${plural(same, 'task')} scored the same by all.`] : []),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
