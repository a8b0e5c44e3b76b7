import { child, type Issue, isObject, typeName, type UnknownObject } from '@touchstone/protocol';
import type { MemorySeed } from '@touchstone/protocol/bodies';
import { parseCriterion } from '@touchstone/protocol/bodies';

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
  return [...issues, ...judgeIssues(suite.tasks)];
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

/** Criteria that begin as a check and are none, or ask for what a check cannot do. Their words are never repeated. */
function criteriaIssues(rubric: unknown, pointer: string): readonly Issue[] {
  if (!Array.isArray(rubric)) return [];
  return rubric.flatMap((entry: unknown, index) => {
    if (!isObject(entry) || typeof entry.criterion !== 'string') return [];
    const parsed = parseCriterion(entry.criterion);
    return parsed.kind === 'malformed'
      ? [{ pointer: `${pointer}/${index}/criterion`, message: parsed.message }]
      : [];
  });
}

const MAX_ID_CHARS = 1500;
const MAX_TAG_CHARS = 256;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

type Rule = (value: unknown) => string | undefined;

const isText: Rule = (value) =>
  typeof value === 'string' ? undefined : `Expected a string, got ${typeName(value)}.`;

const isEntryId: Rule = (value) =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS
    ? undefined
    : `Expected a string of 1 to ${MAX_ID_CHARS} characters.`;

const isTagList: Rule = (value) =>
  Array.isArray(value) && value.every((tag) => typeof tag === 'string' && tag.length <= MAX_TAG_CHARS)
    ? undefined
    : `Expected an array of strings of at most ${MAX_TAG_CHARS} characters.`;

const isDateTime: Rule = (value) =>
  typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
    ? undefined
    : 'Expected a date and time with its zone, such as 2026-01-31T12:00:00Z.';

const RULES: { readonly [Member in keyof MemorySeed]-?: Rule } = {
  content: isText,
  id: isEntryId,
  tags: isTagList,
  createdAt: isDateTime,
  expiresAt: isDateTime,
};

/**
 * What keeps a seed from becoming a memory entry. Only `content` is needed; the other members are filled in when they
 * are absent. Members a memory entry does not have are left alone: the suite schema keeps seeds open, so a suite
 * written for another host stays installable here.
 */
export function memorySeedIssues(seed: unknown, pointer: string): readonly Issue[] {
  if (!isObject(seed)) return [];
  if (seed.content === undefined) return [{ pointer, message: 'A memory seed needs "content", a string.' }];
  return Object.entries(RULES).flatMap(([member, rule]) => {
    const message = seed[member] === undefined ? undefined : rule(seed[member]);
    return message === undefined ? [] : [{ pointer: child(pointer, member), message }];
  });
}

/** A run has one judge, so the criteria of a suite name one. */
function judgeIssues(tasks: readonly unknown[]): readonly Issue[] {
  let first: string | undefined;
  return tasks.flatMap((task, ordinal) => {
    const rubric = isObject(task) && isObject(task.expected) ? task.expected.rubric : undefined;
    const entries: readonly unknown[] = Array.isArray(rubric) ? rubric : [];
    return entries.flatMap((entry, at) => {
      const judge = isObject(entry) ? judgeNamed(entry.criterion) : undefined;
      if (judge === undefined) return [];
      first ??= judge;
      if (judge === first) return [];
      const message = 'This criterion names another judge than an earlier one. A suite has one judge.';
      return [{ pointer: `/tasks/${ordinal}/expected/rubric/${at}/criterion`, message }];
    });
  });
}

function judgeNamed(criterion: unknown): string | undefined {
  const parsed = typeof criterion === 'string' ? parseCriterion(criterion) : undefined;
  const judge = parsed?.kind === 'check' && parsed.name === 'judge' ? parsed.args.judge : undefined;
  return typeof judge === 'string' ? judge : undefined;
}
