import type { Issue, JsonObject } from '@touchstone/protocol';
import { fromBody, parseCriterion, type Task } from '@touchstone/protocol/bodies';
import type { Checker, MaybePromise } from '../../ports/index.js';
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
  for (const [index, { criterion }] of expected.rubric.entries()) {
    const message = await problemOf(String(fromBody(criterion)), parts);
    if (message !== undefined) issues.push({ pointer: `/expected/rubric/${index}/criterion`, message });
  }
  return issues;
}

async function problemOf(text: string, { check, checkSchema }: IssueParts): Promise<string | undefined> {
  const parsed = parseCriterion(text);
  if (parsed.kind !== 'check') return undefined;
  if (parsed.name === 'regex') {
    const pattern = String(parsed.args.pattern);
    return (await check(PATTERN_PROBLEM, pattern, compilingCost(pattern, false))) ?? undefined;
  }
  if (parsed.name !== 'schema') return undefined;
  // The details would quote the schema, which is part of the criterion.
  return (await checkSchema(parsed.args.schema as JsonObject)).length === 0 ? undefined : NO_SCHEMA;
}

const NO_SCHEMA =
  'The schema of this check cannot be used (JSON Schema 2020-12, no remote references, RE2 patterns, of bounded size).';
