import type { Columns } from '../../parts/columns/use-columns.js';
import type { Column } from '../../parts/grid/grid.js';

const stay = (): void => undefined;

/** The columns of a file are the usual ones. */
export const useColumns = <Row>(_list: string, columns: readonly Column<Row>[]): Columns<Row> => ({
  all: [...columns],
  shown: columns as Column<Row>[],
  isHidden: () => false,
  isUsual: true,
  toggle: stay,
  step: stay,
  move: stay,
  reset: stay,
});
