import type { CriterionId, TaskId, TaskResult } from '@touchstone/protocol';

/** A criterion that was met more often, or less often, than before. */
export type ChangedCriterion = {
  readonly id: CriterionId;
  /** In how many tasks both runs decided it. */
  readonly tasks: number;
  /** Mean over those tasks of the share of repeats that met it. */
  readonly before: number;
  readonly after: number;
  /** In how many of them it changed, and the first of those. */
  readonly changed: number;
  readonly example: TaskId;
};

type Sum = { tasks: number; before: number; after: number; changed: number; example?: TaskId };

/** Criteria that came out differently in at least one task, the largest loss first. */
export function compareCriteria(
  before: readonly TaskResult[],
  after: readonly TaskResult[],
): readonly ChangedCriterion[] {
  const earlier = new Map(before.map((result) => [result.taskId, result]));
  const sums = new Map<CriterionId, Sum>();
  for (const result of after) {
    const known = earlier.get(result.taskId);
    if (known && !known.unscored && !result.unscored) addTask(sums, known, result);
  }
  return [...sums]
    .flatMap(([id, { example, ...sum }]) => (example === undefined ? [] : [meanOf(id, sum, example)]))
    .sort((a, b) => a.after - a.before - (b.after - b.before) || (a.id < b.id ? -1 : 1));
}

function addTask(sums: Map<CriterionId, Sum>, before: TaskResult, after: TaskResult): void {
  const then = new Map((before.criteria ?? []).map(({ id, met }) => [id, met]));
  for (const { id, met } of after.criteria ?? []) {
    const was = then.get(id);
    if (was === undefined) continue;
    const sum = sums.get(id) ?? { tasks: 0, before: 0, after: 0, changed: 0 };
    sums.set(id, sum);
    sum.tasks += 1;
    sum.before += was;
    sum.after += met;
    if (was === met) continue;
    sum.changed += 1;
    sum.example ??= after.taskId;
  }
}

const meanOf = (id: CriterionId, sum: Omit<Sum, 'example'>, example: TaskId): ChangedCriterion => ({
  id,
  tasks: sum.tasks,
  before: sum.before / sum.tasks,
  after: sum.after / sum.tasks,
  changed: sum.changed,
  example,
});
