import {
  type AgentId,
  asId,
  type Digest,
  defined,
  type EvalMode,
  type Issue,
  type Json,
  type ModelClass,
  readPointer,
  type SuiteId,
  type Thresholds,
  type Version,
  validationError,
} from '@touchstone/protocol';
import { isCheckName, type Task } from '@touchstone/protocol/bodies';
import { check } from '@touchstone/protocol/wire';
import type { Suite, SuiteHead } from '../ports/index.js';
import { compileSuite, type ReadRows, type TaskNotes } from './authoring/authored-suite.js';
import { digestOf } from './digest.js';
import { mergeNeeds, needsJudge, needsOf } from './needs.js';
import { semanticIssues } from './semantics.js';
import { type FileTextOptions, readFileText, type TextReading } from './text/read-text.js';
import { keysIfSound, soundnessIssues } from './text/soundness.js';

/**
 * Reads a suite as an author wrote it. Throws `validation_error` with everything that is wrong, each with its line and
 * column, in the order of the file. Positions are only worked out once something is wrong.
 */
export function readSuite(text: string, options: FileTextOptions = {}): Suite {
  const { value, problem, locate } = readFileText(text, options);
  const isUsable = problem === undefined || problem === 'repeated-key';
  const issues = isUsable ? suiteIssues(value) : [];
  if (problem === undefined && issues.length === 0) return toSuite(value);
  throw validationError(locate(issues), options.file === undefined ? {} : { file: options.file });
}

/** A suite file: the suite that its author means, and what the author says about tasks beside it. */
export type SuiteReading = {
  readonly suite: Suite;
  readonly notes: ReadonlyMap<string, TaskNotes>;
  /** The place in the author's text of a place in the suite. */
  sourceOf(pointer: string): string;
  /** The line of each task in the file, by its id. Costs a second reading of the text. */
  lines(): ReadonlyMap<string, number>;
};

/** Like `readSuite`, for files that people write: `expect`, `tags`, `defaults` and `rows` are compiled away first. */
export function readSuiteFile(
  text: string,
  options: FileTextOptions & { readonly readRows?: ReadRows } = {},
): SuiteReading {
  const { value, problem, locate } = readFileText(text, options);
  const isUsable = problem === undefined || problem === 'repeated-key';
  const {
    document,
    notes,
    issues: own,
    sourceOf,
  } = compileSuite(isUsable ? value : undefined, options.readRows);
  // What is wrong with an author's own members would be told twice: once as what it became.
  const compiled = isUsable && own.length === 0 ? suiteIssues(document) : [];
  const issues = [...own, ...compiled.map((issue) => ({ ...issue, pointer: sourceOf(issue.pointer) }))];
  if (problem !== undefined || issues.length > 0)
    throw validationError(locate(issues), options.file === undefined ? {} : { file: options.file });
  const suite = toSuite(document);
  return { suite, notes, sourceOf, lines: () => linesOf(suite, sourceOf, locate) };
}

function linesOf(
  { tasks }: Suite,
  sourceOf: SuiteReading['sourceOf'],
  locate: TextReading['locate'],
): ReadonlyMap<string, number> {
  const places = tasks.map(({ taskId }, at) => ({
    pointer: sourceOf(`/tasks/${at}`),
    message: taskId as string,
  }));
  return new Map(
    locate(places).flatMap(({ message, line }) => (line === undefined ? [] : [[message, line]])),
  );
}

/** A suite as it is written, once `suiteIssues` has found nothing wrong with it. */
export type SuiteDocument = {
  readonly suiteId: string;
  readonly version: string;
  readonly targetAgentId?: string;
  readonly modes: readonly EvalMode[];
  readonly allowedModels?: readonly ModelClass[];
  readonly thresholds?: Thresholds;
  readonly tasks: readonly Task[];
};
/** Checks a suite and gives it its digest. Throws `validation_error` with everything that is wrong with it. */
export function parseSuite(value: unknown): Suite {
  // A value that is not sound JSON is refused for that alone, like a syntax error: the other checks recurse and
  // compare, which is only safe on sound values.
  const issues = keysIfSound(value) === undefined ? soundnessIssues(value) : suiteIssues(value);
  if (issues.length > 0) throw validationError(issues);
  return toSuite(value);
}

/** Everything wrong with a suite that is sound JSON, by its schema and by its meaning. */
export const suiteIssues = (value: unknown): readonly Issue[] => [
  ...check('agent-eval-suite', value).map((issue) => withCheckHint(issue, value)),
  ...semanticIssues(value),
];

/** Goldens are compared in three ways only; what other tools have as further ways is a check. */
function withCheckHint(issue: Issue, value: unknown): Issue {
  if (!issue.pointer.endsWith('/expected/match/strategy')) return issue;
  const named = readPointer(value as Json, issue.pointer);
  if (typeof named !== 'string' || !isCheckName(named)) return issue;
  return {
    ...issue,
    message: `${issue.message}; use check:${named} instead: expect: [{ ${named}: … }] in place of "expected"`,
  };
}

/** Call only for sound JSON in which `suiteIssues` found nothing. */
function toSuite(value: unknown): Suite {
  const document = value as SuiteDocument;
  return { head: headOf(document, factsOf(document.tasks), digestOf(value as Json)), tasks: document.tasks };
}

/** What the head of a suite says of its tasks. */
type TaskFacts = Pick<SuiteHead, 'taskCount' | 'rubricTasks' | 'judgedTasks' | 'needs'>;

const factsOf = (tasks: readonly Task[]): TaskFacts => ({
  taskCount: tasks.length,
  rubricTasks: tasks.filter(({ expected }) => expected.kind === 'rubric').length,
  judgedTasks: tasks.filter(needsJudge).length,
  ...defined({ needs: needsOf(tasks) }),
});

/** The facts of some tasks, with those of more tasks of the same suite. */
export function addFacts(facts: TaskFacts | undefined, tasks: readonly Task[]): TaskFacts {
  const more = factsOf(tasks);
  if (!facts) return more;
  return {
    taskCount: facts.taskCount + more.taskCount,
    rubricTasks: facts.rubricTasks + more.rubricTasks,
    judgedTasks: facts.judgedTasks + more.judgedTasks,
    ...defined({ needs: mergeNeeds(facts.needs, more.needs) }),
  };
}

export function headOf(document: Omit<SuiteDocument, 'tasks'>, facts: TaskFacts, digest: Digest): SuiteHead {
  const { targetAgentId, allowedModels, thresholds } = document;
  const { taskCount, rubricTasks, judgedTasks, needs } = facts;
  return {
    suiteId: asId<SuiteId>(document.suiteId),
    version: asId<Version>(document.version),
    digest,
    modes: document.modes,
    taskCount,
    rubricTasks,
    judgedTasks,
    ...(targetAgentId !== undefined && { targetAgentId: asId<AgentId>(targetAgentId) }),
    ...defined({ allowedModels, thresholds, needs }),
  };
}

/** The suite as its author wrote it, without what reading it has added. Reading it again gives the same digest. */
export function suiteDocument({ head, tasks }: Suite): object {
  const { digest: _, taskCount: __, rubricTasks: ___, judgedTasks: ____, needs: _____, ...rest } = head;
  return { ...rest, tasks };
}
