import { asId, type CriterionId, type Digest, type Evaluator, type TaskId } from '@touchstone/protocol';
import {
  type ContractCriterion,
  type ContractTask,
  type EvalContract,
  fromBody,
  type PinnedContract,
  type Task,
} from '@touchstone/protocol/bodies';

/** What the author of a contract may allow. */
type CriterionAllowances = {
  /** For JSON: one code fence around it does no harm. */
  readonly fenceTolerant?: true;
  /** For similarity: words are compared when there is no embedder and no judge, and the reason says so. */
  readonly approximate?: true;
};

/** A task may have its own evaluator for a criterion. */
type TaskTerms = ContractTask & { readonly evaluators?: { readonly [criterionId: string]: Evaluator } };

/** A criterion as it applies to one task: what it is input against, what it weighs, and the suite's sentence for it. */
export type AppliedCriterion = {
  readonly criterion: ContractCriterion & CriterionAllowances;
  readonly evaluator: Evaluator;
  readonly task: ContractTask;
  readonly weight: number;
  readonly sentence: string;
};

/** Reads which criteria apply to a task of the contract's suite. Any other suite is refused before. */
export function createCriteriaReader(contract: EvalContract): (task: Task) => readonly AppliedCriterion[] {
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

function evaluatorOf({ id, evaluator }: ContractCriterion, { evaluators = {} }: TaskTerms): Evaluator {
  return (Object.hasOwn(evaluators, id) && evaluators[id]) || evaluator;
}

const contractTask = ({ tasks }: EvalContract, taskId: TaskId): TaskTerms | undefined =>
  Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined;

/** The threshold of a task: all of its strict criteria, or its expected value. Advisory criteria alone cannot fail it. */
export function contractThreshold(contract: EvalContract, taskId: TaskId): 0 | 1 {
  const ids = new Set(contractTask(contract, taskId)?.criteria);
  if (ids.size === 0) return 1;
  return contract.criteria.some(({ id, strict }) => strict && ids.has(id)) ? 1 : 0;
}

/** The part of a contract that a report may hold: names, numbers and flags, no prose of its author. */
export function contractTerms({ contract, digest }: PinnedContract) {
  const { criteria, tasks, sla, dataset } = contract;
  const ids = new Map(criteria.map(({ id }) => [id, asId<CriterionId>(id)]));
  return {
    digest,
    criteria: criteria.map(termOf),
    tasks: new Map(
      Object.entries(tasks).map(
        ([taskId, task]) => [asId<TaskId>(taskId), task.criteria.flatMap((id) => ids.get(id) ?? [])] as const,
      ),
    ),
    ...(sla && { sla }),
    ...(dataset && {
      dataset: { digest: asId<Digest>(`sha256:${dataset.sha256}`), rows: dataset.rows },
    }),
  };
}

const termOf = ({ id, strict, evaluator, rate }: ContractCriterion) => ({
  id: asId<CriterionId>(id),
  strict,
  evaluator,
  rate,
});
