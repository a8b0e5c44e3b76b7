import { type HostError, type Issue, validationError } from '@touchstone/protocol';
import type { EvaluationProfile } from '@touchstone/protocol/bodies';
import { keysIfSound, soundnessIssues } from '../../suites/index.js';
import type { ProfiledAgent, ProfileWarning } from '../types.js';
import { type AgentDefinition, agentDefinitionShape } from './agent-definition.js';
import { readDefinitionText, type TextOptions } from './definition-text.js';
import { type ManifestV2, manifestShape } from './manifest.js';
import { type ResolveRef, resolveRefs } from './manifest-refs.js';
import { type DefinitionForm, profileShape } from './profile-shape.js';
import { agentOfDefinition, agentsOfManifest, type CodedIssue } from './profiled-agents.js';
import { looksLikeDefinition } from './recognise.js';
import { collectIssues, readAs } from './shape.js';

export type ReadDefinitionOptions = TextOptions & {
  /** Opens the files a manifest refers to. Without it, a reference is refused. */
  readonly resolveRef?: ResolveRef;
};

/** A definition file after reading. The value has the names of its form, defaults filled in, and cannot be changed. */
export type LoadedDefinition = {
  readonly agents: readonly ProfiledAgent[];
  readonly warnings: readonly ProfileWarning[];
} & (
  | { readonly form: 'A'; readonly value: AgentDefinition }
  | { readonly form: 'B'; readonly value: ManifestV2 }
);

/** Gives issues their places, when there is a text to have places in. */
type Place = (issues: readonly Issue[]) => readonly Issue[];

/** Reads a definition file. Throws `validation_error` with everything that is wrong, each with its line and column. */
export function readDefinition(text: string, options: ReadDefinitionOptions = {}): LoadedDefinition {
  const { value, placed, issues } = readDefinitionText(text, options);
  if (issues.length > 0) throw refusal(issues, options);
  return load(value, options, placed);
}

/** A definition that has been parsed already. */
export function parseDefinition(value: unknown, options: ReadDefinitionOptions = {}): LoadedDefinition {
  if (keysIfSound(value) === undefined) throw refusal(soundnessIssues(value), options);
  return load(value, options, (issues) => issues);
}

/** A file that holds nothing but an evaluation profile. Every form B profile is a form A profile too. */
export function readProfile(
  text: string,
  options: TextOptions & { readonly form?: DefinitionForm } = {},
): EvaluationProfile {
  const { value, placed, issues } = readDefinitionText(text, options);
  if (issues.length > 0) throw refusal(issues, options);
  return readAs(profileShape(options.form ?? 'A'), value, (found) => refusal(placed(found), options));
}

function load(value: unknown, options: ReadDefinitionOptions, place: Place): LoadedDefinition {
  const form = looksLikeDefinition(value);
  if (form === undefined) throw refusal(place([NEITHER]), options);
  return form === 'A' ? loadDefinition(value, options, place) : loadManifest(value, options, place);
}

const NEITHER: Issue = {
  pointer: '',
  message:
    'Expected an agent definition: either metadata, capabilities, config and dependencies, or a manifest of coreason.ai/v2.',
};

function loadDefinition(value: unknown, options: ReadDefinitionOptions, place: Place): LoadedDefinition {
  const definition = readAs(agentDefinitionShape, value, (issues) => refusal(place(issues), options));
  const { warn, warnings } = collectWarnings();
  const agents = [agentOfDefinition(definition, warn)];
  return Object.freeze({ form: 'A', value: definition, agents, warnings: placedWarnings(warnings, place) });
}

function loadManifest(value: unknown, options: ReadDefinitionOptions, place: Place): LoadedDefinition {
  const { report, issues } = collectIssues();
  const { told, ...resolved } = resolveRefs(value, options, report);
  const manifest = manifestShape.read(resolved.value, '', report);
  if (manifest === undefined || issues().length > 0) throw refusal(place(told(issues())), options);
  const { warn, warnings } = collectWarnings();
  const agents = agentsOfManifest(manifest, warn);
  return Object.freeze({
    form: 'B',
    value: manifest,
    agents,
    warnings: placedWarnings(warnings, (found) => place(told(found))),
  });
}

/** A hostile file could make the list as long as it likes, and each of them costs a place. */
const MAX_WARNINGS = 100;

function collectWarnings() {
  const warnings: CodedIssue[] = [];
  const warn = (warning: CodedIssue): void => {
    if (warnings.length < MAX_WARNINGS) warnings.push(warning);
  };
  return { warn, warnings };
}

const placedWarnings = (warnings: readonly CodedIssue[], place: Place): readonly ProfileWarning[] =>
  warnings.flatMap(({ code, ...issue }) =>
    place([issue]).map(({ pointer, message, line }) => ({
      code,
      message,
      pointer,
      ...(line !== undefined && { line }),
    })),
  );

const refusal = (issues: readonly Issue[], { file }: TextOptions): HostError =>
  validationError(issues, file === undefined ? {} : { file });
