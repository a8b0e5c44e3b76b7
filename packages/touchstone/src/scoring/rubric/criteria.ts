import { createHash } from 'node:crypto';
import {
  asId,
  type CriterionId,
  type CriterionResult,
  type Digest,
  defined,
  type Redact,
} from '@touchstone/protocol';
import {
  type Criterion,
  fromBody,
  type ParsedCriterion,
  parseCriterion,
  type RecordBodies,
  type Task,
} from '@touchstone/protocol/bodies';
import type { CriterionVerdict, Scorer, ScoringResult } from '../../ports/index.js';
import type { CheckResult } from '../checks/context.js';
import { shareOf } from '../checks/run-check.js';
import { shortReason, weightedShare } from '../output.js';

/** One line of a task's rubric, as it is read. */
export type RubricCriterion = {
  readonly id: CriterionId;
  readonly weight: number;
  readonly parsed: ParsedCriterion;
};

/** What became of one criterion: the verdict, and how much of its weight it earns when it counts by degree. */
export type CriterionDecision = CriterionVerdict &
  Pick<CheckResult, 'differsAt'> & { readonly share?: number };

type CriterionText = Omit<RubricCriterion, 'weight'>;
/** The same sentence stands in many tasks, and each is read in every repeat. */
const read = new Map<string, CriterionText>();
const KEPT = 5_000;

export const criteriaOf = ({ expected }: Task): readonly RubricCriterion[] =>
  (expected.kind === 'rubric' ? expected.rubric : []).map(readCriterion);

function readCriterion({ criterion, weight }: Criterion): RubricCriterion {
  return { ...readText(String(fromBody(criterion))), weight };
}

function readText(text: string): CriterionText {
  const known = read.get(text);
  if (known) return known;
  const fresh = { id: criterionId(text), parsed: parseCriterion(text) };
  if (read.size >= KEPT) read.clear();
  read.set(text, fresh);
  return fresh;
}

/** An id that reveals nothing of the sentence; the same sentence has the same id in every task. */
const criterionId = (text: string): CriterionId =>
  asId<CriterionId>(`c-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`);

/** The decision that follows from a check's result. */
export function decisionOf({ parsed }: RubricCriterion, result: CheckResult): CriterionDecision {
  const { met, degree, reason, differsAt } = result;
  const share = parsed.kind === 'check' ? shareOf(parsed.args, result) : undefined;
  return defined({ met, score: degree, reason, differsAt, share });
}

type ScoreParts = { readonly redact?: Redact; readonly scorers?: ReadonlyMap<string, Scorer> };

/** The identity of the program that decided a criterion. */
const scorerOf = ({ parsed }: RubricCriterion, scorers: ScoreParts['scorers']): Digest | undefined =>
  parsed.kind === 'check' && parsed.name === 'scorer'
    ? scorers?.get(String(parsed.args.name))?.pin.digest
    : undefined;

/** The score of a task whose criteria are all decided. */
export function rubricScore(
  criteria: readonly RubricCriterion[],
  decisions: readonly CriterionDecision[],
  { redact, scorers }: ScoreParts,
): ScoringResult {
  const pairs = criteria.map((one, at) => [one, decisions[at] as CriterionDecision] as const);
  const value = weightedShare(pairs.map(([{ weight }, { met, share }]) => defined({ weight, met, share })));
  return {
    score: { kind: 'scored', value, findings: [] },
    criteria: pairs.map(([one, decision]) => resultOf(one, decision, scorerOf(one, scorers))),
    bodies: { criteria: decisions.map((decision) => bodyOf(decision, redact)) },
  };
}

function resultOf(
  { id, weight, parsed }: RubricCriterion,
  { met, agreement, score }: CriterionDecision,
  scorer: Digest | undefined,
): CriterionResult {
  const check = !met && parsed.kind === 'check' ? parsed.name : undefined;
  return defined({ id, met, weight, agreement, value: score, check, scorer });
}

function bodyOf(
  { share: _, reason, ...decision }: CriterionDecision,
  redact: Redact,
): NonNullable<RecordBodies['criteria']>[number] {
  return reason === undefined ? decision : { ...decision, reason: shortReason(reason, redact) };
}
