import type { Evaluator, Issue, TaskId } from '@touchstone/protocol';
import type { ContractCriterion, EvalContract, Task } from '@touchstone/protocol/bodies';
import { checkForeignSchema } from '../../agents/index.js';
import type { Suite } from '../../ports/index.js';
import { criterionIssues } from '../../scoring/index.js';

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
export const taskIssues = (task: Task): readonly Issue[] => criterionIssues(task, checkForeignSchema);

/** The same for every task of a suite, by pointers inside the suite. */
export const suiteIssues = ({ head, tasks }: Suite): readonly Issue[] =>
  head.rubricTasks === 0
    ? []
    : tasks.flatMap((task, ordinal) =>
        taskIssues(task).map((issue) => ({ ...issue, pointer: `/tasks/${ordinal}${issue.pointer}` })),
      );
