import { child, defined } from '@touchstone/protocol';
import type { ContractCriterion, EvaluationProfile, SuccessCriterion } from '@touchstone/protocol/bodies';
import { type CompileIssue, type CompileOptions, type CompileWarning, compileIssue } from './options.js';
import { createCriterionIds } from './slug.js';
import { type Need, normalName, readThreshold, ruleOf } from './thresholds.js';

/** A criterion of the contract, with what deciding it on a row takes. */
export type CriterionPlan = {
  readonly criterion: ContractCriterion;
  /** The form of its name that rows are compared with. */
  readonly normalName: string;
  readonly needs?: Need;
  readonly judgedWithout?: true;
  /** Its evaluator is shown the reference, where the row has one. */
  readonly readsReference: boolean;
  readonly pointer: string;
};

export type CriteriaPlan = {
  readonly criteria: readonly CriterionPlan[];
  /** The match that every golden task is; it is part of the contract only where there are such tasks. */
  readonly golden: CriterionPlan;
  /** The match added to a rubric task whose expected value no criterion reads; absent when that is switched off. */
  readonly implicit?: CriterionPlan;
  readonly issues: readonly CompileIssue[];
  readonly warnings: readonly CompileWarning[];
};

const MENTIONS_REFERENCE = /\b(?:reference|(?:expected|golden|correct) (?:answer|output|value|result))\b/i;

/** Every row is held against every criterion, and the suite repeats their text in every task. */
const MOST_CRITERIA = 100;

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
  const criteria = planned.map(({ plan }) => plan);
  const golden = impliedMatch(idOf('reference_match'), true, pointer);
  const { implicitReference = 'strict' } = options;
  const implicit =
    implicitReference === 'advisory'
      ? impliedMatch(idOf('reference_match_advisory'), false, pointer)
      : golden;
  const tooMany = `Expected at most ${MOST_CRITERIA} criteria, got ${rubric.length}.`;
  return {
    criteria,
    golden,
    ...(implicitReference !== 'off' && { implicit }),
    issues: [
      ...(rubric.length > MOST_CRITERIA ? [compileIssue('too_many_criteria', tooMany, pointer)] : []),
      ...nameIssues(criteria),
      ...planned.flatMap(({ issues }) => issues),
    ],
    warnings: planned.flatMap(({ warnings }) => warnings),
  };
}

function planCriterion(
  source: SuccessCriterion,
  id: string,
  pointer: string,
  profile: EvaluationProfile,
  options: CompileOptions,
): Pick<CriteriaPlan, 'issues' | 'warnings'> & { readonly plan: CriterionPlan } {
  const { name, description, threshold, strict } = source;
  const { fenceTolerant, approximateSimilarity, percentThresholds = false } = options;
  const rule = ruleOf(name);
  const { expected_latency_ms: expectedLatencyMs } = profile;
  const { measure, issue, warnings } = readThreshold(source, rule, { percentThresholds, expectedLatencyMs });
  const { evaluator } = measure;
  const mentionsReference = evaluator === 'judge' && MENTIONS_REFERENCE.test(description ?? '');
  const at = child(pointer, 'threshold');
  return {
    plan: {
      criterion: {
        id,
        name,
        ...(description !== null && { description }),
        ...(threshold !== null && { threshold }),
        strict,
        ...measure,
        ...(fenceTolerant && evaluator === 'json-validity' && { fenceTolerant: true }),
        ...(approximateSimilarity && evaluator === 'similarity' && { approximate: true }),
      },
      normalName: normalName(name),
      ...defined({ needs: rule.needs, judgedWithout: rule.judgedWithout }),
      readsReference: rule.needs === 'reference' || mentionsReference,
      pointer,
    },
    issues: issue ? [{ pointer: at, ...issue }] : [],
    warnings: warnings.map((warning) => ({ ...warning, pointer: at })),
  };
}

const impliedMatch = (id: string, strict: boolean, pointer: string): CriterionPlan => ({
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

function nameIssues(criteria: readonly CriterionPlan[]): readonly CompileIssue[] {
  const first = new Map<string, CriterionPlan>();
  return criteria.flatMap((plan) => {
    const pointer = child(plan.pointer, 'name');
    if (plan.normalName === '')
      return [compileIssue('empty_criterion_name', 'Expected a name, got an empty one.', pointer)];
    const earlier = first.get(plan.normalName);
    first.set(plan.normalName, earlier ?? plan);
    if (earlier === undefined) return [];
    const message = `Criterion ${earlier.criterion.id} is already at ${earlier.pointer}. Names differ in more than case, spaces and hyphens.`;
    return [compileIssue('duplicate_criterion', message, pointer)];
  });
}
