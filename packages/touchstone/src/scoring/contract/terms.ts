import { asId, type CriterionId, type Digest, type TaskId } from '@touchstone/protocol';
import type { ContractCriterion, PinnedContract } from '@touchstone/protocol/bodies';

/** The part of a contract that a report may know: names, numbers and flags, nothing that an author wrote. */
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
