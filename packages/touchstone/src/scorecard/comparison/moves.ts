import type { ReportedRegression, TaskId, TaskResult } from '@touchstone/protocol';
import { stepsOf } from '../statistics/sign-flip.js';

export type Moves = Pick<ReportedRegression, 'toFail' | 'toPass' | 'changes' | 'moreChanges'>;

/** Which tasks changed sides, and which scores moved. */
type MovesFold = { add(before: TaskResult, after: TaskResult): void; result(): Moves };

type Move = ReportedRegression['changes'][number] & { readonly steps: number };

const MOST_CHANGES = 1_000;

export function createMoves(): MovesFold {
  const toFail: TaskId[] = [];
  const toPass: TaskId[] = [];
  const moved: Move[] = [];
  return {
    add(before, after) {
      const { taskId } = after;
      if (before.passed !== after.passed) (after.passed ? toPass : toFail).push(taskId);
      const steps = stepsOf(after.score - before.score);
      if (steps !== 0) moved.push({ taskId, before: before.score, after: after.score, steps });
    },
    result: () => ({ toFail, toPass, ...changesOf(moved) }),
  };
}

/** Compared in steps, so that drops of one size stay in suite order whatever the last digit of each says. */
function changesOf(moved: readonly Move[]): Pick<Moves, 'changes' | 'moreChanges'> {
  const sorted = moved.toSorted((a, b) => a.steps - b.steps);
  const changes = sorted.slice(0, MOST_CHANGES).map(({ steps: _, ...change }) => change);
  const more = moved.length - MOST_CHANGES;
  return { changes, ...(more > 0 && { moreChanges: more }) };
}
