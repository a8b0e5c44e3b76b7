/** A part of a list, as list operations answer it. */
export type Page<T> = {
  readonly items: readonly T[];
  /** What to send as `cursor` for the next part; absent when this is the last one. */
  readonly nextCursor?: string;
};
