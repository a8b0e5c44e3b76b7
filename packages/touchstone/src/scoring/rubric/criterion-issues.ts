import type { Issue, JsonObject } from '@touchstone/protocol';
import { fromBody, parseCriterion, type Task } from '@touchstone/protocol/bodies';
import { foreignParts } from '../checks/foreign-parts.js';
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
  const { patterns, schemas } = foreignParts(parsed.name, parsed.args);
  // The details would quote the schema, which is part of the criterion.
  const isUsable = (schema: JsonObject): boolean => checkSchema(schema).length === 0;
  return [
    ...(patterns.every(isPattern) ? [] : [NO_PATTERN]),
    ...(schemas.every(isUsable) ? [] : [NO_SCHEMA]),
  ];
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
