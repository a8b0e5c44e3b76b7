import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { betweenColours, displayWidth, type Ink, printable, truncate, truncateMiddle } from './text.js';

export type Column = {
  readonly head: string;
  readonly cells: readonly string[];
  /** Left out when there is no room, the lowest number first; without one it always stays. */
  readonly drop?: number;
  /** May be cut down to so many characters; its cells are plain text. */
  readonly least?: number;
  /** Its cells are names, which are cut in the middle: both ends tell something. */
  readonly named?: boolean;
};

const INDENT = 2;
const GAP = 2;

const widthOf = ({ head, cells }: Column): number =>
  Math.max(...[head, ...cells].map((text) => displayWidth(stripVTControlCharacters(text))));

const leastOf = (column: Column): number =>
  Math.min(widthOf(column), column.least ?? Number.POSITIVE_INFINITY);

const total = (columns: readonly Column[], width: (column: Column) => number): number =>
  INDENT + GAP * (columns.length - 1) + columns.reduce((sum, column) => sum + width(column), 0);

/** A table in so many columns of a screen: what can be cut is cut, and what still finds no room is left out. */
export function renderFitting(columns: readonly Column[], ink: Ink, room: number): string {
  const kept = [...columns];
  const inTurn = columns
    .filter(({ drop }) => drop !== undefined)
    .sort((a, b) => (a.drop ?? 0) - (b.drop ?? 0));
  for (const next of inTurn) {
    if (total(kept, leastOf) <= room) break;
    kept.splice(kept.indexOf(next), 1);
  }
  const shown = cutDown(kept, total(kept, widthOf) - room);
  const rows = (columns[0]?.cells ?? []).map((_, row) => shown.map(({ cells }) => cells[row] ?? ''));
  return renderTable(
    shown.map(({ head }) => head),
    rows,
    ink,
  );
}

/** Takes what is too much away from those that can be cut, the last one first: names stand in front. */
function cutDown(columns: readonly Column[], tooMuch: number): readonly Column[] {
  let over = Math.max(0, tooMuch);
  const cut = (column: Column): Column => {
    const whole = widthOf(column);
    const width = Math.max(leastOf(column), whole - over);
    if (width === whole) return column;
    over -= whole - width;
    const fit = column.named ? truncateMiddle : truncate;
    return { ...column, cells: column.cells.map((text) => fit(text, width)) };
  };
  return columns.toReversed().map(cut).toReversed();
}

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Columns under dim headings, without lines. */
export function renderTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  ink: Ink,
): string {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
  const table = new Table({ head: heads.map((head) => ink.dim(head)), chars: NO_LINES, style });
  table.push(...rows.map((row) => row.map((text) => betweenColours(text, printable))));
  return table
    .toString()
    .split('\n')
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n');
}
