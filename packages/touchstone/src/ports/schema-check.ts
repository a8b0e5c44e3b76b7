import type { JsonObject } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';

/** Validates a body against a foreign JSON Schema (an agent's task or return schema). Answers where, never what. */
export type SchemaCheck = (
  schema: JsonObject,
  body: Body,
) => readonly { readonly pointer: string; readonly message: string }[];
