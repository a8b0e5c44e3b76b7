import type { Issue, JsonObject, TaskId } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { MaybePromise, SchemaCheck } from '../ports/index.js';
import type { TaskKind } from './modes.js';

/** Reported issues of inputs; a schema that fits no task would otherwise repeat itself for every one of them. */
const MAX_INPUT_ISSUES = 20;

export type TaskQuestion = {
  /** The suite's tasks in order, in pages, so that a large suite is never held whole. */
  readonly tasks: AsyncIterable<readonly Task[]>;
  readonly kinds: readonly TaskKind[];
  readonly onlyTasks?: readonly string[];
  /** Why rubric tasks cannot run here, and which of them. */
  readonly rubricRefusal?: { readonly reason: string; readonly applies: (task: Task) => boolean };
  /** What else keeps a task from being run, by pointers inside the task. */
  readonly checkTask?: (task: Task) => MaybePromise<readonly Issue[]>;
  /** The agent's own schema for its input. */
  readonly taskSchema?: JsonObject;
  readonly checkSchema: SchemaCheck;
};

export type TaskSelection = {
  readonly ordinals: readonly number[];
  readonly issues: readonly Issue[];
  /** More inputs are wrong than are listed. */
  readonly truncated: boolean;
};

/** Whether the answer to the question depends on the tasks at all. When it does not, they need not be read. */
export const dependsOnTasks = (question: Omit<TaskQuestion, 'tasks' | 'checkSchema'>): boolean =>
  question.kinds.length === 1 ||
  [question.onlyTasks, question.rubricRefusal, question.taskSchema, question.checkTask].some(Boolean);

/** Walks the suite once: which tasks run, and what keeps one of those from running. */
export async function selectTasks(question: TaskQuestion): Promise<TaskSelection> {
  const only =
    question.onlyTasks && new Map(question.onlyTasks.map((taskId) => [taskId, 'unknown' as NamedTask]));
  const ordinals: number[] = [];
  const first: string[] = [];
  const inputs = createInputCheck(question);
  const rubrics = createRubricCheck(question.rubricRefusal);
  let ordinal = 0;
  for await (const page of question.tasks) {
    for (const task of page) {
      if (first.length < SHOWN_IDS) first.push(task.taskId);
      const hasKind = question.kinds.includes(task.expected.kind);
      if (only?.has(task.taskId)) only.set(task.taskId, hasKind ? 'selected' : 'of-another-kind');
      if (hasKind && (only === undefined || only.has(task.taskId))) {
        ordinals.push(ordinal);
        rubrics.look(task, ordinal);
        await inputs.look(task, ordinal);
      }
      ordinal += 1;
    }
  }
  const choice = only
    ? namedIssues(question, only, idsOf(first, ordinal))
    : noneLeft(question.kinds, ordinals);
  return {
    ordinals,
    issues: [...choice, ...rubrics.issues(), ...inputs.issues],
    truncated: inputs.truncated(),
  };
}

const TASK_ID = /^[a-z0-9][a-z0-9-]{0,127}$/;

type NamedTask = 'unknown' | 'selected' | 'of-another-kind';

function namedIssues(
  { onlyTasks = [], kinds }: TaskQuestion,
  only: ReadonlyMap<string, NamedTask>,
  known: string,
): readonly Issue[] {
  return onlyTasks.flatMap((taskId, index) => {
    const pointer = `/configurable/onlyTasks/${index}`;
    const named = only.get(taskId);
    // Only what looks like a task id is repeated: anything else could be anything.
    const shown = TASK_ID.test(taskId) ? `task "${taskId}"` : 'task of this id';
    if (named === 'unknown') return [{ pointer, message: `The suite has no ${shown}. It has ${known}.` }];
    const message = `Task "${taskId}" is left out by evalModes, which select ${kinds.join(' and ')} tasks. Drop one of the two.`;
    return named === 'selected' ? [] : [{ pointer, message }];
  });
}

/** Enough to see how tasks are called here. */
const SHOWN_IDS = 5;

const idsOf = (first: readonly string[], total: number): string =>
  `${first.join(', ')}${total > first.length ? ` and ${total - first.length} more` : ''}`;

function noneLeft(kinds: readonly TaskKind[], ordinals: readonly number[]): readonly Issue[] {
  const message = `No task is left to run: the suite has no ${kinds.join(' or ')} task.`;
  return ordinals.length > 0 ? [] : [{ pointer: '/configurable/evalModes', message }];
}

function createRubricCheck(refusal: TaskQuestion['rubricRefusal']) {
  let first: { readonly ordinal: number; readonly taskId: TaskId } | undefined;
  let count = 0;
  return {
    look(task: Task, ordinal: number): void {
      if (task.expected.kind !== 'rubric' || !refusal?.applies(task)) return;
      first ??= { ordinal, taskId: task.taskId };
      count += 1;
    },
    issues(): readonly Issue[] {
      if (refusal === undefined || first === undefined) return [];
      const who =
        count === 1
          ? `Task "${first.taskId}" is a rubric task`
          : `Task "${first.taskId}" and ${count - 1} more are rubric tasks`;
      return [{ pointer: `/tasks/${first.ordinal}/expected/kind`, message: `${who}, but ${refusal.reason}` }];
    },
  };
}

function createInputCheck({ taskSchema, checkSchema, checkTask }: TaskQuestion) {
  const issues: Issue[] = [];
  let truncated = false;
  return {
    issues,
    truncated: () => truncated,
    async look(task: Task, ordinal: number): Promise<void> {
      if (truncated) return;
      const inputs = taskSchema ? await checkSchema(taskSchema, task.input) : [];
      const ofInput = inputs.map(({ pointer, message }) => ({ pointer: `/input${pointer}`, message }));
      for (const { pointer, message } of [...ofInput, ...((await checkTask?.(task)) ?? [])]) {
        truncated = issues.length === MAX_INPUT_ISSUES;
        if (truncated) return;
        issues.push({ pointer: `/tasks/${ordinal}${pointer}`, message: `Task "${task.taskId}": ${message}` });
      }
    },
  };
}
