import type { Issue } from '@touchstone/protocol';

/** A row as the file has it, before anybody asks what it means. Pointers are relative to the row. */
export type RawRow = {
  /** The line, or the place in the list from 1 on. */
  readonly at: number;
  /** Absent when the text of the row could not be read. */
  readonly value?: unknown;
  /** Wrong with the text itself. */
  readonly faults: readonly Issue[];
  /** Adds lines and columns, as far as the format has them. */
  locate(issues: readonly Issue[]): readonly Issue[];
};

export const brokenRow = (line: number, message: string): RawRow => ({
  at: line,
  faults: [{ pointer: '', message, line }],
  locate: (issues) => issues,
});

export const NOT_UTF8 = 'Expected UTF-8. Save the file in that encoding.';
