import { dirname } from 'node:path';
import { type Issue, isHostError, validationError } from '@touchstone/protocol';
import type { EvaluationProfile } from '@touchstone/protocol/bodies';
import {
  looksLikeDefinition,
  parseDatasetUri,
  profilePointer,
  readDefinition,
  readDefinitionText,
  readProfile,
} from '../profiles/index.js';
import { utf8 } from '../suites/index.js';
import type { PackAgent } from './manifest/pack-agents.js';
import type { OpenedPack } from './open-pack.js';
import { profileRefusal } from './profile-refusal.js';

/**
 * The manifest of a pack's agent is closed, so a test contract lies beside it, in `evaluation/<agentId>.json` or `.yaml`: a
 * profile, or a definition that holds one. The dataset is a file of the pack.
 */
const FOLDER = 'evaluation';
const ENDINGS = ['.json', '.yaml', '.yml'] as const;

type Pack = Pick<OpenedPack, 'agents' | 'files'>;

/** The file that holds the profile of an agent. */
export type ProfileFile = { readonly agent: PackAgent; readonly file: string; readonly bytes: Buffer };

export const profileFilesOf = ({ agents, files }: Pack): readonly ProfileFile[] =>
  agents.flatMap((agent) => {
    const places = ENDINGS.map((ending) => `${FOLDER}/${agent.manifest.agentId}${ending}`);
    const file = places.find((path) => files.has(path));
    const bytes = file === undefined ? undefined : files.get(file);
    return file !== undefined && bytes ? [{ agent, file, bytes }] : [];
  });

/** A profile that was read, and what is needed to say where in its file something stands. */
export type PackProfile = {
  readonly agent: PackAgent;
  readonly file: string;
  readonly evaluation: EvaluationProfile;
  /** The file of the pack that holds its rows; absent when they are elsewhere. */
  readonly dataset?: string;
  /** Where in the file the profile begins. */
  readonly pointer: string;
  /** The same issues, each with its line and column, in the order of the file. */
  placed(issues: readonly Issue[]): readonly Issue[];
};

/** Throws everything that is wrong with one of them, each with its place in the file. */
export function readPackProfiles(pack: Pack): readonly PackProfile[] {
  const profiles = profileFilesOf(pack).map(readOne);
  checkNoneIsLost(pack, profiles);
  return profiles;
}

/** A contract that no agent has would look like one that is kept. */
function checkNoneIsLost({ files }: Pack, profiles: readonly PackProfile[]): void {
  const used = new Set(profiles.flatMap(({ file, dataset }) => [file, dataset]));
  const lost = [...files.keys()].find(
    (path) => dirname(path) === FOLDER && ENDINGS.some((ending) => path.endsWith(ending)) && !used.has(path),
  );
  if (lost === undefined) return;
  const message = `${lost} belongs to no agent of the pack, or to one that has another profile. Name it evaluation/<agentId>.json or .yaml, one for an agent.`;
  throw validationError([{ pointer: '', message }], { file: lost });
}

function readOne({ agent, file, bytes }: ProfileFile): PackProfile {
  const text = utf8(bytes);
  try {
    if (text === undefined) throw validationError([{ pointer: '', message: 'Expected UTF-8.' }]);
    const { value, placed } = readDefinitionText(text, { file });
    const found = looksLikeDefinition(value) === undefined ? alone(text, file) : within(text, file);
    const dataset = datasetOf(found.evaluation);
    return { agent, file, placed, ...found, ...(dataset !== undefined && { dataset }) };
  } catch (error) {
    if (!isHostError(error)) throw error;
    const issues = (error.details?.issues ?? []) as readonly Issue[];
    throw profileRefusal(agent.manifest.agentId, error, file, issues);
  }
}

type Found = Pick<PackProfile, 'evaluation' | 'pointer'>;

const alone = (text: string, file: string): Found => ({
  evaluation: readProfile(text, { file }),
  pointer: '',
});

function within(text: string, file: string): Found {
  const profiled = readDefinition(text, { file }).agents.filter(({ evaluation }) => evaluation !== undefined);
  const [only, another] = profiled;
  if (only?.evaluation && !another) return { evaluation: only.evaluation, pointer: profilePointer(only) };
  const message = `Expected a definition in which one agent has a member "evaluation", got ${profiled.length} of them. Write that profile alone.`;
  throw validationError([{ pointer: '', message }]);
}

/** One that cannot be read is refused when it is compiled. */
function datasetOf({ golden_dataset_uri: text }: EvaluationProfile): string | undefined {
  if (!text) return undefined;
  try {
    const uri = parseDatasetUri(text);
    return uri.scheme === 'relative' || uri.scheme === 'pack' ? uri.path : undefined;
  } catch (error) {
    if (isHostError(error)) return undefined;
    throw error;
  }
}
