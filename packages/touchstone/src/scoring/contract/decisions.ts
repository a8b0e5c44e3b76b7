import { defined, type Redact, type UnscoredReason } from '@touchstone/protocol';
import type { Body, ContractCriterion } from '@touchstone/protocol/bodies';
import type { Checker, Embedder, Judge, Spend } from '../../ports/index.js';
import type { AppliedCriterion } from './applied.js';

/** Whether one criterion is met in one task. */
export type CriterionDecision =
  | {
      readonly kind: 'decided';
      readonly met: boolean;
      readonly value?: number;
      readonly agreement?: number;
      readonly reason?: string;
      readonly byJudge?: true;
    }
  /** The judge or embedder that had to decide it could not. */
  | { readonly kind: 'undecided'; readonly unjudged: UnscoredReason; readonly reason: string };

/** A degree from 0 to 1, with a reason. */
export type Measurement = { readonly degree: number; readonly reason?: string };

const DEFAULT_DEGREE = 0.5;
/** A cosine of two equal vectors may fall short of 1 by rounding. */
const ROUNDING = 1e-9;

/** Decides by a degree: a binary criterion needs all of it, a graded one as much as its author asks for. */
export function decideByDegree(criterion: ContractCriterion, { degree, reason }: Measurement) {
  const isGraded = criterion.class === 'graded';
  const met = isGraded ? reaches(criterion, degree) : degree === 1;
  return defined({ kind: 'decided' as const, met, value: isGraded ? degree : undefined, reason });
}

function reaches({ direction, degree: wanted = DEFAULT_DEGREE }: ContractCriterion, degree: number): boolean {
  return direction === 'min' ? degree <= wanted + ROUNDING : degree >= wanted - ROUNDING;
}

/** The models that can be asked about an answer, and what keeps the secrets of this host from them. */
export type EvaluationModels = {
  readonly judge?: Judge;
  /** Compares meanings; without one, the judge does. */
  readonly embedder?: Embedder;
  readonly redact?: Redact;
};

export type EvaluationContext = EvaluationModels & {
  readonly check: Checker;
  readonly input: Body;
  readonly output: Body;
  readonly seed: string;
  readonly signal: AbortSignal;
  readonly spend: Spend;
};

export type CriterionDecisions = ReadonlyMap<AppliedCriterion, CriterionDecision>;
