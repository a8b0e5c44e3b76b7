import type { EvaluationProfile, SuccessCriterion } from '@touchstone/protocol/bodies';
import { closed, type InputOf, list, optional, type Reader, required, withDefault } from './reader.js';
import { flag, integer, number, text } from './scalars.js';

/**
 * `A`: an agent definition with metadata, capabilities, config and dependencies. `B`: a manifest of `coreason.ai/v2`.
 */
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

export const profileA = closed({
  expected_latency_ms: optional(integer),
  golden_dataset_uri: optional(text),
  grading_rubric: optional(list(criterionA)),
  evaluator_model: optional(text),
});
export const profileB = closed({
  expected_latency_ms: optional(integer),
  golden_dataset_uri: optional(text),
  evaluator_model: optional(text),
  grading_rubric: withDefault(list(criterionB), []),
});

/** A success criterion as its author writes it. Form B also requires `description` and `threshold`. */
export type CriterionInput = InputOf<typeof criterionA>;
/** An evaluation profile as its author writes it; every member is optional. */
export type ProfileInput = InputOf<typeof profileA>;

/** Form B asks for more, so what its authors write in code is a form A input that the reader may refuse. */
export const criterionReader = (form: DefinitionForm): Reader<SuccessCriterion, CriterionInput> =>
  form === 'A' ? criterionA : (criterionB as Reader<SuccessCriterion>);

export const profileReader = (form: DefinitionForm): Reader<EvaluationProfile, ProfileInput> =>
  form === 'A' ? profileA : (profileB as Reader<EvaluationProfile>);
