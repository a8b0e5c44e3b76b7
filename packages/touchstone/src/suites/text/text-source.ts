/** Something wrong with the text itself, by offset. */
export type TextIssue = { readonly pointer: string; readonly offset: number; readonly message: string };

/** What the reader of one format gives. */
export type TextSource = {
  /** Absent when the text could not be read at all. */
  readonly value?: unknown;
  /** Wrong with the text whatever it means, such as its syntax. */
  readonly issues: readonly TextIssue[];
  /** Keys that an object of the text has more than once, given how many keys the value has. */
  repeatedKeys(keysInValue: number): readonly TextIssue[];
  /** Offsets of these pointers, or of their nearest ancestor that exists. Costs a second reading; ask once. */
  locate(pointers: readonly string[]): (pointer: string) => number;
};
