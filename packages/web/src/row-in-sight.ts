/** Where a row of a grid lies. */
export type RowPosition = {
  readonly index: number;
  /** From one row to the next; less than the height of a row in a very long list. */
  readonly scale: number;
  readonly rowHeight: number;
};

const HEAD_HEIGHT = 32;

/** Where a box of this height can be scrolled to with the row in sight, and not under the head. */
const reachOf = (
  { index, scale, rowHeight }: RowPosition,
  height: number,
): readonly [least: number, most: number] => [
  index * scale + rowHeight - height + HEAD_HEIGHT,
  index * scale,
];

/** Scrolls as little as it takes. */
export function showRow(view: HTMLElement | null, place: RowPosition): void {
  if (!view || place.index < 0) return;
  const [least, most] = reachOf(place, view.clientHeight);
  view.scrollTop = Math.min(most, Math.max(least, view.scrollTop));
}

/** What comes above a grid makes it lower. A row that was in sight stays so; one that people scrolled away from is left there. */
export function keepRow(view: HTMLElement, place: RowPosition, heightBefore: number): void {
  const [least, most] = reachOf(place, heightBefore);
  if (least <= view.scrollTop && view.scrollTop <= most) showRow(view, place);
}
