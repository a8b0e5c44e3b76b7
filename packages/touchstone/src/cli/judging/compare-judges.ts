import type { CriterionId, RunId, TaskId, TaskResult } from '@touchstone/contract';
import { fromBody, parseCriterion } from '@touchstone/contract/bodies';
import type { LocalTouchstone, TaskView } from '../../host/in-process.js';
import { resultPages, sentenceOf } from '../collect-result.js';
import { LOCAL_OWNER } from '../local.js';
import { type Confusion, confusionOf, type Pair } from './agreement.js';

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
  /** Verdicts on every criterion in plain words that both judges have decided. */
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
  const both = [...second].flatMap(([taskId, now]) => {
    const then = first.get(taskId);
    return then ? [{ taskId, then, now }] : [];
  });
  const changed = both
    .map(({ taskId, then, now }) => ({ taskId, before: seen(then), after: seen(now) }))
    .filter((one) => one.before.score !== one.after.score || one.before.unscored !== one.after.unscored);
  const scored = changed.filter((one) => !one.before.unscored && !one.after.unscored);
  const better = scored.filter((one) => one.after.score > one.before.score).length;
  const criteria: ComparedCriterion[] = [];
  for (const { taskId, then, now } of both) {
    if (!then.judge || !now.judge) continue;
    const views = [before, after].map((runId) => touchstone.viewTask(LOCAL_OWNER, runId, taskId));
    const [one, other] = await Promise.all(views);
    if (one && other) criteria.push(...compareViews(one, other, now));
  }
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

async function resultsByTask(touchstone: LocalTouchstone, runId: RunId): Promise<Map<TaskId, TaskResult>> {
  const results = new Map<TaskId, TaskResult>();
  for await (const page of resultPages(touchstone, runId))
    for (const { result } of page) results.set(result.taskId, result);
  return results;
}

const seen = ({ score, passed, unscored }: TaskResult): Seen => ({
  score,
  passed,
  ...(unscored && { unscored: true }),
});

type ComparedCriterion = { readonly id: CriterionId; readonly sentence: string; readonly pair: Pair };
type Decided = { readonly met: boolean };

/** Repeat by repeat. Checks are left out, because they come out the same whoever judges. */
function compareViews(one: TaskView, other: TaskView, { criteria = [] }: TaskResult): ComparedCriterion[] {
  const { expected } = one;
  if (expected.kind !== 'rubric') return [];
  return one.invocations.flatMap((invocation, repeat) =>
    expected.rubric.flatMap(({ criterion }, place) => {
      const first = (invocation.criteria as readonly Decided[] | undefined)?.[place];
      const second = (other.invocations[repeat]?.criteria as readonly Decided[] | undefined)?.[place];
      const id = criteria[place]?.id;
      // Nobody was asked about an answer that did not come.
      if (!first || !second || !id || invocation.output === undefined) return [];
      if (parseCriterion(String(fromBody(criterion))).kind !== 'prose') return [];
      return [{ id, sentence: sentenceOf(criterion), pair: { first: first.met, second: second.met } }];
    }),
  );
}

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
