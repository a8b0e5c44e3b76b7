import type { TaskId } from '../model/ids.js';
import type { MATRIX_KEPT, MATRIX_ORDERS } from '../model/matrix.js';
import type { Matrix, MatrixCell } from '../wire/vendor/matrix.js';

/** One run of a matrix. */
export type MatrixColumn = {
  readonly taskIds: () => Iterable<TaskId>;
  /** Also of a task that the run does not have. */
  readonly cellOf: (taskId: TaskId) => MatrixCell;
};

/** Which tasks of a matrix, in which order. */
export type MatrixPart = {
  readonly only: (typeof MATRIX_KEPT)[number];
  readonly order: (typeof MATRIX_ORDERS)[number];
  readonly offset: number;
  readonly limit: number;
};

/** One page of tasks by runs, and how many there are in all. */
export function matrixRows(
  columns: readonly MatrixColumn[],
  { only, order, offset, limit }: MatrixPart,
): Pick<Matrix, 'matched' | 'items'> {
  const rows = rowsOf(columns).filter(KEPT[only]).sort(ORDERS[order]);
  return {
    matched: rows.length,
    items: rows.slice(offset, offset + limit).map(({ taskId, flips }) => ({
      taskId,
      cells: columns.map(({ cellOf }) => cellOf(taskId)),
      flips,
    })),
  };
}

/** What a row is kept and sorted by. Its cells are made when it is shown: there may be millions. */
type Row = {
  readonly taskId: TaskId;
  readonly flips: number;
  readonly differs: boolean;
  /** From the first run that scored it to the last one; negative is worse. */
  readonly change: number;
  /** The place of the newest run in which it failed; -1 when it never did. */
  readonly newestFailure: number;
};

/** In the order of the newest suite; tasks that only older ones have come after. */
function rowsOf(columns: readonly MatrixColumn[]): Row[] {
  const ids = new Set(columns.toReversed().flatMap(({ taskIds }) => [...taskIds()]));
  const rows: Row[] = [];
  for (const taskId of ids) {
    const row = rowOf(
      taskId,
      columns.map(({ cellOf }) => cellOf(taskId)),
    );
    if (row) rows.push(row);
  }
  return rows;
}

/** Undefined for a task that none of the runs selected. */
function rowOf(taskId: TaskId, cells: readonly MatrixCell[]): Row | undefined {
  if (cells.every(([, letter]) => letter === '-')) return undefined;
  const scored = cells.filter(([, letter]) => letter === 'p' || letter === 'f');
  const flips = scored.filter(([, letter], at) => at > 0 && letter !== scored[at - 1]?.[1]).length;
  return {
    taskId,
    flips,
    differs: cells.some((cell) => cell[0] !== cells[0]?.[0] || cell[1] !== cells[0]?.[1]),
    change: (scored.at(-1)?.[0] ?? 0) - (scored[0]?.[0] ?? 0),
    newestFailure: cells.findLastIndex(([, letter]) => letter === 'f'),
  };
}

const KEPT: { readonly [only in MatrixPart['only']]: (row: Row) => boolean } = {
  flips: ({ flips }) => flips > 0,
  differ: ({ differs }) => differs,
  all: () => true,
};

const ORDERS: { readonly [order in MatrixPart['order']]: (a: Row, b: Row) => number } = {
  change: (a, b) => a.change - b.change || b.flips - a.flips,
  flaky: (a, b) => b.flips - a.flips || b.newestFailure - a.newestFailure,
  newest: (a, b) => b.newestFailure - a.newestFailure || b.flips - a.flips,
};
