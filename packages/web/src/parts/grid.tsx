import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { keepRow, showRow } from '../row-in-sight.js';
import { rowHeight as usualHeight } from './appearance.js';
import { useColumnDrag } from './columns/use-column-drag.js';
import { type KeyMap, useKeys } from './keys.js';

/** One column: its head, and what a row has in it. */
export type Column<Row> = {
  readonly id: string;
  /** Tells columns apart that look alike; the id when absent. */
  readonly key?: string;
  readonly name: string;
  /** What its head says on top of its name. */
  readonly title?: string;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** The name that the host sorts by; absent when it cannot. */
  readonly order?: string;
  /** A list without it would be of no use, so it cannot be hidden. */
  readonly isKept?: true;
  readonly cell: (row: Row) => ComponentChildren;
};

type GridProps<Row> = {
  readonly label: string;
  /** Its class is `grid-<name>`: two grids may have columns of the same name, and drop them at different widths. */
  readonly name: string;
  /** What the ids of its rows begin with, where a page has two grids. */
  readonly rowId?: string;
  readonly count: number;
  /** Of every row, in pixels; as people have set it when absent. */
  readonly rowHeight?: number;
  readonly columns: readonly Column<Row>[];
  /** Undefined while it is on its way. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Tells which rows are in sight, so that they can be read. */
  readonly onSight?: (from: number, to: number) => void;
  readonly active: number;
  readonly onMove: (index: number) => void;
  readonly onOpen: (index: number, inPage: boolean) => void;
  readonly rowProps: (row: Row) => { readonly [name: `data-${string}`]: string | number | undefined };
  readonly order?: string;
  readonly onOrder?: (order: string) => void;
  /** Puts a column where another one is; absent where columns stay. Both are named by their keys. */
  readonly onMoveColumn?: (key: string, to: string) => void;
};

const MARGIN = 6;
/** Browsers cannot make an element higher than some 17 million pixels. */
const MAX_HEIGHT = 12_800_000;

/**
 * A table of any length. Only the rows in sight are in the document; the row that is active always is, so that a screen reader
 * can find it. It is no <table>, because rows that are not there would have to be; the grid has the focus and the keys.
 */
export function Grid<Row>(props: GridProps<Row>) {
  const { label, name, rowId = 'row', count, columns, active, rowHeight = usualHeight() } = props;
  const box = useRef<HTMLDivElement>(null);
  // About what a screen has room for, until the box has its size.
  const [range, setRange] = useState({ from: 0, to: Math.ceil(innerHeight / rowHeight) });
  const height = Math.min(count * rowHeight, MAX_HEIGHT);
  const scale = count === 0 ? rowHeight : height / count;

  const look = (): void => {
    const view = box.current;
    if (!view) return;
    const from = Math.max(0, Math.floor(view.scrollTop / scale) - MARGIN);
    const to = Math.min(count, from + Math.ceil(view.clientHeight / rowHeight) + 2 * MARGIN);
    setRange((old) => (isEnough(old, from, to) ? old : { from, to }));
  };
  const place = { index: active, scale, rowHeight };
  const latest = useRef({ look, place });
  latest.current = { look, place };
  useLayoutEffect(look, [count, rowHeight]);
  useEffect(() => {
    const view = box.current;
    if (!view) return undefined;
    let heightBefore = view.clientHeight;
    const watcher = new ResizeObserver(() => {
      keepRow(view, latest.current.place, heightBefore);
      heightBefore = view.clientHeight;
      latest.current.look();
    });
    watcher.observe(view);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => props.onSight?.(range.from, range.to), [range, count]);
  useEffect(() => showRow(box.current, place), [active, rowHeight]);
  useKeys(
    'list',
    keysOf(props, () => Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 2),
    box,
  );

  const to = Math.min(range.to, count);
  const indexes = Array.from({ length: Math.max(0, to - range.from) }, (_, at) => range.from + at);
  if (active >= 0 && active < count && !indexes.includes(active)) {
    if (active < range.from) indexes.unshift(active);
    else indexes.push(active);
  }
  return (
    <div
      class={`grid grid-${name}`}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={active >= 0 && active < count ? `${rowId}-${active}` : undefined}
      tabIndex={0}
      ref={box}
      onScroll={look}
    >
      <Head {...props} />
      <div class="grid-rows" role="rowgroup" style={{ height: `${height}px` }}>
        {indexes.map((index) => (
          <GridRow key={index} {...props} index={index} top={index * scale} />
        ))}
      </div>
    </div>
  );
}

type Range = { readonly from: number; readonly to: number };

/** A few rows more than needed are not worth drawing all of them again. */
const isEnough = (old: Range, from: number, to: number): boolean =>
  old.from === from && old.to >= to && old.to <= to + MARGIN;

function Head<Row>({ columns, order = '', onOrder, onMoveColumn }: GridProps<Row>) {
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

type RowProps<Row> = GridProps<Row> & { readonly index: number; readonly top: number };

/** Drawn again only when something of it has changed: scrolling moves all rows and changes few. */
function GridRow<Row>(props: RowProps<Row>) {
  const { index, top, active, columns } = props;
  const row = props.rowAt(index);
  const latest = useRef(props);
  latest.current = props;
  return useMemo(() => drawRow(latest, row), [index, top, index === active, columns, row]);
}

function drawRow<Row>(latest: { readonly current: RowProps<Row> }, row: Row | undefined) {
  const { rowId = 'row', index, top, active, columns, rowProps } = latest.current;
  const open = (event: MouseEvent): void => {
    const isControl = (event.target as Element).closest('input, button') !== null;
    if (isControl || event.shiftKey) return;
    if (event.ctrlKey || event.metaKey) {
      openTab(event);
      return;
    }
    event.preventDefault();
    latest.current.onMove(index);
    latest.current.onOpen(index, false);
  };
  return (
    <div
      class={`grid-row${index === active ? ' active' : ''}${row === undefined ? ' waiting' : ''}`}
      role="row"
      id={`${rowId}-${index}`}
      aria-rowindex={index + 2}
      aria-selected={index === active}
      style={{ transform: `translateY(${top}px)` }}
      onClick={open}
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

/** A row is as good as the link in it. On the link itself the browser does it. */
function openTab(event: MouseEvent): void {
  const link = (event.currentTarget as Element).querySelector<HTMLAnchorElement>('a[href]');
  if (link && !link.contains(event.target as Node)) window.open(link.href, '_blank', 'noopener');
}

/** They work while the grid has the focus, so that two grids on a page do not move together. */
function keysOf<Row>({ active, count, onMove, onOpen }: GridProps<Row>, page: () => number): KeyMap<'list'> {
  const by = (step: () => number) => () => onMove(Math.max(0, Math.min(count - 1, active + step())));
  const [down, up] = [by(() => 1), by(() => -1)];
  const open = (inPage: boolean) => (active < 0 ? undefined : () => onOpen(active, inPage));
  return {
    j: down,
    ArrowDown: down,
    k: up,
    ArrowUp: up,
    PageDown: by(page),
    PageUp: by(() => -page()),
    Home: by(() => -count),
    End: by(() => count),
    Enter: open(false),
    'Ctrl+Enter': open(true),
  };
}
