import type { Evaluator, TaskId } from '@touchstone/protocol';
import type { ContractCriterion, EvalContract } from '@touchstone/protocol/bodies';

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
