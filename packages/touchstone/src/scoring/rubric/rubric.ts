import { isJudged, type Task } from '@touchstone/protocol/bodies';
import {
  after,
  type MaybePromise,
  type ScoringResult,
  type Spend,
  type Transcript,
} from '../../ports/index.js';
import type { CheckResult } from '../checks/context.js';
import { isDecidableCheck } from '../checks/run-check.js';
import { type AnswerCheck, createAnswerChecks } from '../checks/work.js';
import { askJudge } from './ask-judge.js';
import { askScorers } from './ask-scorers.js';
import { compareMeanings } from './compare-meanings.js';
import {
  type CriterionDecision,
  criteriaOf,
  decisionOf,
  type RubricCriterion,
  rubricScore,
} from './criteria.js';
import type { GroupDecision, RubricContext, RubricParts } from './rubric-context.js';

export type RubricScorer = (
  task: Task,
  transcript: Transcript,
  signal: AbortSignal,
  spend: Spend,
) => MaybePromise<ScoringResult>;

type Group = {
  readonly takes: (criterion: RubricCriterion) => boolean;
  readonly decide: (criteria: readonly RubricCriterion[], context: RubricContext) => Promise<GroupDecision>;
};

const isCheck = (name: string) => (criterion: RubricCriterion) =>
  criterion.parsed.kind === 'check' && criterion.parsed.name === name;

/** Criteria that are not decidable, each kind decided by one question. */
const GROUPS: readonly Group[] = [
  // First, because it costs nothing: a task that a scorer leaves without a score needs no judge.
  { takes: isCheck('scorer'), decide: askScorers },
  { takes: ({ parsed }) => isJudged(parsed), decide: askJudge },
  { takes: isCheck('similar'), decide: compareMeanings },
];

/** Scores a rubric task: decidable criteria by their checks, prose by the judge, all in one weighted sum. */
export const createRubricScorer = (parts: RubricParts): RubricScorer => {
  const decideChecks = createAnswerChecks(parts.check, parts.schemas);
  return (task, transcript, signal, spend) => {
    const criteria = criteriaOf(task);
    const decided = new Map(criteria.flatMap((one, at) => earlierDecision(one, at, transcript)));
    const undecided = criteria.filter((one) => !decided.has(one));
    const checks = undecided.filter(isDecidable);
    const open = undecided.filter((one) => !isDecidable(one));
    const context: RubricContext = { parts, task, transcript, signal, spend };
    // Before a model is asked, which costs: without the checks there is no score.
    return after(decideChecks(checks.map(checkOf), transcript, signal), (results) => {
      for (const [at, one] of checks.entries()) decided.set(one, decisionOf(one, results[at] as CheckResult));
      return open.length === 0
        ? conclude(criteria, decided, context)
        : decideOpen(criteria, open, decided, context);
    });
  };
};

type Decisions = Map<RubricCriterion, CriterionDecision>;

async function decideOpen(
  criteria: readonly RubricCriterion[],
  open: readonly RubricCriterion[],
  decided: Decisions,
  context: RubricContext,
): Promise<ScoringResult> {
  let judge: ScoringResult['judge'];
  for (const { takes, decide } of GROUPS) {
    const members = open.filter(takes);
    if (members.length === 0) continue;
    const answer = await decide(members, context);
    if ('unscored' in answer) return answer.unscored;
    judge ??= answer.judge;
    members.forEach((one, at) => {
      decided.set(one, answer.decisions[at] as CriterionDecision);
    });
  }
  return { ...conclude(criteria, decided, context), ...(judge && { judge }) };
}

const conclude = (
  criteria: readonly RubricCriterion[],
  decided: Decisions,
  { parts }: RubricContext,
): ScoringResult =>
  rubricScore(
    criteria,
    criteria.map((one) => decided.get(one) as CriterionDecision),
    parts,
  );

const isDecidable = ({ parsed }: RubricCriterion): boolean =>
  parsed.kind === 'check' && isDecidableCheck(parsed.name);

function checkOf({ parsed }: RubricCriterion): AnswerCheck {
  if (parsed.kind === 'check' && isDecidableCheck(parsed.name))
    return { name: parsed.name, args: parsed.args };
  throw new Error('A criterion that is not decidable came to be decided without a model.');
}

/** When a recorded answer is judged again, its checks keep their verdicts: time, cost and programs are facts by then. */
function earlierDecision(
  one: RubricCriterion,
  at: number,
  { decided }: Transcript,
): [RubricCriterion, CriterionDecision][] {
  const earlier = decided?.[at];
  if (!earlier || isJudged(one.parsed)) return [];
  const { score, ...verdict } = earlier;
  return [[one, { ...decisionOf(one, { ...verdict, ...(score !== undefined && { degree: score }) }) }]];
}
