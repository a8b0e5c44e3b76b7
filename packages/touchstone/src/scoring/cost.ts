// What checks cost at worst, in microseconds, told from sizes alone: an estimate decides whether a check may be made at once
// or goes to a thread, so it must itself cost next to nothing.

/** Sizes beyond this are not told apart: no check of so much content is cheap. */
const MOST = 100_000;

/** About as many characters as a value has when it is written as JSON, counted up to `MOST`. */
export function sizeOf(value: unknown, most = MOST): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  let size = 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && size < most; at += 1) size += 1 + sizeOf(value[at], most - size);
    return size;
  }
  const members = value as { readonly [name: string]: unknown };
  for (const name in members) {
    if (size >= most) break;
    size += name.length + 4 + sizeOf(members[name], most - size);
  }
  return size;
}

/** Writing it as canonical JSON, parsing it, comparing it with something of its size. */
export const readingCost = (size: number): number => size * 0.1;

/** Every part of one value against every part of another: a search that nearly succeeds everywhere, a distance. */
export const crossCost = (size: number, other: number): number => size * other * 0.001;

/** Folding a text and taking its words apart. */
export const foldingCost = (size: number): number => size * 0.5;
