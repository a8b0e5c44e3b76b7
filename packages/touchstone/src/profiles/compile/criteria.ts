import { child } from '@touchstone/protocol';
import type { ContractCriterion, EvaluationProfile, SuccessCriterion } from '@touchstone/protocol/bodies';
import type { CompileOptions } from './options.js';
import { createCriterionIds } from './slug.js';
import { readThreshold } from './threshold.js';
import type { CompileIssue, CompileWarning } from './trouble.js';
import { type Need, normalName, ruleOf } from './well-known.js';

/** A criterion of the contract, with what deciding it on a row takes. */
export type PlannedCriterion = {
  readonly criterion: CompiledCriterion;
  /** The form of its name that rows are compared with. */
  readonly normalName: string;
  readonly needs?: Need;
  readonly judgedWithout?: true;
  /** Whoever decides it is shown the reference, where the row has one. */
  readonly readsReference: boolean;
  readonly pointer: string;
};

export type CompiledCriterion = ContractCriterion & {
  /** For JSON: one code fence around it does no harm. */
  readonly fenceTolerant?: true;
  /** For similarity: words are compared when there is nobody to ask, and the result is marked so. */
  readonly approximate?: true;
};

export type CriteriaPlan = {
  readonly criteria: readonly PlannedCriterion[];
  /** The match that every golden task is; it is part of the contract only where there are such tasks. */
  readonly golden: PlannedCriterion;
  /** The match added to a rubric task whose expected value nobody reads; absent when that is switched off. */
  readonly implicit?: PlannedCriterion;
  readonly issues: readonly CompileIssue[];
  readonly warnings: readonly CompileWarning[];
};

const MENTIONS_REFERENCE = /\b(?:reference|(?:expected|golden|correct) (?:answer|output|value|result))\b/i;

/** Every row is held against every criterion, and the suite repeats their text in every task. */
const MOST_CRITERIA = 100;

function countIssues(count: number, pointer: string): readonly CompileIssue[] {
  if (count <= MOST_CRITERIA) return [];
  const message = `Expected at most ${MOST_CRITERIA} criteria, got ${count}.`;
  return [{ code: 'too_many_criteria', pointer, message }];
}

/** Reads the rubric of a profile. `pointer` is where the rubric stands in the definition. */
export function planCriteria(
  profile: EvaluationProfile,
  pointer: string,
  options: CompileOptions,
): CriteriaPlan {
  const idOf = createCriterionIds();
  const rubric = profile.grading_rubric ?? [];
  // The rest of a list that is refused as a whole need not be looked at.
  const planned = rubric
    .slice(0, MOST_CRITERIA)
    .map((source, index) =>
      planCriterion(source, idOf(source.name), child(pointer, index), profile, options),
    );
  const criteria = planned.map((plan) => plan.planned);
  const golden = impliedMatch(idOf('reference_match'), true, pointer);
  const { implicitReference = 'strict' } = options;
  const implicit =
    implicitReference === 'advisory'
      ? impliedMatch(idOf('reference_match_advisory'), false, pointer)
      : golden;
  return {
    criteria,
    golden,
    ...(implicitReference !== 'off' && { implicit }),
    issues: [
      ...countIssues(rubric.length, pointer),
      ...nameIssues(criteria),
      ...planned.flatMap((plan) => plan.issues),
    ],
    warnings: planned.flatMap((plan) => plan.warnings),
  };
}

type Planned = {
  readonly planned: PlannedCriterion;
  readonly issues: readonly CompileIssue[];
  readonly warnings: readonly CompileWarning[];
};

function planCriterion(
  source: SuccessCriterion,
  id: string,
  pointer: string,
  profile: EvaluationProfile,
  options: CompileOptions,
): Planned {
  const rule = ruleOf(source.name);
  const reading = readThreshold(source, rule, {
    percentThresholds: options.percentThresholds ?? false,
    expectedLatencyMs: profile.expected_latency_ms,
  });
  const criterion = toCriterion(source, id, reading.measure, options);
  const at = child(pointer, 'threshold');
  return {
    planned: {
      criterion,
      normalName: normalName(source.name),
      ...(rule.needs !== undefined && { needs: rule.needs }),
      ...(rule.judgedWithout && { judgedWithout: true }),
      readsReference:
        rule.needs === 'reference' ||
        (criterion.evaluator === 'judge' && MENTIONS_REFERENCE.test(source.description ?? '')),
      pointer,
    },
    issues: reading.issue ? [{ pointer: at, ...reading.issue }] : [],
    warnings: reading.warnings.map((warning) => ({ ...warning, pointer: at })),
  };
}

const toCriterion = (
  { name, description, threshold, strict }: SuccessCriterion,
  id: string,
  measure: Omit<ContractCriterion, 'id' | 'name' | 'strict'>,
  { fenceTolerant, approximateSimilarity }: CompileOptions,
): CompiledCriterion => ({
  id,
  name,
  ...(description !== null && { description }),
  ...(threshold !== null && { threshold }),
  strict,
  ...measure,
  ...(fenceTolerant && measure.evaluator === 'json-validity' && { fenceTolerant: true }),
  ...(approximateSimilarity && measure.evaluator === 'similarity' && { approximate: true }),
});

const impliedMatch = (id: string, strict: boolean, pointer: string): PlannedCriterion => ({
  criterion: {
    id,
    name: 'reference_match',
    strict,
    evaluator: 'reference-match',
    class: 'binary',
    direction: 'max',
    rate: 1,
    implicit: true,
  },
  normalName: 'reference_match',
  needs: 'reference',
  readsReference: true,
  pointer,
});

function nameIssues(criteria: readonly PlannedCriterion[]): readonly CompileIssue[] {
  const first = new Map<string, PlannedCriterion>();
  return criteria.flatMap((criterion): readonly CompileIssue[] => {
    const pointer = child(criterion.pointer, 'name');
    if (criterion.normalName === '')
      return [{ pointer, message: 'Expected a name, got an empty one.', code: 'empty_criterion_name' }];
    const earlier = first.get(criterion.normalName);
    if (earlier === undefined) {
      first.set(criterion.normalName, criterion);
      return [];
    }
    const message = `Criterion ${earlier.criterion.id} is already at ${earlier.pointer}. Names differ in more than case, spaces and hyphens.`;
    return [{ pointer, message, code: 'duplicate_criterion' }];
  });
}
