import type { Issue, JsonObject } from '@touchstone/protocol';
import { fromBody, parseCriterion, type Task } from '@touchstone/protocol/bodies';
import type { Checker, MaybePromise } from '../../ports/index.js';
import { foreignParts } from '../checks/foreign-parts.js';
import { compilingCost, PATTERN_PROBLEM } from './pattern.js';

type IssueParts = {
  readonly check: Checker;
  /** Why a JSON Schema cannot be used; empty when it can. */
  readonly checkSchema: (schema: JsonObject) => MaybePromise<readonly Issue[]>;
};

/** Patterns and schemas in the checks of a task that cannot be used. Issues name the place and never quote content. */
export async function criterionIssues({ expected }: Task, parts: IssueParts): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  if (expected.kind !== 'rubric') return issues;
  for (const [index, { criterion }] of expected.rubric.entries())
    for (const message of await problemsOf(String(fromBody(criterion)), parts))
      issues.push({ pointer: `/expected/rubric/${index}/criterion`, message });
  return issues;
}

/** One of each sort is enough: an author who corrects it looks at the others as well. */
async function problemsOf(text: string, { check, checkSchema }: IssueParts): Promise<readonly string[]> {
  const parsed = parseCriterion(text);
  if (parsed.kind !== 'check') return [];
  const { patterns, schemas } = foreignParts(parsed.name, parsed.args);
  const problems = new Set<string>();
  for (const pattern of patterns)
    problems.add((await check(PATTERN_PROBLEM, pattern, compilingCost(pattern, false))) ?? '');
  // The details would quote the schema, which is part of the criterion.
  for (const schema of schemas) problems.add((await checkSchema(schema)).length === 0 ? '' : NO_SCHEMA);
  return [...problems].filter((problem) => problem !== '');
}

const NO_SCHEMA =
  'The schema of this check cannot be used (JSON Schema 2020-12, no remote references, RE2 patterns, of bounded size).';
