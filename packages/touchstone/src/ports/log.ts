import type { Id } from '@touchstone/protocol';

/** A log line's facts: numbers, flags and names. Free text does not fit, so content cannot be logged by mistake. */
export type Fact = number | boolean | Id<string> | null | undefined;
export type Log = {
  info(event: string, facts?: { readonly [key: string]: Fact }): void;
  warn(event: string, facts?: { readonly [key: string]: Fact }): void;
  /** `cause` goes to the operator only: its class and stack, never its message when that could quote content. */
  error(event: string, facts?: { readonly [key: string]: Fact }, cause?: unknown): void;
};
