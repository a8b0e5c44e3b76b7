import { type Issue, isObject, type UnknownObject } from '@touchstone/protocol';
import { criteriaIssues } from './criteria.js';
import { memorySeedIssues } from './memory-seed.js';

const TASK_ID = /^[a-z0-9][a-z0-9-]*$/;

/**
 * What a schema cannot say about a suite. Reads any value and skips what is not shaped well enough to judge, so that
 * an author sees these together with the schema's complaints, all at once.
 *
 * `kind` alone decides which block scores a task. A block of the other kind standing beside it is allowed and ignored:
 * the published schema admits it, and nothing about the task's meaning is in doubt.
 */
export function semanticIssues(suite: unknown): readonly Issue[] {
  if (!isObject(suite) || !Array.isArray(suite.tasks)) return [];
  const issues: Issue[] = [];
  const ordinals = new Map<string, number>();
  suite.tasks.forEach((task: unknown, ordinal) => {
    if (!isObject(task)) return;
    issues.push(...repeatedIdIssues(task.taskId, ordinal, ordinals));
    if (isObject(task.expected)) issues.push(...expectedIssues(task.expected, `/tasks/${ordinal}/expected`));
    if (isObject(task.fixtures))
      issues.push(...seedIssues(task.fixtures, `/tasks/${ordinal}/fixtures/memorySeed`));
  });
  return issues;
}

// Only a well-formed id is compared and named: a malformed one is the schema's complaint and could be anything.
function repeatedIdIssues(taskId: unknown, ordinal: number, ordinals: Map<string, number>): readonly Issue[] {
  if (typeof taskId !== 'string' || !TASK_ID.test(taskId)) return [];
  const earlier = ordinals.get(taskId);
  if (earlier === undefined) {
    ordinals.set(taskId, ordinal);
    return [];
  }
  const message = `Task id "${taskId}" is already used by /tasks/${earlier}. Ids are unique within a suite.`;
  return [{ pointer: `/tasks/${ordinal}/taskId`, message }];
}

function expectedIssues(expected: UnknownObject, pointer: string): readonly Issue[] {
  if (expected.kind === 'golden') return missingBlock(expected, 'golden', 'match', 'rubric', pointer);
  if (expected.kind !== 'rubric') return [];
  return [
    ...missingBlock(expected, 'rubric', 'rubric', 'golden', pointer),
    ...weightIssues(expected.rubric, `${pointer}/rubric`),
    ...criteriaIssues(expected.rubric, `${pointer}/rubric`),
  ];
}

function missingBlock(
  expected: UnknownObject,
  kind: string,
  block: string,
  otherKind: string,
  pointer: string,
): readonly Issue[] {
  if (expected[block] !== undefined) return [];
  const otherBlock = block === 'match' ? 'rubric' : 'match';
  const hint =
    expected[otherBlock] === undefined
      ? ''
      : ` It has "${otherBlock}"; if that was meant, set kind to "${otherKind}".`;
  return [{ pointer, message: `A ${kind} task needs "${block}".${hint}` }];
}

function weightIssues(rubric: unknown, pointer: string): readonly Issue[] {
  if (!Array.isArray(rubric) || rubric.length === 0) return [];
  const allZero = rubric.every((entry: unknown) => isObject(entry) && entry.weight === 0);
  return allZero
    ? [{ pointer, message: 'At least one criterion needs a weight above 0; the score divides by their sum.' }]
    : [];
}

function seedIssues(fixtures: UnknownObject, pointer: string): readonly Issue[] {
  if (!Array.isArray(fixtures.memorySeed)) return [];
  return fixtures.memorySeed.flatMap((seed: unknown, index) => memorySeedIssues(seed, `${pointer}/${index}`));
}
