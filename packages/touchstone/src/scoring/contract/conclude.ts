import { asId, type CriterionId, type CriterionResult, type Redact, redactDeep } from '@touchstone/protocol';
import type { RecordBodies } from '@touchstone/protocol/bodies';
import type { ScoringResult } from '../../ports/index.js';
import type { Applied } from './applied.js';
import type { Rulings } from './asking.js';
import type { Ruling } from './rulings.js';

/** The score of a task from what became of its criteria: the share of the weight that is met. */
export function conclude(applied: readonly Applied[], rulings: Rulings, redact: Redact): ScoringResult {
  const ruled = applied.map((one) => ({ ...one, ruling: rulings.get(one) as Ruling }));
  const counted = ruled.filter((one) => !isLeftOut(one));
  const reason = noteOn(ruled);
  return {
    score: { kind: 'scored', value: weightedShare(counted), findings: [] },
    criteria: counted.map(resultOf),
    bodies: {
      criteria: ruled.map(({ ruling }) => bodyOf(ruling, redact)),
      ...(reason !== undefined && { reason: shortened(reason, redact) }),
    },
  };
}

type Ruled = Applied & { readonly ruling: Ruling };

/** Advice that nobody could give is no advice. A hard requirement that nobody could look at has not been met. */
const isLeftOut = ({ criterion, ruling }: Ruled): boolean => ruling.kind === 'undecided' && !criterion.strict;

const isMet = (ruling: Ruling): boolean => ruling.kind === 'decided' && ruling.met;

/**
 * Added as whole numbers: seven sevenths would otherwise not be one. A row of advice, none of which could be given, is
 * worth nothing; its bar is 0, so that it fails nobody.
 */
function weightedShare(counted: readonly Ruled[]): number {
  const units = counted.map(({ weight }) => Math.round(weight * UNITS));
  const total = units.reduce((sum, unit) => sum + unit, 0);
  const met = units.reduce((sum, unit, at) => sum + (isMet((counted[at] as Ruled).ruling) ? unit : 0), 0);
  return total === 0 ? 0 : met / total;
}

const UNITS = 1e11;

function resultOf({ criterion, weight, ruling }: Ruled): CriterionResult {
  const named = { id: asId<CriterionId>(criterion.id), met: isMet(ruling), weight };
  if (ruling.kind === 'undecided') return { ...named, unjudged: ruling.unjudged };
  const { value, agreement } = ruling;
  return {
    ...named,
    ...(value !== undefined && { value }),
    ...(agreement !== undefined && { agreement }),
  };
}

type CriterionBody = NonNullable<RecordBodies['criteria']>[number];

/** One for each criterion of the suite's task, left out or not: readers find its sentence by its place. */
function bodyOf(ruling: Ruling, redact: Redact): CriterionBody {
  const { reason } = ruling;
  const score = ruling.kind === 'decided' ? ruling.value : undefined;
  return {
    met: isMet(ruling),
    ...(score !== undefined && { score }),
    ...(reason !== undefined && { reason: shortened(reason, redact) }),
  };
}

function noteOn(ruled: readonly Ruled[]): string | undefined {
  const notes = ruled.flatMap(({ criterion, ruling }) =>
    ruling.kind === 'decided'
      ? []
      : [`${criterion.id} (${criterion.strict ? 'counted as not met' : 'left out'}): ${ruling.reason}`],
  );
  return notes.length === 0 ? undefined : `Could not be decided: ${notes.join(' ')}`;
}

const MAX_REASON = 2_000;

/** Redacted before it is cut: half a secret would pass for none. */
const shortened = (reason: string, redact: Redact): string => redactDeep(reason, redact).slice(0, MAX_REASON);
