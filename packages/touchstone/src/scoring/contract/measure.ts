import { type Issue, isHostError, type Json, type JsonObject } from '@touchstone/protocol';
import { type Body, type ContractTask, fromBody, toBody } from '@touchstone/protocol/bodies';
import {
  after,
  type Checker,
  type CheckWork,
  type MaybePromise,
  type SchemaCheck,
  type Transcript,
} from '../../ports/index.js';
import { searchCost, sizeOf } from '../cost.js';
import type { AppliedCriterion } from './applied.js';
import type { Measurement } from './decisions.js';
import { type DecidableEvaluator, evaluate, isDecidable, referencesOf, soundJson } from './evaluators.js';

export type MeasureParts = {
  readonly check: Checker;
  readonly schemaCheck: SchemaCheck;
  /** What the agent promises to return; a row's own schema goes before it. */
  readonly returnSchema?: JsonObject;
  /** The most milliseconds, where a criterion names none of its own. */
  readonly expectedLatencyMs?: number;
};

type MeasuredCriterion = {
  readonly evaluator: DecidableEvaluator;
  readonly criterion: AppliedCriterion['criterion'];
};
type MeasureQuestion = {
  readonly criteria: readonly MeasuredCriterion[];
  /** All criteria are those of one task. */
  readonly task: ContractTask;
  readonly transcript: Pick<Transcript, 'toolCalls' | 'latencyMs'>;
  readonly output: Json;
  readonly expectedLatencyMs?: number;
};

/** How far an answer meets each of some criteria, in their order. */
export const MEASURE: CheckWork<MeasureQuestion, readonly Measurement[]> = {
  name: 'measure',
  run: ({ criteria, ...input }) =>
    criteria.map(({ evaluator, criterion }) => evaluate(evaluator, { ...input, criterion })),
};

/** Per character: folding a text and taking its words apart. */
const FOLDING_US = 0.5;

function costOf({ criteria, task, output }: MeasureQuestion): number {
  const size = sizeOf(output);
  const { forbidden = [] } = task;
  const references = referencesOf(task) ?? [];
  const compared = sizeOf(references) + sizeOf(forbidden);
  const words = FOLDING_US * (size * (1 + references.length) + compared);
  return criteria.length * (words + searchCost(size, compared));
}

type Measurements = ReadonlyMap<AppliedCriterion, Measurement>;

/** Measures the criteria of a task that need no model: those that are decidable, and those that a schema decides. */
export function measureCriteria(
  applied: readonly AppliedCriterion[],
  transcript: Transcript,
  output: Body,
  parts: MeasureParts,
  signal: AbortSignal,
): MaybePromise<Measurements> {
  const decidable = applied.filter(({ evaluator }) => isDecidable(evaluator));
  const [first] = decidable;
  const question = first && questionOf(decidable, first.task, transcript, output, parts);
  const measured = question ? parts.check(MEASURE, question, costOf(question), signal) : [];
  return after(measured, (degrees) => {
    const known = new Map(decidable.map((one, at) => [one, degrees[at] as Measurement]));
    return addValidity(known, applied, output, parts, signal);
  });
}

/** The criteria of a task have one schema, so one answer is that to all. */
function addValidity(
  known: Measurements,
  applied: readonly AppliedCriterion[],
  output: Body,
  parts: MeasureParts,
  signal: AbortSignal,
): MaybePromise<Measurements> {
  const bySchema = applied.filter(({ evaluator }) => evaluator === 'schema-validity');
  const [first] = bySchema;
  if (!first) return known;
  const validity = schemaValidity(first.task, fromBody(output), parts, signal);
  return after(validity, (fits) => new Map([...known, ...bySchema.map((one) => [one, fits] as const)]));
}

function questionOf(
  decidable: readonly AppliedCriterion[],
  task: ContractTask,
  { toolCalls, latencyMs }: Transcript,
  output: Body,
  { expectedLatencyMs }: MeasureParts,
): MeasureQuestion {
  return {
    criteria: decidable.map(({ evaluator, criterion }) => ({
      evaluator: evaluator as DecidableEvaluator,
      criterion,
    })),
    task,
    transcript: { toolCalls, ...(latencyMs !== undefined && { latencyMs }) },
    output: fromBody(output),
    ...(expectedLatencyMs !== undefined && { expectedLatencyMs }),
  };
}

function schemaValidity(
  task: ContractTask,
  output: Json,
  { schemaCheck, returnSchema }: MeasureParts,
  signal: AbortSignal,
): MaybePromise<Measurement> {
  const schema = task.schema ?? returnSchema;
  if (!schema) return { degree: 0, reason: 'There is no schema to check the answer against.' };
  const value = soundJson(output);
  if (value === undefined) return { degree: 0, reason: 'The answer is not JSON.' };
  try {
    const issues = schemaCheck(schema, toBody(value), signal);
    return issues instanceof Promise ? issues.then(fitOf, unusable) : fitOf(issues);
  } catch (error) {
    return unusable(error);
  }
}

const fitOf = ([issue]: readonly Issue[]): Measurement =>
  issue ? { degree: 0, reason: `At ${issue.pointer || 'the root'}: ${issue.message}.` } : { degree: 1 };

/** A schema that cannot be used: no answer fits it, and one bad row must not end the run. */
function unusable(error: unknown): Measurement {
  if (isHostError(error)) return { degree: 0, reason: 'The schema cannot be used.' };
  throw error;
}
