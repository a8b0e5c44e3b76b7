import type { ComponentChildren } from 'preact';

/** One column: its head, and what a row has in it. */
export type Column<Row> = {
  readonly id: string;
  /** Tells columns apart that look alike; the id when absent. */
  readonly key?: string;
  readonly name: string;
  /** What its head says on top of its name. */
  readonly title?: string;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** The name that the host sorts by; absent when it cannot. */
  readonly order?: string;
  /** A list without it would be of no use, so it cannot be hidden. */
  readonly isKept?: true;
  readonly cell: (row: Row) => ComponentChildren;
};
