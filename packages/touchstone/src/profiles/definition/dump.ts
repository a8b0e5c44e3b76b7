import type { JsonObject } from '@touchstone/protocol';
import type { EvaluationProfile } from '@touchstone/protocol/bodies';
import { type AgentDefinition, agentDefinitionShape } from './agent-definition.js';
import { type ManifestV2, manifestShape } from './manifest.js';
import { type DefinitionForm, profileShape } from './profile-shape.js';
import { readAs } from './shape.js';

/** A profile as it is written in this form: members in its order, without those that are null. */
export function dumpProfile(profile: EvaluationProfile, form: DefinitionForm): JsonObject {
  // A rubric that is null in form A is an absent one in form B, where it becomes an empty list.
  const given = Object.fromEntries(Object.entries(profile).filter(([, member]) => member !== null));
  const shape = profileShape(form);
  return shape.write(readAs(shape, given)) as JsonObject;
}

/** A definition as it is written: members in the order of its form, without those that are null. */
export const dumpDefinition = (value: AgentDefinition | ManifestV2): JsonObject =>
  ('apiVersion' in value ? manifestShape.write(value) : agentDefinitionShape.write(value)) as JsonObject;
