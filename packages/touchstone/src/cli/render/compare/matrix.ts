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
  type VariantTrend,
} from '@touchstone/sdk/view';
import { blocks, noteLines, restLines } from '../layout.js';
import { renderTable } from '../table.js';
import { type Ink, type Look, printable, truncateMiddle } from '../text.js';

const ROWS_SHOWN = 50;
const TASK_WIDTH = 40;
const NAME_WIDTH = 24;

type MatrixLook = Look & {
  /** Every task, and not only those that the variants scored differently. */
  readonly all: boolean;
};

/** Runs of one suite side by side: a row for each task that differs, then what each variant came to. */
export function renderMatrix(matrix: Matrix, look: MatrixLook): string {
  const wanted = look.all ? matrix.tasks : differingTasks(matrix);
  const shown = look.all ? wanted : wanted.slice(0, ROWS_SHOWN);
  const heads = ['task', ...matrix.variants.map(({ name }) => truncateMiddle(printable(name), NAME_WIDTH))];
  const rows = [
    ...shown.map((task) => taskRow(task, look.ink)),
    ...(shown.length > 0 ? [heads.map(() => '')] : []),
    ...totalRows(matrix, look.ink),
  ];
  const parts = [
    [`  ${look.ink.bold('side by side')}  ${look.ink.dim(printable(matrix.suite))}`],
    renderTable(heads, rows, look.ink).trimEnd().split('\n'),
    [
      ...restLines(wanted.length - shown.length, look, ' tasks that differ: add --all'),
      ...sameLines(matrix, look),
    ],
    testLines(matrix, look),
  ];
  return `\n${blocks(parts)}\n`;
}

function taskRow({ taskId, scores }: Matrix['tasks'][number], ink: Ink): string[] {
  const best = Math.max(...scores.map((value) => value ?? 0));
  const cells = scores.map((value) =>
    value === null ? ink.yellow('–') : value < best ? ink.red(score(value)) : score(value),
  );
  return [truncateMiddle(printable(taskId), TASK_WIDTH), ...cells];
}

function totalRows({ variants }: Matrix, ink: Ink): string[][] {
  const row = (label: string, tell: (variant: MatrixVariant) => string | undefined): string[][] => {
    const cells = variants.map(tell);
    return cells.every((text) => text === undefined)
      ? []
      : [[ink.dim(label), ...cells.map((text) => text ?? ink.dim('–'))]];
  };
  return [
    ...row('score', ({ score: value }) => (value === undefined ? undefined : ink.bold(score(value)))),
    ...row('95 %', ({ interval }) => interval && range(interval)),
    ...row('p50', ({ p50Ms }) => (p50Ms === undefined ? undefined : duration(p50Ms))),
    ...row('cost', ({ costUsd }) => (costUsd === undefined ? undefined : usd(costUsd))),
  ];
}

function sameLines(matrix: Matrix, { ink, all }: MatrixLook): string[] {
  const same = matrix.tasks.length - differingTasks(matrix).length;
  if (all || same === 0) return [];
  return [`  ${ink.dim(`${plural(same, 'task')} scored the same by all: add --all to see them`)}`];
}

const PAINTS = { worse: 'red', better: 'green', unclear: 'yellow', same: 'dim' } as const satisfies {
  readonly [trend in VariantTrend]: keyof Ink;
};

/** The paired test of each against the first, a line each. */
function testLines({ variants: [first, ...others] }: Matrix, look: MatrixLook): string[] {
  if (!first) return [];
  return others.flatMap((variant) => {
    const { trend, words } = againstFirst(variant);
    return noteLines([`${variant.name} against ${first.name}: ${words}`], look, look.ink[PAINTS[trend]]);
  });
}
