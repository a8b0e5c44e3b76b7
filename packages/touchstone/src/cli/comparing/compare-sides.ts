import type { ReportedRegression, TaskId, TaskResult } from '@touchstone/protocol';
import type { Seen } from '../judging/compare-judges.js';
import { type ChangedCriterion, compareCriteria } from './compare-criteria.js';
import type { Side } from './side.js';

/** One task in both runs; without a side when only the other has it. */
export type TaskPair = {
  readonly taskId: TaskId;
  readonly before?: Seen;
  readonly after?: Seen;
  /** Score after minus score before; absent unless both could score it. */
  readonly change?: number;
};

export const TURNS = ['worse', 'unclear', 'better', 'same', 'gone', 'new'] as const;
/** `unclear`: one of the two could not score it. `gone`, `new`: only one of the two has it. */
export type Turn = (typeof TURNS)[number];

export type Comparison = {
  readonly before: Side;
  readonly after: Side;
  /** Why there is no verdict, when there is none. */
  readonly reason?: string;
  readonly regression?: ReportedRegression;
  /** Every task: drops first and the largest of them on top, then gains likewise, then the rest. */
  readonly tasks: readonly TaskPair[];
  readonly criteria: readonly ChangedCriterion[];
};

export const compareSides = (before: Side, after: Side): Pick<Comparison, 'tasks' | 'criteria'> => ({
  tasks: sortPairs(pairTasks(before.results, after.results)),
  criteria: compareCriteria(before.results, after.results),
});

/** In the order of the later run; what only the earlier one had comes last. */
function pairTasks(before: readonly TaskResult[], after: readonly TaskResult[]): TaskPair[] {
  const earlier = new Map(before.map((result) => [result.taskId, result]));
  const later = new Set(after.map(({ taskId }) => taskId));
  return [
    ...after.map((result) => pairOf(earlier.get(result.taskId), result)),
    ...before.filter(({ taskId }) => !later.has(taskId)).map((result) => pairOf(result, undefined)),
  ];
}

// Scores of repeats are means, and two equal ones may differ in their last digit.
const ROUNDING = 1e-9;

function pairOf(before: TaskResult | undefined, after: TaskResult | undefined): TaskPair {
  const known = before && after && !before.unscored && !after.unscored;
  const change = known ? after.score - before.score : undefined;
  return {
    taskId: ((after ?? before) as TaskResult).taskId,
    ...(before && { before: seen(before) }),
    ...(after && { after: seen(after) }),
    ...(change !== undefined && { change: Math.abs(change) < ROUNDING ? 0 : change }),
  };
}

const seen = ({ score, passed, unscored }: TaskResult): Seen => ({
  score,
  passed,
  ...(unscored && { unscored: true }),
});

/** Under another bar a task can change sides although its score has not moved. */
export function turnOf({ before, after, change }: TaskPair): Turn {
  if (!after) return 'gone';
  if (!before) return 'new';
  if (change === undefined) return before.unscored && after.unscored ? 'same' : 'unclear';
  const towards = change === 0 ? Number(after.passed) - Number(before.passed) : change;
  return towards < 0 ? 'worse' : towards > 0 ? 'better' : 'same';
}

/** Tasks that moved equally far stay in suite order. */
function sortPairs(pairs: readonly TaskPair[]): readonly TaskPair[] {
  const keyed = pairs.map((pair) => ({ pair, rank: TURNS.indexOf(turnOf(pair)), size: -sizeOf(pair) }));
  return keyed.sort((a, b) => a.rank - b.rank || a.size - b.size).map(({ pair }) => pair);
}

/** In steps, so that the last digit does not decide which of two equal moves comes first. */
const sizeOf = ({ change = 0 }: TaskPair): number => Math.round(Math.abs(change) / ROUNDING);

/** Which way a task crossed its bar, when it did. */
export function flipOf({ before, after }: TaskPair): 'passes' | 'fails' | undefined {
  if (!before || !after || before.unscored || after.unscored || before.passed === after.passed)
    return undefined;
  return after.passed ? 'passes' : 'fails';
}

/** Why no verdict can be given on two runs, in words; undefined when one can. */
export function whyNoVerdict(before: Side, after: Side): string | undefined {
  if (before.suite.digest !== after.suite.digest) return otherSuite(before, after);
  const sameTasks =
    before.results.length === after.results.length &&
    before.results.every(({ taskId }, at) => taskId === after.results[at]?.taskId);
  if (!sameTasks) return 'The two runs ran different tasks of the suite. Select the same ones in both.';
  if (before.contract !== after.contract)
    return 'The two runs were scored under different contracts, so their scores mean different things.';
  if (before.repeats !== after.repeats)
    return `Every task was run ${times(before.repeats)} before and ${times(after.repeats)} after. Use the same number of repeats in both.`;
  return undefined;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function otherSuite({ suite: one }: Side, { suite: other }: Side): string {
  const what =
    one.suiteId === other.suiteId && one.version === other.version
      ? `Suite ${one.suiteId}@${one.version} was edited between the two runs`
      : one.suiteId === other.suiteId
        ? `The two runs are of different versions of suite ${one.suiteId}`
        : 'The two runs are of different suites';
  return `${what}: a task of the same name may ask something else, so a difference proves nothing.`;
}
