import type { Score } from '@touchstone/protocol';
import type { JudgeAnswer } from '../ports/index.js';

type JudgeFailure = Pick<Exclude<JudgeAnswer, { kind: 'judged' }>, 'kind'> & Pick<NoScore, 'denial'>;
type NoScore = Extract<Score, { kind: 'unscored' }>;

/** Why a judge left a task without a score. */
export const unscoredByJudge = ({ kind, denial }: JudgeFailure): NoScore => ({
  kind: 'unscored',
  reason: `judge_${kind}`,
  ...(denial && { denial }),
});
