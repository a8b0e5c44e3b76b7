import { type ComparedScore, type TaskPair, type TaskResult, TURNS, type Turn } from '@touchstone/protocol';

/** Which tasks are listed. */
export type PairChoice = {
  /** Only this one. */
  readonly taskId?: string | undefined;
  /** Not those that came out the same, which are counted. */
  readonly changedOnly?: boolean | undefined;
};

type TaskPairs = { readonly tasks: readonly TaskPair[]; readonly same: number };

/** Every task of both runs, drops first. */
export function createTaskPairs({ taskId, changedOnly }: PairChoice) {
  const pairs: TaskPair[] = [];
  let same = 0;
  return {
    pair(before: TaskResult | undefined, after: TaskResult | undefined): void {
      if (taskId !== undefined && (after ?? before)?.taskId !== taskId) return;
      const pair = pairOf(before, after);
      if (pair.turn === 'same') same += 1;
      if (pair.turn !== 'same' || !changedOnly) pairs.push(pair);
    },
    result: (): TaskPairs => ({ tasks: sortPairs(pairs), same }),
  };
}

// Scores of repeats are means, and two equal ones may differ in their last digit.
const ROUNDING = 1e-9;

function pairOf(before: TaskResult | undefined, after: TaskResult | undefined): TaskPair {
  if (before && after && !before.unscored && !after.unscored) return scoredPair(before, after);
  const pair = {
    taskId: ((after ?? before) as TaskResult).taskId,
    ...(before && { before: scoreOf(before) }),
    ...(after && { after: scoreOf(after) }),
  };
  return { ...pair, turn: turnOf(pair), ...(after?.criteria && { rubric: true }) };
}

/** Most pairs by far, and made of one piece. */
function scoredPair(earlier: TaskResult, later: TaskResult): TaskPair {
  const moved = later.score - earlier.score;
  const change = Math.abs(moved) < ROUNDING ? 0 : moved;
  const before = { score: earlier.score, passed: earlier.passed };
  const isEqual = later.score === before.score && later.passed === before.passed;
  const after = isEqual ? before : { score: later.score, passed: later.passed };
  const pair = { taskId: later.taskId, before, after, change, turn: turnOf({ before, after, change }) };
  return later.criteria ? { ...pair, rubric: true } : pair;
}

/** What a comparison keeps of a result. */
export const scoreOf = ({ score, passed, unscored }: TaskResult): ComparedScore => ({
  score,
  passed,
  ...(unscored && { unscored: true }),
});

/** Under another threshold a task can change sides although its score has not moved. */
function turnOf({ before, after, change }: Pick<TaskPair, 'before' | 'after' | 'change'>): Turn {
  if (!after) return 'gone';
  if (!before) return 'new';
  if (change === undefined) return before.unscored && after.unscored ? 'same' : 'unclear';
  const towards = change === 0 ? Number(after.passed) - Number(before.passed) : change;
  return towards < 0 ? 'worse' : towards > 0 ? 'better' : 'same';
}

/** Tasks that moved equally far stay in suite order. */
const sortPairs = (pairs: readonly TaskPair[]): readonly TaskPair[] =>
  TURNS.flatMap((turn) => pairs.filter((pair) => pair.turn === turn).sort((a, b) => sizeOf(b) - sizeOf(a)));

/** In steps, so that the last digit does not decide which of two equal moves comes first. */
const sizeOf = ({ change = 0 }: TaskPair): number => Math.round(Math.abs(change) / ROUNDING);
