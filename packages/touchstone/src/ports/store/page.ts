/** One page of a list. `nextCursor` is opaque, and absent on the last page. */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor?: string };
