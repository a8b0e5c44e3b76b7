import type { Issue, JsonObject } from '@touchstone/protocol';
import { fromBody, parseCriterion, type Task } from '@touchstone/protocol/bodies';
import { compile } from './pattern.js';

/** Why a JSON Schema cannot be used; empty when it can. */
type CheckSchema = (schema: JsonObject) => readonly Issue[];

/** Patterns and schemas in the checks of a task that cannot be used. Issues name the place and never quote content. */
export function criterionIssues({ expected }: Task, checkSchema: CheckSchema): readonly Issue[] {
  if (expected.kind !== 'rubric') return [];
  return expected.rubric.flatMap(({ criterion }, index) =>
    problemsOf(String(fromBody(criterion)), checkSchema).map((message) => ({
      pointer: `/expected/rubric/${index}/criterion`,
      message,
    })),
  );
}

function problemsOf(text: string, checkSchema: CheckSchema): readonly string[] {
  const parsed = parseCriterion(text);
  if (parsed.kind !== 'check') return [];
  if (parsed.name === 'regex') return isPattern(String(parsed.args.pattern)) ? [] : [NO_PATTERN];
  if (parsed.name !== 'schema') return [];
  // The details would quote the schema, which is part of the criterion.
  return checkSchema(parsed.args.schema as JsonObject).length === 0 ? [] : [NO_SCHEMA];
}

const NO_PATTERN = 'The pattern of this check is none in RE2 syntax (no look-around, no back-references).';
const NO_SCHEMA =
  'The schema of this check cannot be used (JSON Schema 2020-12, no remote references, RE2 patterns, of bounded size).';

function isPattern(pattern: string): boolean {
  try {
    compile(pattern, false);
    return true;
  } catch {
    return false;
  }
}
