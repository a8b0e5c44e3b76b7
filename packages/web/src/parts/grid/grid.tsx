import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rowHeight as usualHeight } from '../appearance.js';
import { type KeyMap, useKeys } from '../keys.js';
import type { Column } from './column.js';
import { GridHead } from './grid-head.js';
import { GridRows, type RowRange, type RowsProps } from './grid-rows.js';
import { keepRow, scrolledBy, showRow } from './scrolling.js';

export type { Column };

type GridProps<Row> = Omit<RowsProps<Row>, 'rowHeight'> & {
  readonly label: string;
  /** Its class is `grid-<name>`: two grids may have columns of the same name, and drop them at different widths. */
  readonly name: string;
  /** Of every row, in pixels; as people have set it when absent. */
  readonly rowHeight?: number;
  /** Tells which rows are in sight, so that they can be read. */
  readonly onSight?: (from: number, to: number) => void;
  readonly order?: string;
  readonly onOrder?: (order: string) => void;
  readonly onMoveColumn?: (key: string, to: string) => void;
};

const MARGIN = 6;

/**
 * A table of any length. Only the rows in sight are in the document. It is no <table>, because rows that are not there would have
 * to be; the grid has the focus and the keys.
 */
export function Grid<Row>(props: GridProps<Row>) {
  const { label, name, rowId = 'row', count, columns, active, rowHeight = usualHeight() } = props;
  const box = useRef<HTMLDivElement>(null);
  const [range, look] = useRange(box, { count, rowHeight, active });
  useEffect(() => props.onSight?.(range.from, range.to), [range, count]);
  useEffect(() => {
    if (box.current && active >= 0) showRow(box.current, { count, rowHeight }, active);
  }, [active, rowHeight]);
  useKeys(
    'list',
    keysOf(props, () => Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 2),
    box,
  );
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
      <GridHead {...props} />
      <GridRows {...props} rowHeight={rowHeight} range={range} />
    </div>
  );
}

type RangeFacts = { readonly count: number; readonly rowHeight: number; readonly active: number };

/** The rows in sight and a few more, looked up when the box is scrolled or gets another size. */
function useRange(box: { readonly current: HTMLElement | null }, facts: RangeFacts) {
  const { count, rowHeight } = facts;
  // About what a screen has room for, until the box has its size.
  const [range, setRange] = useState<RowRange>({ from: 0, to: Math.ceil(innerHeight / rowHeight), top: 0 });
  const look = (): void => {
    const view = box.current;
    if (!view) return;
    const { gone, top } = scrolledBy(facts, view);
    const from = Math.max(0, Math.floor(gone / rowHeight) - MARGIN);
    const to = Math.min(count, from + Math.ceil(view.clientHeight / rowHeight) + 2 * MARGIN);
    setRange((old) => (isEnough(old, { from, to, top }) ? old : { from, to, top }));
  };
  const latest = useRef({ look, facts });
  latest.current = { look, facts };
  useLayoutEffect(look, [count, rowHeight]);
  useEffect(() => {
    const view = box.current;
    if (!view) return undefined;
    let heightBefore = view.clientHeight;
    const watcher = new ResizeObserver(() => {
      keepRow(view, latest.current.facts, latest.current.facts.active, heightBefore);
      heightBefore = view.clientHeight;
      latest.current.look();
    });
    watcher.observe(view);
    return () => watcher.disconnect();
  }, []);
  return [range, look] as const;
}

/** A few rows more than needed are not worth drawing all of them again. */
const isEnough = (old: RowRange, { from, to, top }: RowRange): boolean =>
  old.from === from && old.to >= to && old.to <= to + MARGIN && old.top === top;

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
