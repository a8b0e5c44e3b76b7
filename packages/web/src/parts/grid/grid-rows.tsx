import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { Column } from './column.js';
import type { RowSpace } from './scrolling.js';
import { heightOf } from './scrolling.js';

export type RowsProps<Row> = RowSpace & {
  /** What the ids of rows begin with, where a page has two grids. */
  readonly rowId?: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while it is on its way. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly active: number;
  readonly onMove: (index: number) => void;
  readonly onOpen: (index: number, inPage: boolean) => void;
  readonly rowProps: (row: Row) => { readonly [name: `data-${string}`]: string | number | undefined };
};

/** The rows in sight, and where the first of all rows would be. */
export type RowRange = { readonly from: number; readonly to: number; readonly top: number };

type DrawnRow<Row> = {
  readonly facts: readonly [row: Row | undefined, columns: unknown, top: number, isActive: boolean];
  readonly element: VNode;
};

/** The rows in sight, and the active one, so that a screen reader can find it. */
export function GridRows<Row>(props: RowsProps<Row> & { readonly range: RowRange }) {
  const { range, rowHeight, columns, active, rowAt } = props;
  const room = heightOf(props);
  const latest = useRef<RowsProps<Row>>(props);
  latest.current = props;
  // Scrolling moves all rows and changes few: a row that is the same as before is given again, and not compared.
  const before = useRef<ReadonlyMap<number, DrawnRow<Row>>>(new Map());
  const drawn = new Map<number, DrawnRow<Row>>();
  for (const index of indexesOf(props, range)) {
    const top = topOf(index, range, { rowHeight, room });
    const facts = [rowAt(index), columns, top, index === active] as const;
    const old = before.current.get(index);
    const isSame = old?.facts.every((fact, at) => fact === facts[at]);
    drawn.set(index, old && isSame ? old : { facts, element: drawRow(latest, index, top) });
  }
  before.current = drawn;
  return (
    <div class="grid-rows" role="rowgroup" style={{ height: `${room}px` }}>
      {[...drawn.values()].map(({ element }) => element)}
    </div>
  );
}

/** The active row, when it is far away, is put at the end that it is nearer to: a row far outside would make the box longer. */
function topOf(
  index: number,
  { from, to, top }: RowRange,
  { rowHeight, room }: { readonly rowHeight: number; readonly room: number },
): number {
  const place = top + index * rowHeight;
  const isInSight = index >= from && index < to;
  return isInSight ? place : Math.max(0, Math.min(room - rowHeight, place));
}

function indexesOf<Row>({ count, active }: RowsProps<Row>, { from, to }: RowRange): readonly number[] {
  const last = Math.min(to, count);
  const indexes = Array.from({ length: Math.max(0, last - from) }, (_, at) => from + at);
  if (active < 0 || active >= count || indexes.includes(active)) return indexes;
  return active < from ? [active, ...indexes] : [...indexes, active];
}

function drawRow<Row>(latest: { readonly current: RowsProps<Row> }, index: number, top: number): VNode {
  const { rowId = 'row', active, columns, rowAt, rowProps } = latest.current;
  const row = rowAt(index);
  return (
    <div
      key={index}
      class={`grid-row${index === active ? ' active' : ''}${row === undefined ? ' waiting' : ''}`}
      role="row"
      id={`${rowId}-${index}`}
      aria-rowindex={index + 2}
      aria-selected={index === active}
      style={{ top: `${top}px` }}
      onClick={(event) => open(latest.current, index, event)}
      {...(row !== undefined && rowProps(row))}
    >
      {columns.map(({ id, key = id, isNumber, cell }) => (
        <span key={key} role="gridcell" class={`cell-${id}${isNumber ? ' number' : ''}`}>
          {row === undefined ? '' : cell(row)}
        </span>
      ))}
    </div>
  );
}

function open<Row>({ onMove, onOpen }: RowsProps<Row>, index: number, event: MouseEvent): void {
  const isControl = (event.target as Element).closest('input, button') !== null;
  if (isControl || event.shiftKey) return;
  if (event.ctrlKey || event.metaKey) {
    openTab(event);
    return;
  }
  event.preventDefault();
  onMove(index);
  onOpen(index, false);
}

/** A row is as good as the link in it. On the link itself the browser does it. */
function openTab(event: MouseEvent): void {
  const link = (event.currentTarget as Element).querySelector<HTMLAnchorElement>('a[href]');
  if (link && !link.contains(event.target as Node)) window.open(link.href, '_blank', 'noopener');
}
