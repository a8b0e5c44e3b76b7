import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Evaluator, Issue, TaskId } from '@touchstone/protocol';
import { type ContractCriterion, type EvalContract, fromBody, type Task } from '@touchstone/protocol/bodies';
import { checkBounded, examineSchema } from '../../agents/index.js';
import type { Checker, Suite } from '../../ports/index.js';
import { criterionIssues } from '../../scoring/index.js';
import { refuseSlow } from '../catalogue/schema-budget.js';

/** A criterion as it applies to one task. */
type TaskCriterion = {
  readonly criterion: ContractCriterion;
  /** Who decides it there. */
  readonly evaluator: Evaluator;
};

/** The criteria of a contract's tasks, in the order in which the suite's tasks list them. */
export function readTaskEvaluators({
  criteria,
  tasks,
}: EvalContract): (taskId: TaskId) => readonly TaskCriterion[] {
  const byId = new Map(criteria.map((criterion) => [criterion.id, criterion]));
  return (taskId) => {
    const terms = Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined;
    const { criteria: ids = [], evaluators = {} } = terms ?? {};
    return ids.flatMap((id) => {
      const criterion = byId.get(id);
      const own = Object.hasOwn(evaluators, id) ? evaluators[id] : undefined;
      return criterion ? [{ criterion, evaluator: own ?? criterion.evaluator }] : [];
    });
  };
}

/** What keeps the checks of a task from being run: patterns and schemas, by pointers inside the task. */
export const taskIssues = (task: Task, check: Checker): Promise<readonly Issue[]> =>
  criterionIssues(task, { check, checkSchema: (schema) => examineSchema(check, schema) });

/** Others are let in after criteria of so many characters, and after so many tasks. */
const TURN_CHARACTERS = 65_536;
const TURN_TASKS = 100;

const criteriaLength = ({ expected }: Task): number =>
  expected.kind === 'rubric'
    ? expected.rubric.reduce((sum, { criterion }) => sum + String(fromBody(criterion)).length, 0)
    : 0;

/** The same for every task of a suite, by pointers inside the suite. */
export async function suiteIssues(
  { head, tasks }: Suite,
  check: Checker = checkBounded,
): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  if (head.rubricTasks === 0) return issues;
  const checkTask = refuseSlow(SLOW_CHECKS, (task: Task) => taskIssues(task, check));
  let characters = 0;
  for (const [ordinal, task] of tasks.entries()) {
    characters += criteriaLength(task);
    if (ordinal % TURN_TASKS === 0 || characters > TURN_CHARACTERS) {
      await yieldToEventLoop();
      characters = 0;
    }
    for (const issue of await checkTask(task))
      issues.push({ ...issue, pointer: `/tasks/${ordinal}${issue.pointer}` });
  }
  return issues;
}

/** The patterns and schemas of a suite that no run could be started with in time. */
export const SLOW_CHECKS: Issue = {
  pointer: '/evalSuiteRef',
  message:
    'The schemas and patterns in the criteria of this suite take too long to examine. Simplify them or split the suite.',
};
