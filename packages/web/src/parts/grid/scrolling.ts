/** How rows lie in a box that scrolls. */
export type RowSpace = { readonly count: number; readonly rowHeight: number };

/** Browsers cannot make an element higher than some 17 million pixels. */
const MAX_HEIGHT = 12_800_000;
const HEAD_HEIGHT = 32;

/** What all rows take together, as far as a browser can scroll. */
export const heightOf = ({ count, rowHeight }: RowSpace): number => Math.min(count * rowHeight, MAX_HEIGHT);

/** Pixels of rows to one pixel of scrolling: more than one in a very long list, so that its end can be reached. */
function stretchOf(space: RowSpace, view: HTMLElement): number {
  const hidden = view.clientHeight - HEAD_HEIGHT;
  const [rows, room] = [space.count * space.rowHeight, heightOf(space)];
  return rows === room ? 1 : (rows - hidden) / (room - hidden);
}

/** How far the rows have gone up, and where that puts the first of all in the box. */
export function scrolledBy(
  space: RowSpace,
  view: HTMLElement,
): { readonly gone: number; readonly top: number } {
  const gone = view.scrollTop * stretchOf(space, view);
  return { gone, top: view.scrollTop - gone };
}

type Reach = readonly [least: number, most: number];

/** Between which two places a row is in sight, and not under the head. */
const reachOf = ({ rowHeight }: RowSpace, index: number, height: number): Reach => [
  (index + 1) * rowHeight - height + HEAD_HEIGHT,
  index * rowHeight,
];

/** Scrolls as little as it takes. */
export function showRow(view: HTMLElement, space: RowSpace, index: number): void {
  const [least, most] = reachOf(space, index, view.clientHeight);
  const { gone } = scrolledBy(space, view);
  const wanted = Math.min(most, Math.max(least, gone));
  if (wanted !== gone) view.scrollTop = wanted / stretchOf(space, view);
}

/** What comes above a grid makes it lower. A row that was in sight stays so; one that people scrolled away from is left there. */
export function keepRow(view: HTMLElement, space: RowSpace, index: number, heightBefore: number): void {
  const [least, most] = reachOf(space, index, heightBefore);
  const { gone } = scrolledBy(space, view);
  if (least <= gone && gone <= most) showRow(view, space, index);
}
