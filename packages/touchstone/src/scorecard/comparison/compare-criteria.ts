import type { ChangedCriterion, CriterionId, TaskResult } from '@touchstone/protocol';

type Sum = {
  tasks: number;
  before: number;
  after: number;
  changed: number;
  example?: ChangedCriterion['example'];
};

/** Criteria that came out differently in at least one task, the largest loss first. */
export function createChangedCriteria() {
  const sums = new Map<CriterionId, Sum>();
  return {
    pair(before: TaskResult | undefined, after: TaskResult | undefined): void {
      if (!before || !after?.criteria || before.unscored || after.unscored) return;
      addTask(sums, before, after);
    },
    result: (): readonly ChangedCriterion[] => changedIn(sums),
  };
}

const changedIn = (sums: ReadonlyMap<CriterionId, Sum>): readonly ChangedCriterion[] =>
  [...sums]
    .flatMap(([id, { example, tasks, ...sum }]) => {
      const means = { before: sum.before / tasks, after: sum.after / tasks };
      return example ? [{ id, tasks, ...means, changed: sum.changed, example }] : [];
    })
    .sort((a, b) => a.after - a.before - (b.after - b.before) || (a.id < b.id ? -1 : 1));

function addTask(sums: Map<CriterionId, Sum>, before: TaskResult, after: TaskResult): void {
  const then = new Map((before.criteria ?? []).map(({ id, met }, at) => [id, { met, at }]));
  for (const [at, { id, met }] of (after.criteria ?? []).entries()) {
    const was = then.get(id);
    if (was === undefined) continue;
    const sum = sums.get(id) ?? { tasks: 0, before: 0, after: 0, changed: 0 };
    sums.set(id, sum);
    sum.tasks += 1;
    sum.before += was.met;
    sum.after += met;
    if (was.met === met) continue;
    sum.changed += 1;
    sum.example ??= { taskId: after.taskId, before: was.at, after: at };
  }
}
