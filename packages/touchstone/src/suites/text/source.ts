import type { Fault } from './json-scan.js';

/** A suite file after reading: a value, or the faults that keep it from being one. */
export type Source = {
  /** Absent when the text could not be read at all. */
  readonly value?: unknown;
  /** Wrong with the text whatever it means, such as its syntax. */
  readonly faults: readonly Fault[];
  /** Keys that an object of the text has more than once, given how many keys the value has. */
  repeatedKeys(keysInValue: number): readonly Fault[];
  /** Offsets of these pointers, or of their nearest ancestor that exists. Costs a second reading; ask once. */
  locate(pointers: readonly string[]): (pointer: string) => number;
};
