import { useColumnDrag } from '../columns/use-column-drag.js';
import type { Column } from './column.js';

type HeadProps<Row> = {
  readonly columns: readonly Column<Row>[];
  readonly order?: string;
  readonly onOrder?: (order: string) => void;
  /** Puts a column where another one is; absent where columns stay. Both are named by their keys. */
  readonly onMoveColumn?: (key: string, to: string) => void;
};

/** The names of the columns; those that can be sorted by are buttons. */
export function GridHead<Row>({ columns, order = '', onOrder, onMoveColumn }: HeadProps<Row>) {
  const dragOf = useColumnDrag(onMoveColumn);
  const sorted = order.replace(/^-/, '');
  const direction = order.startsWith('-') ? 'descending' : 'ascending';
  const next = (name: string): string => (order === name ? `-${name}` : name);
  return (
    <div class="grid-head" role="rowgroup">
      <div class="grid-row" role="row" aria-rowindex={1}>
        {columns.map(({ id, key = id, name, title, isNumber, order: by }) => (
          <span
            key={key}
            title={title}
            role="columnheader"
            class={`cell-${id}${isNumber ? ' number' : ''}`}
            {...dragOf(key)}
            aria-sort={by === undefined ? undefined : by === sorted ? direction : 'none'}
          >
            {by === undefined || !onOrder ? (
              name
            ) : (
              <button type="button" class="sort" tabIndex={-1} onClick={() => onOrder(next(by))}>
                {name}
                {by === sorted && <span aria-hidden="true">{order.startsWith('-') ? ' ↓' : ' ↑'}</span>}
              </button>
            )}
          </span>
        ))}
      </div>
    </div>
  );
}
