import type { Json } from '@touchstone/protocol';
import { type Body, type ContractTask, fromBody } from '@touchstone/protocol/bodies';
import {
  after,
  type Checker,
  type CheckWork,
  type ForeignSchemas,
  type MaybePromise,
  type SchemaFit,
  type Transcript,
} from '../../ports/index.js';
import { crossCost, foldingCost, sizeOf } from '../cost.js';
import type { AppliedCriterion } from './applied.js';
import type { Measurement } from './decisions.js';
import {
  type DecidableEvaluator,
  type EvaluatorParts,
  evaluate,
  isDecidable,
  referencesOf,
} from './evaluators.js';

type CriterionTerms = {
  readonly evaluator: DecidableEvaluator;
  readonly criterion: AppliedCriterion['criterion'];
};
/** The criteria are all of one task. */
type MeasureQuestion = Omit<EvaluatorParts, 'schemaCheck'> & {
  readonly criteria: readonly CriterionTerms[];
  readonly task: ContractTask;
  readonly transcript: Pick<Transcript, 'toolCalls' | 'latencyMs'>;
  readonly output: Json;
};

/** How far an answer meets each of some criteria, in their order. */
export const measureCriteria = (
  schemaCheck: SchemaFit,
): CheckWork<MeasureQuestion, readonly Measurement[]> => ({
  name: 'measure-criteria',
  run: ({ criteria, task, transcript, output, ...parts }) =>
    criteria.map(({ evaluator, criterion }) =>
      evaluate(evaluator, { criterion, task, transcript, output }, { ...parts, schemaCheck }),
    ),
});

export type MeasureParts = Omit<EvaluatorParts, 'schemaCheck'> & {
  readonly check: Checker;
  readonly schemas: ForeignSchemas;
};

/** Measures the criteria of a task that need no model. */
export function createMeasure({ check, schemas, returnSchema, expectedLatencyMs }: MeasureParts) {
  const work = measureCriteria(schemas.fit);
  const parts = {
    ...(returnSchema && { returnSchema }),
    ...(expectedLatencyMs !== undefined && { expectedLatencyMs }),
  };
  return (
    applied: readonly AppliedCriterion[],
    { toolCalls, latencyMs }: Transcript,
    output: Body,
    signal: AbortSignal,
  ): MaybePromise<ReadonlyMap<AppliedCriterion, Measurement>> => {
    const decidable = applied.filter(({ evaluator }) => isDecidable(evaluator));
    const [first] = decidable;
    if (!first) return new Map();
    const question: MeasureQuestion = {
      ...parts,
      criteria: decidable.map(termsOf),
      task: first.task,
      transcript: { toolCalls, ...(latencyMs !== undefined && { latencyMs }) },
      output: fromBody(output),
    };
    return after(
      check(work, question, costOf(question, schemas), signal),
      (degrees) => new Map(decidable.map((one, at) => [one, degrees[at] as Measurement])),
    );
  };
}

const termsOf = ({ evaluator, criterion }: AppliedCriterion): CriterionTerms => ({
  evaluator: evaluator as DecidableEvaluator,
  criterion,
});

function costOf(
  { criteria, task, output, returnSchema }: MeasureQuestion,
  { costUs }: ForeignSchemas,
): number {
  const size = sizeOf(output);
  const references = referencesOf(task) ?? [];
  const compared = sizeOf(references) + sizeOf(task.forbidden ?? []);
  const words = foldingCost(size * (1 + references.length) + compared) + crossCost(size, compared);
  const schema = task.schema ?? returnSchema;
  const usesSchema = schema && criteria.some(({ evaluator }) => evaluator === 'schema-validity');
  return criteria.length * words + (usesSchema ? size + costUs(schema, output) : 0);
}
