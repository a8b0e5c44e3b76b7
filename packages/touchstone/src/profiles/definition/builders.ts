import { HostError } from '@touchstone/protocol';
import type { EvaluationProfile, SuccessCriterion } from '@touchstone/protocol/bodies';
import { type AgentDefinition, type AgentDefinitionInput, agentDefinitionShape } from './agent-definition.js';
import { type ManifestInput, type ManifestV2, manifestShape } from './manifest.js';
import {
  type CriterionInput,
  criterionShape,
  type DefinitionForm,
  type ProfileInput,
  profileShape,
} from './profile-shape.js';
import { readAs, type Shape, shapeOf } from './shape.js';

// For people who write definitions in code. Each takes what a file may say, throws what reading that file would
// throw, and returns a frozen value with every default filled in.

export const successCriterion = (given: CriterionInput, form: DefinitionForm = 'A'): SuccessCriterion =>
  readAs(criterionShape(form), given);

export const evaluationProfile = (given: ProfileInput = {}, form: DefinitionForm = 'A'): EvaluationProfile =>
  readAs(profileShape(form), given);

export const agentDefinition = (given: AgentDefinitionInput): AgentDefinition =>
  readAs(agentDefinitionShape, given);

export const agentManifest = (given: ManifestInput): ManifestV2 => readAs(manifestShape, given);

/** A copy with some members replaced, held to the same rules. The value it is made from stays as it is. */
export function withChange<Value extends object>(value: Value, change: Partial<Value>): Value {
  const shape = shapeOf(value);
  if (shape === undefined)
    throw new HostError(
      'validation_error',
      'Expected a value that was read or built here, or a part of one. A copy made by other means cannot be checked.',
    );
  return readAs(shape as Shape<Value>, { ...value, ...change });
}
