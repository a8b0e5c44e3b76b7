import type { TaskScore } from '@touchstone/protocol';
import type { Run } from '../../ports/index.js';
import { hasTotals } from '../../scorecard/index.js';
import { damagedError } from '../../store/index.js';

/**
 * The totals of a completed run stand in its row, in its last event and in its results, which lie on different pages of the
 * store. Where they disagree a page is damaged, and a wrong total must not be taken for a result.
 */
export function checkTotals(
  { headline }: Pick<Run, 'headline'>,
  tasks: readonly Pick<TaskScore, 'score' | 'passed'>[],
): void {
  if (headline && !hasTotals(tasks, headline)) throw damagedError('headline');
}
