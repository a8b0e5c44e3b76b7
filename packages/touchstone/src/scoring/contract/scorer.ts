import type { Body, EvalContract, GoldenMatch, Task } from '@touchstone/protocol/bodies';
import {
  after,
  type MaybePromise,
  type ScoringResult,
  type Spend,
  type Transcript,
} from '../../ports/index.js';
import { GOLDEN, goldenCost, goldenResult } from '../golden.js';
import { type AppliedCriterion, createCriteriaReader } from './applied.js';
import { askJudge } from './ask-judge.js';
import { conclude } from './conclude.js';
import {
  type CriterionDecisions,
  decideByDegree,
  type EvaluationContext,
  type EvaluationModels,
  type Measurement,
} from './decisions.js';
import { createMeasure, type MeasureParts } from './measure.js';
import { compareMeanings } from './similarity.js';

export type ContractParts = EvaluationModels &
  Omit<MeasureParts, 'expectedLatencyMs'> & {
    readonly contract: EvalContract;
    /** A refusal may be the expected answer to a probe; in other modes it leaves the task undone. */
    readonly adversarial?: boolean;
  };

/** `schemaValid` when a criterion has asked whether the answer fits a schema. */
export type ContractScore = ScoringResult & { readonly schemaValid?: boolean };

export type ContractScorer = (
  task: Task,
  transcript: Transcript,
  signal: AbortSignal,
  spend: Spend,
) => MaybePromise<ContractScore>;

/** Scores the tasks of a suite by the contract that it was compiled with. Asks a model only where a criterion needs it. */
export function createContractScorer(parts: ContractParts): ContractScorer {
  const appliedTo = createCriteriaReader(parts.contract);
  const sla = parts.contract.sla?.expectedLatencyMs;
  const measure = createMeasure({ ...parts, ...(sla !== undefined && { expectedLatencyMs: sla }) });
  return (task, transcript, signal, spend) => {
    const output = answerOf(transcript, parts.adversarial);
    if (task.expected.kind === 'golden') return goldenScore(parts, task.expected.match, output, signal);
    const applied = appliedTo(task);
    if (output === undefined) return conclude(applied, noneMet(applied), parts.redact);
    const scored = (decisions: CriterionDecisions) => ({
      ...conclude(applied, decisions, parts.redact),
      ...judgedBy(decisions, parts),
      ...schemaValidity(decisions, parts),
    });
    return after(measure(applied, transcript, output, signal), (measured) => {
      const decided = decisionsOf(measured);
      const open = applied.filter((one) => !decided.has(one));
      if (open.length === 0) return scored(decided);
      const context = { ...parts, input: task.input, output, seed: transcript.seed, signal, spend };
      return ask(open, context).then((asked) => scored(new Map([...decided, ...asked])));
    });
  };
}

const decisionsOf = (measured: ReadonlyMap<AppliedCriterion, Measurement>): CriterionDecisions =>
  new Map([...measured].map(([one, degree]) => [one, decideByDegree(one.criterion, degree)] as const));

/** An invocation that failed has no answer to score. */
function answerOf({ outcome, output }: Transcript, adversarial = false): Body | undefined {
  return outcome === 'failed' || (outcome === 'refused' && !adversarial) ? undefined : output;
}

function goldenScore(
  { check }: ContractParts,
  match: GoldenMatch,
  output: Body | undefined,
  signal: AbortSignal,
): MaybePromise<ScoringResult> {
  if (output === undefined) return goldenResult(0);
  const question = { match, output };
  return after(check(GOLDEN, question, goldenCost(question), signal), goldenResult);
}

/** A decision for every criterion rather than for none: a gate counts the share of all tasks that meet its criterion. */
const noneMet = (applied: readonly AppliedCriterion[]): CriterionDecisions =>
  new Map(applied.map((one) => [one, { kind: 'decided', met: false }] as const));

/** One after the other, so that their costs are recorded in the same order every time. */
async function ask(
  open: readonly AppliedCriterion[],
  context: EvaluationContext,
): Promise<CriterionDecisions> {
  const { embedder, judge } = context;
  const isCompared = ({ evaluator, criterion }: AppliedCriterion) =>
    evaluator === 'similarity' && (embedder !== undefined || (!judge && criterion.approximate));
  const compared = await compareMeanings(open.filter(isCompared), context);
  const judged = await askJudge(
    open.filter((one) => !isCompared(one)),
    context,
  );
  return new Map([...compared, ...judged]);
}

function judgedBy(decisions: CriterionDecisions, { judge }: ContractParts): Pick<ScoringResult, 'judge'> {
  const byJudge = [...decisions.values()].some((decision) => decision.kind === 'decided' && decision.byJudge);
  return byJudge && judge ? { judge: judge.identity.digest } : {};
}

function schemaValidity(
  decisions: CriterionDecisions,
  { returnSchema }: ContractParts,
): Pick<ContractScore, 'schemaValid'> {
  for (const [{ evaluator, task }, decision] of decisions) {
    if (evaluator !== 'schema-validity' || !(task.schema ?? returnSchema)) continue;
    return { schemaValid: decision.kind === 'decided' && decision.met };
  }
  return {};
}
