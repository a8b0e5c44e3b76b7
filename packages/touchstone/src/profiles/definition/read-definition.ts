import { type HostError, type Issue, validationError } from '@touchstone/protocol';
import type { EvaluationProfile } from '@touchstone/protocol/bodies';
import { type FileTextOptions, keysIfSound, soundnessIssues } from '../../suites/index.js';
import type { DefinitionAgent, ProfileWarning } from '../types.js';
import { type AgentDefinition, agentDefinition } from './agent-definition.js';
import { agentOfDefinition, agentsOfManifest, type CodedIssue } from './agents.js';
import { looksLikeDefinition, readDefinitionText } from './definition-text.js';
import { type ManifestV2, manifest } from './manifest.js';
import { type ResolveRef, resolveRefs } from './manifest-refs.js';
import { type DefinitionForm, profileReader } from './profile.js';
import { collectIssues, readAs } from './reader.js';

/** How to read a definition file. */
export type ReadDefinitionOptions = FileTextOptions & {
  /** Opens the files a manifest refers to. Without it, a reference is refused. */
  readonly resolveRef?: ResolveRef;
};

/** A definition file after reading. The value has the names of its form, defaults filled in, and cannot be changed. */
export type DefinitionFile = {
  /** The agents in the file; one in form A. */
  readonly agents: readonly DefinitionAgent[];
  /** What was accepted and its author should look at, at most 100. */
  readonly warnings: readonly ProfileWarning[];
} & (
  | { readonly form: 'A'; readonly value: AgentDefinition }
  | { readonly form: 'B'; readonly value: ManifestV2 }
);

/** Adds lines and columns, when there is a text to have them. */
type Locate = (issues: readonly Issue[]) => readonly Issue[];

/** Reads a definition file. Throws `validation_error` with everything that is wrong, each with its line and column. */
export function readDefinition(text: string, options: ReadDefinitionOptions = {}): DefinitionFile {
  const { value, problem, locate } = readDefinitionText(text, options);
  if (problem) throw refusal(locate(), options);
  return load(value, options, locate);
}

/** A definition that has been parsed already. */
export function parseDefinition(value: unknown, options: ReadDefinitionOptions = {}): DefinitionFile {
  if (keysIfSound(value) === undefined) throw refusal(soundnessIssues(value), options);
  return load(value, options, (issues) => issues);
}

/** A file that holds nothing but an evaluation profile. Every form B profile is a form A profile too. */
export function readProfile(
  text: string,
  options: FileTextOptions & { readonly form?: DefinitionForm } = {},
): EvaluationProfile {
  const { value, problem, locate } = readDefinitionText(text, options);
  if (problem) throw refusal(locate(), options);
  return readAs(profileReader(options.form ?? 'A'), value, (issues) => refusal(locate(issues), options));
}

const NEITHER: Issue = {
  pointer: '',
  message:
    'Expected an agent definition: either metadata, capabilities, config and dependencies, or a manifest of coreason.ai/v2.',
};

function load(value: unknown, options: ReadDefinitionOptions, locate: Locate): DefinitionFile {
  const form = looksLikeDefinition(value);
  if (form === undefined) throw refusal(locate([NEITHER]), options);
  const { warn, located } = collectWarnings();
  if (form === 'A') {
    const definition = readAs(agentDefinition, value, (issues) => refusal(locate(issues), options));
    const agents = [agentOfDefinition(definition, warn)];
    return Object.freeze({ form, value: definition, agents, warnings: located(locate) });
  }
  const { report, issues } = collectIssues();
  const { atReferences, ...resolved } = resolveRefs(value, options, report);
  const read = manifest(resolved.value, '', report);
  if (read === undefined || issues().length > 0) throw refusal(locate(atReferences(issues())), options);
  const agents = agentsOfManifest(read, warn);
  return Object.freeze({
    form,
    value: read,
    agents,
    warnings: located((found) => locate(atReferences(found))),
  });
}

/** A hostile file could make the list as long as it likes, and each of them costs a search for its line. */
const MAX_WARNINGS = 100;

function collectWarnings() {
  const warnings: CodedIssue[] = [];
  return {
    warn: (warning: CodedIssue): void => {
      if (warnings.length < MAX_WARNINGS) warnings.push(warning);
    },
    located: (locate: Locate): readonly ProfileWarning[] =>
      warnings.flatMap(({ code, ...issue }) =>
        locate([issue]).map(({ pointer, message, line }) => ({
          code,
          message,
          pointer,
          ...(line !== undefined && { line }),
        })),
      ),
  };
}

const refusal = (issues: readonly Issue[], { file }: FileTextOptions): HostError =>
  validationError(issues, file === undefined ? {} : { file });
