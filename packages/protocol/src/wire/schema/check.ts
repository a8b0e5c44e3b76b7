import { bodyError, type Issue } from '../../model/errors.js';
import type { Schema, Wire } from './build.js';
import { type ExplainOptions, explain } from './explain.js';

// For small documents of our own: a config, a body of a few members. The explainer reads them once and decides by what
// it has to say, so that no validator has to be loaded or compiled before a command can start. Documents that may be
// large have a published schema and go through `validate.ts`.

/** Everything that keeps a value from fitting the schema; nothing when it fits. The schema refers to no other. */
export const schemaIssues = (schema: Schema, value: unknown, options?: ExplainOptions): readonly Issue[] =>
  explain({ node: schema, base: '' }, value, noReference, options);

function noReference(reference: string): never {
  throw new Error(`A schema of our own refers to ${reference}.`);
}

/** The value as what the schema describes, or a `validation_error` that lists all that is wrong with it. */
export function parseAs<S extends Schema>(schema: S, value: unknown): Wire<S> {
  const issues = schemaIssues(schema, value);
  if (issues.length > 0) throw bodyError(issues);
  return value as Wire<S>;
}

/** The issues of a rule (`ruled`) at one place: one when there is a problem, none otherwise. */
export const issueAt = (pointer: string, problem: string | false | undefined): readonly Issue[] =>
  problem ? [{ pointer, message: problem }] : [];
