import { useMemo, useState } from 'preact/hooks';
import type { Column } from '../grid/grid.js';
import {
  type Arrangement,
  inOrder,
  isUsual,
  keepArrangement,
  movedTo,
  readArrangement,
} from './arrangement.js';

/** The columns of a list as its reader has put them, and what can be changed about them. It survives a reload. */
export function useColumns<Row>(list: string, columns: readonly Column<Row>[]) {
  const [arrangement, set] = useState(() => readArrangement(list));
  const isHidden = ({ id, isKept }: Column<Row>): boolean => !isKept && arrangement.hidden.includes(id);
  const [all, shown] = useMemo(() => {
    const ordered = inOrder(columns, arrangement.order);
    return [ordered, ordered.filter((column) => !isHidden(column))];
  }, [columns, arrangement]);
  const ids = all.map(({ id }) => id);
  const change = (next: Partial<Arrangement>): void => {
    const changed = { ...arrangement, ...next };
    keepArrangement(list, changed);
    set(changed);
  };
  return {
    all,
    shown,
    isHidden,
    isUsual: isUsual(arrangement),
    toggle: ({ id }: Column<Row>) =>
      change({
        hidden: arrangement.hidden.includes(id)
          ? arrangement.hidden.filter((one) => one !== id)
          : [...arrangement.hidden, id],
      }),
    /** Puts a column one place further to the left or to the right. */
    step: ({ id }: Column<Row>, by: 1 | -1) => change({ order: movedTo(ids, id, ids.indexOf(id) + by) }),
    /** Puts a column where another one is. */
    move: (id: string, to: string) => change({ order: movedTo(ids, id, ids.indexOf(to)) }),
    reset: () => change({ order: [], hidden: [] }),
  };
}

export type Columns<Row> = ReturnType<typeof useColumns<Row>>;
