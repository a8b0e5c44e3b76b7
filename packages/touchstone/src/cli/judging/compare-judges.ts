import type { CriterionId, RunId, TaskId, TaskResult } from '@touchstone/protocol';
import type { LocalTouchstone } from '../../app/index.js';
import type { StepResult } from '../../ports/index.js';
import { resultPages } from '../verbs/run/collect-result.js';
import { type Confusion, confusionOf } from './agreement.js';
import { type ComparedCriterion, comparedCriteria } from './compare-verdicts.js';

/** A score, or that there is none. */
export type Seen = { readonly score: number; readonly passed: boolean; readonly unscored?: true };

export type JudgeComparison = {
  /** `unscored`: those that one of the two could not judge, which is neither better nor worse. */
  readonly tasks: {
    readonly same: number;
    readonly better: number;
    readonly worse: number;
    readonly unscored: number;
  };
  /** In the order of the log. */
  readonly changed: readonly { readonly taskId: TaskId; readonly before: Seen; readonly after: Seen }[];
  /** Verdicts on every criterion that both judges have decided. */
  readonly verdicts: Confusion;
  /** Criteria on which they differed at least once, the most disputed first. */
  readonly disputed: readonly DisputedCriterion[];
};

export type DisputedCriterion = {
  readonly id: CriterionId;
  readonly sentence: string;
  readonly compared: number;
  readonly same: number;
};

/** What two judges made of the same answers. */
export async function compareJudges(
  touchstone: LocalTouchstone,
  before: RunId,
  after: RunId,
): Promise<JudgeComparison> {
  const first = await resultsByTask(touchstone, before);
  const second = await resultsByTask(touchstone, after);
  const both = [...second].flatMap(([taskId, { ordinal, result: now }]) => {
    const then = first.get(taskId)?.result;
    return then ? [{ taskId, ordinal, then, now }] : [];
  });
  const changed = both
    .map(({ taskId, then, now }) => ({ taskId, before: seen(then), after: seen(now) }))
    .filter((one) => one.before.score !== one.after.score || one.before.unscored !== one.after.unscored);
  const scored = changed.filter((one) => !one.before.unscored && !one.after.unscored);
  const better = scored.filter((one) => one.after.score > one.before.score).length;
  const judged = both.filter(({ then, now }) => then.judge && now.judge);
  const criteria = await comparedCriteria(touchstone, before, after, judged);
  return {
    tasks: {
      same: both.length - changed.length,
      better,
      worse: scored.length - better,
      unscored: changed.length - scored.length,
    },
    changed,
    verdicts: confusionOf(criteria.map(({ pair }) => pair)),
    disputed: disputedOf(criteria),
  };
}

async function resultsByTask(touchstone: LocalTouchstone, runId: RunId): Promise<Map<TaskId, StepResult>> {
  const results = new Map<TaskId, StepResult>();
  for await (const page of resultPages(touchstone, runId))
    for (const row of page) results.set(row.result.taskId, row);
  return results;
}

const seen = ({ score, passed, unscored }: TaskResult): Seen => ({
  score,
  passed,
  ...(unscored && { unscored: true }),
});

function disputedOf(criteria: readonly ComparedCriterion[]): readonly DisputedCriterion[] {
  const counts = new Map<CriterionId, DisputedCriterion>();
  for (const { id, sentence, pair } of criteria) {
    const { compared, same } = counts.get(id) ?? { compared: 0, same: 0 };
    const equal = pair.first === pair.second ? 1 : 0;
    counts.set(id, { id, sentence, compared: compared + 1, same: same + equal });
  }
  return [...counts.values()]
    .filter(({ compared, same }) => same < compared)
    .sort((a, b) => a.same / a.compared - b.same / b.compared || (a.id < b.id ? -1 : 1));
}
