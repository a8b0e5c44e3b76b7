import { defined, redactDeep } from '@touchstone/protocol';
import type { CriterionVerdict, JudgeAnswer, JudgedCriterion } from '../../ports/index.js';
import type { AppliedCriterion } from './applied.js';
import {
  type CriterionDecision,
  type CriterionDecisions,
  decideByDegree,
  type EvaluationContext,
} from './decisions.js';

/** Asks the judge about all criteria that only it can decide, in one question. */
export async function askJudge(
  applied: readonly AppliedCriterion[],
  context: EvaluationContext,
): Promise<CriterionDecisions> {
  const { judge, redact, input, output, seed, signal, spend } = context;
  if (applied.length === 0) return new Map();
  const criteria = applied.map(toJudged);
  const question = redactDeep({ input, output, criteria, seed }, redact);
  const judged = judge ? await judge.judge(question, signal, spend) : NO_JUDGE;
  return new Map(applied.map((one, at) => [one, decisionOf(one, judged, at)] as const));
}

const NO_JUDGE: JudgeAnswer = { kind: 'unreachable', reason: 'There is no judge to ask.', usage: [] };

/** For a graded criterion the judge also gives a degree. For a fault that is the degree to which it is present. */
function toJudged({ criterion, sentence }: AppliedCriterion): JudgedCriterion {
  if (criterion.class === 'binary') return { sentence };
  const fault = `A fault is named here, though it may be described by its absence. Met means that the answer has the fault, and the score says how much of it, from 0 for none at all: ${sentence}`;
  return { sentence: criterion.direction === 'min' ? fault : sentence, graded: true };
}

function decisionOf({ criterion }: AppliedCriterion, judged: JudgeAnswer, at: number): CriterionDecision {
  if (judged.kind !== 'judged') return undecided(judged.kind, judged.reason);
  const verdict = judged.verdicts[at];
  if (!verdict) return undecided('unreadable', 'The judge left out a criterion.');
  return criterion.class === 'binary' ? yesOrNo(verdict) : graded(criterion, verdict);
}

const yesOrNo = ({ met, reason, agreement }: CriterionVerdict): CriterionDecision =>
  defined({ kind: 'decided', byJudge: true, met, agreement, reason } as const);

/** The degree alone decides. The votes' yes and no may differ from it, so there is no agreement. */
function graded(
  criterion: AppliedCriterion['criterion'],
  { score, reason }: CriterionVerdict,
): CriterionDecision {
  if (score === undefined) return undecided('unreadable', 'The judge gave no degree for a graded criterion.');
  return { ...decideByDegree(criterion, defined({ degree: score, reason })), byJudge: true };
}

const undecided = (kind: Exclude<JudgeAnswer['kind'], 'judged'>, reason: string): CriterionDecision => ({
  kind: 'undecided',
  unjudged: `judge_${kind}`,
  reason,
});
