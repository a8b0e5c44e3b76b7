import {
  asId,
  type CriterionId,
  type Evaluator,
  type GateStatus,
  type ReportedGate,
  type TaskResult,
} from '@touchstone/protocol';
import { createMean, type Mean } from '../fold/aggregate.js';
import type { Fold } from '../fold/fold.js';

/** A criterion of a contract, so far as a report may know it. */
export type ContractTerm = {
  readonly id: CriterionId;
  readonly strict: boolean;
  readonly evaluator: Evaluator;
  /** The share of its tasks that must meet it. */
  readonly rate: number;
};

type Tally = { met: number; missed: number; open: number; readonly degrees: Mean };
type CriterionResult = NonNullable<TaskResult['criteria']>[number];

/** Every criterion of a contract over all tasks it applies to, then the tasks that are held against an expected value. */
export function createGates(
  terms: readonly ContractTerm[],
  criteriaOf: (result: TaskResult) => readonly CriterionId[],
  repeats: number,
): Fold<TaskResult, readonly ReportedGate[]> {
  const golden = emptyTally();
  const tallies = new Map(terms.map(({ id }) => [id, emptyTally()]));
  return {
    add(result) {
      const decided = new Map(result.criteria?.map((one) => [one.id, one]));
      const ids = criteriaOf(result);
      if (ids.length === 0) add(golden, wholeOutcome(result), result.unscored ? undefined : result.score);
      for (const id of ids) {
        const tally = tallies.get(id);
        if (tally) count(tally, result, decided.get(id), repeats);
      }
    },
    result() {
      const gates = terms.map((term) => gateOf(term, tallies.get(term.id) ?? emptyTally()));
      const hasGolden = golden.met + golden.missed + golden.open > 0;
      return hasGolden ? [...gates, gateOf(goldenTerm(terms), golden)] : gates;
    },
  };
}

const emptyTally = (): Tally => ({ met: 0, missed: 0, open: 0, degrees: createMean() });

/** A task without criteria has one all the same: to be what was expected. */
function goldenTerm(terms: readonly ContractTerm[]): ContractTerm {
  const taken = new Set<string>(terms.map(({ id }) => id));
  let id = 'golden';
  for (let next = 2; taken.has(id); next += 1) id = `golden-${next}`;
  return { id: asId<CriterionId>(id), strict: true, evaluator: 'reference-match', rate: 1 };
}

function wholeOutcome({ unscored, score }: TaskResult): Outcome {
  if (unscored) return 'open';
  return score >= 1 ? 'met' : 'missed';
}

function count(
  tally: Tally,
  result: TaskResult,
  decided: CriterionResult | undefined,
  repeats: number,
): void {
  const outcome = outcomeOf(result, decided, repeats);
  // What is met or not has a degree too: the share of repeats that met it.
  const share = outcome === 'open' ? undefined : (decided?.met ?? result.score);
  add(tally, outcome, decided?.value ?? share);
}

function add(tally: Tally, outcome: Outcome, degree: number | undefined): void {
  tally[outcome] += 1;
  if (degree !== undefined) tally.degrees.add(degree);
}

type Outcome = 'met' | 'missed' | 'open';

/** Met means in every repeat. A repeat without a verdict leaves that open, unless another one missed it. */
function outcomeOf(result: TaskResult, decided: CriterionResult | undefined, repeats: number): Outcome {
  const { unscored, criteria } = result;
  // Without any criteria it was scored as a whole; where there are others, this one was left out.
  if (!decided) return criteria ? 'open' : wholeOutcome(result);
  if (decided.unjudged) return 'open';
  if (decided.met < 1) return 'missed';
  return unscored && repeats > 1 ? 'open' : 'met';
}

function gateOf({ id, strict, evaluator, rate: required }: ContractTerm, tally: Tally): ReportedGate {
  const { met, missed, open, degrees } = tally;
  // A strict criterion without a verdict has not been met; an advisory one without a verdict is left out.
  const applicable = met + missed + (strict ? open : 0);
  return {
    id,
    strict,
    evaluator,
    applicable,
    met,
    ...(applicable > 0 && { rate: met / applicable }),
    required,
    ...(degrees.count > 0 && { mean: degrees.result() }),
    ...(open > 0 && { unjudged: open }),
    status: strict ? strictStatus(tally, required) : advisoryStatus(tally, required),
  };
}

/**
 * Passed or failed only when that is so whatever the open ones are; otherwise it is unknown. A requirement that none of
 * the chosen tasks has to meet was not tried, which a reader should see and nothing should stop at.
 */
function strictStatus({ met, missed, open }: Tally, rate: number): GateStatus {
  const applicable = met + missed + open;
  if (applicable === 0) return 'warn';
  if (reaches(met, applicable, rate)) return 'pass';
  return reaches(met + open, applicable, rate) ? 'error' : 'fail';
}

function advisoryStatus({ met, missed, open }: Tally, rate: number): GateStatus {
  if (met + missed === 0) return open > 0 ? 'error' : 'warn';
  return reaches(met, met + missed, rate) ? 'pass' : 'warn';
}

const ROUNDING = 1e-9;
const reaches = (met: number, of: number, rate: number): boolean => met / of >= rate - ROUNDING;
