import type { Issue, Json, JsonObject } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';
import type { MaybePromise } from './system.js';

/**
 * A check of content, as a function of plain JSON. Threads know it by its name and can do it as well, so its input and its
 * result are what JSON can write.
 */
export type CheckWork<Input, Result> = {
  readonly name: string;
  run(input: Input): MaybePromise<Result>;
};

/**
 * Does the checks of one tenant: at once where a check is cheap, else in a thread, so that no content can hold up the host.
 * `costUs` is what the check costs at worst, in microseconds, estimated from sizes. Rejects with `CheckOverLimit`, and with
 * the signal's reason when that aborts.
 */
export type Checker = <Input, Result>(
  work: CheckWork<Input, Result>,
  input: Input,
  costUs: number,
  signal?: AbortSignal,
) => MaybePromise<Result>;

/** Where a body does not fit a foreign JSON Schema, at once. Throws `validation_error` for a schema that cannot be used. */
export type SchemaFit = (schema: JsonObject, body: Body) => readonly Issue[];

/** JSON Schemas that we did not write, for checks that use them among other things. */
export type ForeignSchemas = {
  readonly fit: SchemaFit;
  /** What it costs at worst to check a value against a schema, in microseconds. */
  readonly costUs: (schema: JsonObject, value: Json | Body) => number;
};

/** For programs that do nothing else meanwhile. */
export const checkAtOnce: Checker = (work, input) => work.run(input);

/** A check was stopped: it took more time or memory than a tenant has for one. It says nothing about the content. */
export class CheckOverLimit extends Error {
  override readonly name = 'CheckOverLimit';
}
