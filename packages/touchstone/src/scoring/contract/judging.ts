import { redactDeep } from '@touchstone/protocol';
import type { CriterionVerdict, JudgeAnswer, JudgedCriterion } from '../../ports/index.js';
import type { Applied } from './applied.js';
import type { Asking, Rulings } from './asking.js';
import { type Ruling, rule } from './rulings.js';

/** Asks about everything that only a judge can say of an answer, in one question. */
export async function askJudge(applied: readonly Applied[], asking: Asking): Promise<Rulings> {
  const { judge, redact, input, output, seed, signal, spend } = asking;
  if (applied.length === 0) return new Map();
  const criteria = applied.map(toJudged);
  const question = redactDeep({ input, output, criteria, seed }, redact);
  const judged = judge ? await judge.judge(question, signal, spend) : NO_JUDGE;
  return new Map(applied.map((one, at) => [one, rulingOf(one, judged, at)] as const));
}

const NO_JUDGE: JudgeAnswer = { kind: 'unreachable', reason: 'There is no judge to ask.', usage: [] };

/** Beside yes and no a judge says how far something is so. For a fault that is the degree to which it is there. */
function toJudged({ criterion, sentence }: Applied): JudgedCriterion {
  if (criterion.class === 'binary') return { sentence };
  const fault = `A fault is named here, though it may be described by its absence. Met means that the answer has the fault, and the score says how much of it, from 0 for none at all: ${sentence}`;
  return { sentence: criterion.direction === 'min' ? fault : sentence, graded: true };
}

function rulingOf({ criterion }: Applied, judged: JudgeAnswer, at: number): Ruling {
  if (judged.kind !== 'judged') return undecided(judged.kind, judged.reason);
  const verdict = judged.verdicts[at];
  if (!verdict) return undecided('unreadable', 'The judge left out a criterion.');
  return criterion.class === 'binary' ? yesOrNo(verdict) : graded(criterion, verdict);
}

const yesOrNo = ({ met, reason, agreement }: CriterionVerdict): Ruling => ({
  kind: 'decided',
  byJudge: true,
  met,
  ...(agreement !== undefined && { agreement }),
  ...(reason !== undefined && { reason }),
});

/** The degree alone decides. The votes' yes and no stand beside it and may say otherwise, so no agreement is claimed. */
function graded(criterion: Applied['criterion'], { score, reason }: CriterionVerdict): Ruling {
  if (score === undefined) return undecided('unreadable', 'The judge gave no degree for a graded criterion.');
  const measured = { degree: score, ...(reason !== undefined && { reason }) };
  return { ...rule(criterion, measured), byJudge: true };
}

const undecided = (kind: 'unreadable' | 'unreachable', reason: string): Ruling => ({
  kind: 'undecided',
  unjudged: `judge_${kind}`,
  reason,
});
