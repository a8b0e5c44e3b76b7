import { asId, type CriterionId, type CriterionResult, defined, type Redact } from '@touchstone/protocol';
import type { RecordBodies } from '@touchstone/protocol/bodies';
import type { ScoringResult } from '../../ports/index.js';
import { shortReason, weightedShare } from '../output.js';
import type { AppliedCriterion } from './applied.js';
import type { CriterionDecision, CriterionDecisions } from './decisions.js';

/**
 * The score of a task from the decisions on its criteria: the share of the weight that is met. A task whose criteria are
 * all left out scores 0; its threshold is 0, so it does not fail.
 */
export function conclude(
  applied: readonly AppliedCriterion[],
  decisions: CriterionDecisions,
  redact: Redact,
): ScoringResult {
  const outcomes = applied.map((one) => outcomeOf(one, decisions.get(one) as CriterionDecision));
  const counted = outcomes.filter((outcome) => !isLeftOut(outcome));
  const note = noteOn(outcomes);
  return {
    score: { kind: 'scored', value: weightedShare(counted), findings: [] },
    criteria: counted.map(resultOf),
    bodies: defined({
      criteria: outcomes.map((outcome) => bodyOf(outcome, redact)),
      reason: note === undefined ? undefined : shortReason(note, redact),
    }),
  };
}

type CriterionOutcome = {
  readonly criterion: AppliedCriterion['criterion'];
  readonly weight: number;
  readonly met: boolean;
  readonly decision: CriterionDecision;
};

function outcomeOf({ criterion, weight }: AppliedCriterion, decision: CriterionDecision): CriterionOutcome {
  return { criterion, weight, met: decision.kind === 'decided' && decision.met, decision };
}

/** An advisory criterion without a decision is left out. A strict one counts as not met. */
const isLeftOut = ({ criterion, decision }: CriterionOutcome): boolean =>
  decision.kind === 'undecided' && !criterion.strict;

function resultOf({ criterion, weight, met, decision }: CriterionOutcome): CriterionResult {
  const named = { id: asId<CriterionId>(criterion.id), met, weight };
  if (decision.kind === 'undecided') return { ...named, unjudged: decision.unjudged };
  return defined({ ...named, value: decision.value, agreement: decision.agreement });
}

type CriterionBody = NonNullable<RecordBodies['criteria']>[number];

/** One for each criterion of the suite's task, left out or not: readers find its sentence by its place. */
function bodyOf({ met, decision }: CriterionOutcome, redact: Redact): CriterionBody {
  const score = decision.kind === 'decided' ? decision.value : undefined;
  const reason = decision.reason === undefined ? undefined : shortReason(decision.reason, redact);
  return defined({ met, score, reason });
}

function noteOn(outcomes: readonly CriterionOutcome[]): string | undefined {
  const notes = outcomes.flatMap(({ criterion, decision }) =>
    decision.kind === 'decided'
      ? []
      : [`${criterion.id} (${criterion.strict ? 'counted as not met' : 'left out'}): ${decision.reason}`],
  );
  return notes.length === 0 ? undefined : `Could not be decided: ${notes.join(' ')}`;
}
