import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { JsonObject } from '@touchstone/protocol';
import {
  type Body,
  type EvalContract,
  fromBody,
  type GoldenMatch,
  type Task,
} from '@touchstone/protocol/bodies';
import type { SchemaCheck, ScoringResult, Spend, Transcript } from '../../ports/index.js';
import { scoreGolden } from '../golden.js';
import { type AppliedCriterion, createCriteriaReader } from './applied.js';
import { askJudge } from './ask-judge.js';
import { conclude } from './conclude.js';
import {
  type CriterionDecision,
  type CriterionDecisions,
  decideByDegree,
  type EvaluationContext,
  type EvaluationModels,
} from './decisions.js';
import { type EvaluatorParts, evaluate, isDecidable } from './evaluators.js';
import { compareMeanings } from './similarity.js';

export type ContractParts = EvaluationModels & {
  readonly contract: EvalContract;
  readonly schemaCheck: SchemaCheck;
  readonly returnSchema?: JsonObject;
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
) => ContractScore | Promise<ContractScore>;

/** Scores the tasks of a suite by the contract that it was compiled with. Asks a model only where a criterion needs it. */
export function createContractScorer(parts: ContractParts): ContractScorer {
  const appliedTo = createCriteriaReader(parts.contract);
  const queueForSchema = createSchemaQueue();
  const sla = parts.contract.sla?.expectedLatencyMs;
  const evaluating = { ...parts, ...(sla !== undefined && { expectedLatencyMs: sla }) };
  return (task, transcript, signal, spend) => {
    const output = answerOf(transcript, parts.adversarial);
    if (task.expected.kind === 'golden') return goldenScore(task.expected.match, output);
    const applied = appliedTo(task);
    if (output === undefined) return conclude(applied, noneMet(applied), parts.redact);
    const decideAll = () => {
      const decided = decide(applied, transcript, output, evaluating);
      const scored = (decisions: CriterionDecisions) => ({
        ...conclude(applied, decisions, parts.redact),
        ...judgedBy(decisions, parts),
        ...schemaValidity(decisions, parts),
      });
      const open = applied.filter((one) => !decided.has(one));
      if (open.length === 0) return scored(decided);
      const context = { ...parts, input: task.input, output, seed: transcript.seed, signal, spend };
      return ask(open, context).then((asked) => scored(new Map([...decided, ...asked])));
    };
    return usesSchema(applied) ? queueForSchema().then(decideAll) : decideAll();
  };
}

const usesSchema = (applied: readonly AppliedCriterion[]): boolean =>
  applied.some(({ evaluator }) => evaluator === 'schema-validity');

/** A foreign schema may take its whole bounded time, so tasks that need one are scored one at a time, and yield in between. */
function createSchemaQueue(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => yieldToEventLoop());
    return last;
  };
}

/** An invocation that failed has no answer to score. */
function answerOf({ outcome, output }: Transcript, adversarial = false): Body | undefined {
  return outcome === 'failed' || (outcome === 'refused' && !adversarial) ? undefined : output;
}

function goldenScore(match: GoldenMatch, output: Body | undefined): ScoringResult {
  const value = output === undefined ? 0 : scoreGolden(match, output);
  return { score: { kind: 'scored', value, findings: [] } };
}

/** A decision for every criterion rather than for none: a gate counts the share of all tasks that meet its criterion. */
const noneMet = (applied: readonly AppliedCriterion[]): CriterionDecisions =>
  new Map(applied.map((one) => [one, { kind: 'decided', met: false }] as const));

function decide(
  applied: readonly AppliedCriterion[],
  transcript: Transcript,
  output: Body,
  parts: EvaluatorParts,
): Map<AppliedCriterion, CriterionDecision> {
  const decisions = new Map<AppliedCriterion, CriterionDecision>();
  for (const one of applied) {
    const { criterion, evaluator, task } = one;
    if (!isDecidable(evaluator)) continue;
    const input = { criterion, task, transcript, output: fromBody(output) };
    decisions.set(one, decideByDegree(criterion, evaluate(evaluator, input, parts)));
  }
  return decisions;
}

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
