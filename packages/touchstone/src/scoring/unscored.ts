import type { Score } from '@touchstone/protocol';
import { CheckOverLimit, type JudgeAnswer, type ScoringResult } from '../ports/index.js';

type JudgeFailure = Pick<Exclude<JudgeAnswer, { kind: 'judged' }>, 'kind'> & Pick<NoScore, 'denial'>;
type NoScore = Extract<Score, { kind: 'unscored' }>;

/** Why a judge left a task without a score. */
export const unscoredByJudge = ({ kind, denial }: JudgeFailure): NoScore => ({
  kind: 'unscored',
  reason: `judge_${kind}`,
  ...(denial && { denial }),
});

/** A check that was stopped tells nothing about the answer, so it must not become its score. Throws every other error. */
export function unscoredOverLimit(error: unknown): ScoringResult {
  if (!(error instanceof CheckOverLimit)) throw error;
  return { score: { kind: 'unscored', reason: 'check_over_limit' }, bodies: { reason: error.message } };
}
