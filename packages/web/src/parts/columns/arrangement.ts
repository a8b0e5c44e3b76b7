import { keep, kept } from '../appearance.js';

/** How a reader has put the columns of a list. Columns that it does not name are where they usually are. */
export type Arrangement = { readonly order: readonly string[]; readonly hidden: readonly string[] };

const USUAL: Arrangement = { order: [], hidden: [] };

export function readArrangement(list: string): Arrangement {
  try {
    const { order, hidden } = JSON.parse(kept(`columns.${list}`) ?? '{}') as Partial<Arrangement>;
    return { order: textsIn(order), hidden: textsIn(hidden) };
  } catch {
    return USUAL;
  }
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

export const keepArrangement = (list: string, arrangement: Arrangement): void =>
  keep(`columns.${list}`, isUsual(arrangement) ? undefined : JSON.stringify(arrangement));

export const isUsual = ({ order, hidden }: Arrangement): boolean => order.length + hidden.length === 0;

/** All columns in the reader's order, hidden ones included. */
export function inOrder<C extends { readonly id: string }>(
  columns: readonly C[],
  order: readonly string[],
): readonly C[] {
  const placed = order.flatMap((id) => columns.filter((column) => column.id === id));
  for (const [at, column] of columns.entries()) if (!order.includes(column.id)) placed.splice(at, 0, column);
  return placed;
}

/** The ids with one of them at the place of another. */
export function movedTo(ids: readonly string[], id: string, place: number): readonly string[] {
  if (!ids.includes(id)) return ids;
  return ids.filter((one) => one !== id).toSpliced(Math.max(0, place), 0, id);
}
