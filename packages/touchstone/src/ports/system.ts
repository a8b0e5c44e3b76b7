import type { Id, Issue, JsonObject, RunId } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';

/** The time. Every part gets it handed in, so that a test can move it. */
export type Clock = {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  elapsed(): number;
  /** How much of it this process has stood still, stopped or starved: time in which it could not have heard an answer. None when absent. */
  stoodStillMs?(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

/** Where new names come from. */
export type Ids = {
  runId(): RunId;
  /** An unguessable token, e.g. for an API key or a lease holder. */
  token(): string;
};

/** Chance, handed in: uniform in [0, 1). */
export type Random = () => number;

/** A log line's facts: numbers, flags and names. Free text does not fit, so content cannot be logged by mistake. */
export type Fact = number | boolean | Id<string> | null | undefined;
export type Log = {
  info(event: string, facts?: { readonly [key: string]: Fact }): void;
  warn(event: string, facts?: { readonly [key: string]: Fact }): void;
  /** `cause` goes to the operator only: its class and stack, never its message when that could quote content. */
  error(event: string, facts?: { readonly [key: string]: Fact }, cause?: unknown): void;
};

/**
 * A value that is often at hand. Awaiting a promise costs a turn of the event loop's microtask queue, and an instant task
 * costs little more than that: callers on the path of every task look whether they got a promise before they wait.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once where it is at hand. */
export const after = <T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/**
 * Validates a body of one tenant against a foreign JSON Schema (an agent's task or return schema). Answers where, never
 * what. Rejects with `CheckOverLimit` when that takes too long.
 */
export type SchemaCheck = (
  schema: JsonObject,
  body: Body,
  signal?: AbortSignal,
) => MaybePromise<readonly Issue[]>;
