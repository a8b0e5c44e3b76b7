/** A part of a list, as list operations answer it. */
export type Page<T> = {
  /** The entries of this part, in the order that the operation states. */
  readonly items: readonly T[];
  /** What to send as `cursor` for the next part; absent when this is the last one. */
  readonly nextCursor?: string;
};
