import type { EvaluationProfile, SuccessCriterion } from '@touchstone/protocol/bodies';
import { flag, integer, number, text } from './scalars.js';
import type { InputOf, Shape } from './shape.js';
import { closed, list, optional, required, withDefault } from './structures.js';

export type DefinitionForm = 'A' | 'B';

const criterionA = closed({
  name: required(text),
  description: optional(text),
  threshold: optional(number),
  strict: withDefault(flag, true),
});
const criterionB = closed({
  name: required(text),
  description: required(text),
  threshold: required(number),
  strict: withDefault(flag, true),
});

const profileA = closed({
  expected_latency_ms: optional(integer),
  golden_dataset_uri: optional(text),
  grading_rubric: optional(list(criterionA)),
  evaluator_model: optional(text),
});
const profileB = closed({
  expected_latency_ms: optional(integer),
  golden_dataset_uri: optional(text),
  evaluator_model: optional(text),
  grading_rubric: withDefault(list(criterionB), []),
});

export type CriterionInput = InputOf<typeof criterionA>;
export type ProfileInput = InputOf<typeof profileA>;

export const criterionShape = (form: DefinitionForm): Shape<SuccessCriterion, CriterionInput> =>
  form === 'A' ? criterionA : (criterionB as Shape<SuccessCriterion, CriterionInput>);

export const profileShapeA: Shape<EvaluationProfile, ProfileInput> = profileA;
export const profileShapeB: Shape<EvaluationProfile, InputOf<typeof profileB>> = profileB as Shape<
  EvaluationProfile,
  InputOf<typeof profileB>
>;
export const profileShape = (form: DefinitionForm): Shape<EvaluationProfile, ProfileInput> =>
  form === 'A' ? profileShapeA : (profileShapeB as Shape<EvaluationProfile, ProfileInput>);
