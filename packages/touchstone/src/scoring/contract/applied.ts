import type { Evaluator, TaskId } from '@touchstone/protocol';
import {
  type ContractCriterion,
  type ContractTask,
  type EvalContract,
  fromBody,
  type Task,
} from '@touchstone/protocol/bodies';

/** What the author of a contract may allow. */
type Allowances = {
  /** For JSON: one code fence around it does no harm. */
  readonly fenceTolerant?: true;
  /** For similarity: words are compared where there is nobody to ask, and the verdict says so. */
  readonly approximate?: true;
};

/** A task may have a criterion decided by somebody else than the rest do. */
type Terms = ContractTask & { readonly evaluators?: { readonly [criterionId: string]: Evaluator } };

/** A criterion as it applies to one task: what it is held against, what it weighs, and the suite's sentence for it. */
export type Applied = {
  readonly criterion: ContractCriterion & Allowances;
  readonly evaluator: Evaluator;
  readonly task: ContractTask;
  readonly weight: number;
  readonly sentence: string;
};

/** Reads what applies to the tasks of a contract's suite. A suite that is not the contract's never comes this far. */
export function createReader(contract: EvalContract): (task: Task) => readonly Applied[] {
  const criteria = new Map(contract.criteria.map((criterion) => [criterion.id, criterion]));
  return ({ taskId, expected }) => {
    const task = contractTask(contract, taskId);
    const rubric = expected.rubric ?? [];
    if (!task || task.criteria.length !== rubric.length)
      throw new Error(`The contract and its suite disagree about the criteria of task ${taskId}.`);
    return rubric.map(({ criterion: words, weight }, at) => {
      const criterion = criteria.get(task.criteria[at] as string);
      if (!criterion) throw new Error(`A criterion of task ${taskId} is not in the contract.`);
      return {
        criterion,
        evaluator: evaluatorOf(criterion, task),
        task,
        weight,
        sentence: String(fromBody(words)),
      };
    });
  };
}

function evaluatorOf({ id, evaluator }: ContractCriterion, { evaluators = {} }: Terms): Evaluator {
  return (Object.hasOwn(evaluators, id) && evaluators[id]) || evaluator;
}

const contractTask = ({ tasks }: EvalContract, taskId: TaskId): Terms | undefined =>
  Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined;

/** What a task has to reach: all of its strict criteria, or its expected value. Advice alone cannot fail it. */
export function barOf(contract: EvalContract, taskId: TaskId): 0 | 1 {
  const ids = new Set(contractTask(contract, taskId)?.criteria);
  if (ids.size === 0) return 1;
  return contract.criteria.some(({ id, strict }) => strict && ids.has(id)) ? 1 : 0;
}
