import { HostError, type JsonObject } from '@touchstone/protocol';
import type { EvaluationProfile, SuccessCriterion } from '@touchstone/protocol/bodies';
import type { DefinitionAgent } from '../types.js';
import {
  type AgentDefinition,
  type AgentDefinitionInput,
  agentDefinition as definitionReader,
} from './agent-definition.js';
import { type ManifestInput, type ManifestV2, manifest } from './manifest.js';
import {
  type CriterionInput,
  criterionReader,
  type DefinitionForm,
  type ProfileInput,
  profileReader,
} from './profile.js';
import { dump, type Reader, readAs, readerOf } from './reader.js';

// For authors who write definitions in code. Each function takes what a file may say, throws what reading that file
// would throw, and returns a frozen value with every default filled in.

/**
 * One condition for success.
 * @param form Decides which members are required; form A when absent.
 */
export const successCriterion = (input: CriterionInput, form: DefinitionForm = 'A'): SuccessCriterion =>
  readAs(criterionReader(form), input);

/**
 * The test contract that an agent carries; an empty one without arguments.
 * @param form Decides which members are required; form A when absent.
 */
export const evaluationProfile = (input: ProfileInput = {}, form: DefinitionForm = 'A'): EvaluationProfile =>
  readAs(profileReader(form), input);

/** An agent definition of form A. */
export const agentDefinition = (input: AgentDefinitionInput): AgentDefinition =>
  readAs(definitionReader, input);

/** A manifest of form B, whose agents carry their profiles. */
export const agentManifest = (input: ManifestInput): ManifestV2 => readAs(manifest, input);

/** A copy with some members replaced, held to the same rules. The value it is made from stays as it is. */
export function withChange<Value extends object>(value: Value, change: Partial<Value>): Value {
  const read = readerOf(value);
  if (read === undefined)
    throw new HostError(
      'validation_error',
      'Expected a value that was read or built here, or a part of one. A copy made by other means cannot be checked.',
    );
  return readAs(read as Reader<Value>, { ...value, ...change });
}

/** A profile as it is written in this form: members in its order, without those that are null. */
export function dumpProfile(profile: EvaluationProfile, form: DefinitionForm): JsonObject {
  // A rubric that is null in form A is an absent one in form B, where it becomes an empty list.
  const members = Object.fromEntries(Object.entries(profile).filter(([, member]) => member !== null));
  return dump(readAs(profileReader(form), members)) as JsonObject;
}

/** A definition as it is written: members in the order of its form, without those that are null. */
export const dumpDefinition = (value: AgentDefinition | ManifestV2): JsonObject => dump(value) as JsonObject;

/** What an agent promises, as Markdown for people; empty when it promises nothing. */
export function evaluationCard({ evaluation }: Pick<DefinitionAgent, 'evaluation'>): string {
  if (!evaluation) return '';
  const { expected_latency_ms, grading_rubric } = evaluation;
  const lines = [
    ...(grading_rubric ?? []).map(criterionLine),
    // Zero is a bound like any other.
    ...(expected_latency_ms === null ? [] : [`SLA: ${expected_latency_ms}ms latency`]),
  ];
  return ['## Evaluation', '', ...lines.map((line) => `- ${line}`)].join('\n').trimEnd().concat('\n');
}

function criterionLine({ name, description, threshold }: SuccessCriterion): string {
  const line = description === null ? oneLine(name) : `${oneLine(name)}: ${oneLine(description)}`;
  return threshold === null ? line : `${line} (Threshold: ${threshold})`;
}

/** The author's text can neither begin a paragraph of the card nor become HTML in it. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().replaceAll('<', '&lt;');
