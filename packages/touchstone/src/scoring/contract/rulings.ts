import type { UnscoredReason } from '@touchstone/protocol';
import type { ContractCriterion } from '@touchstone/protocol/bodies';

/** What became of one criterion in one task. */
export type Ruling =
  | {
      readonly kind: 'decided';
      readonly met: boolean;
      readonly value?: number;
      readonly agreement?: number;
      readonly reason?: string;
      readonly byJudge?: true;
    }
  /** Whoever was to decide it could not. */
  | { readonly kind: 'undecided'; readonly unjudged: UnscoredReason; readonly reason: string };

/** A degree from 0 to 1, and what there is to say about it. */
export type Measured = { readonly degree: number; readonly reason?: string };

const DEFAULT_DEGREE = 0.5;
/** A cosine of two equal vectors may fall short of 1 by rounding. */
const ROUNDING = 1e-9;

/** Turns a degree into a verdict: a binary criterion wants all of it, a graded one as much as its author asked for. */
export function rule(criterion: ContractCriterion, { degree, reason }: Measured) {
  const isGraded = criterion.class === 'graded';
  return {
    kind: 'decided' as const,
    met: isGraded ? reaches(criterion, degree) : degree === 1,
    ...(isGraded && { value: degree }),
    ...(reason !== undefined && { reason }),
  };
}

function reaches({ direction, degree: wanted = DEFAULT_DEGREE }: ContractCriterion, degree: number): boolean {
  return direction === 'min' ? degree <= wanted + ROUNDING : degree >= wanted - ROUNDING;
}
