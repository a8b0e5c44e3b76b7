import { dirname } from 'node:path';
import { defined, HostError, type Issue, isHostError, validationError } from '@touchstone/protocol';
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
import { MANIFEST_PATH } from './archive/file-table.js';
import type { PackAgent } from './manifest/pack-agents.js';
import type { PackReading } from './open-pack.js';

/**
 * The manifest of a pack's agent is closed, so a test contract lies beside it, in `evaluation/<agentId>.json` or `.yaml`: a
 * profile, or a definition that holds one. The dataset is a file of the pack.
 */
const FOLDER = 'evaluation';
const ENDINGS = ['.json', '.yaml', '.yml'] as const;

type Pack = Pick<PackReading, 'agents' | 'files'>;

/** The file that holds the profile of an agent. */
export type ProfileFile = { readonly agent: PackAgent; readonly file: string; readonly bytes: Buffer };

export const profileFilesOf = ({ agents, files }: Pack): readonly ProfileFile[] =>
  agents.flatMap((agent) => {
    const candidates = ENDINGS.map((ending) => `${FOLDER}/${agent.manifest.agentId}${ending}`);
    const file = candidates.find((path) => files.has(path));
    const bytes = file === undefined ? undefined : files.get(file);
    return file !== undefined && bytes ? [{ agent, file, bytes }] : [];
  });

/** A profile, and what finds positions in its file. */
export type PackProfile = {
  readonly agent: PackAgent;
  readonly file: string;
  readonly evaluation: EvaluationProfile;
  /** The file of the pack that holds its rows; absent when they are elsewhere. */
  readonly dataset?: string;
  /** Where in the file the profile begins. */
  readonly pointer: string;
  /** The same issues, each with its line and column, in the order of the file. */
  locate(issues: readonly Issue[]): readonly Issue[];
};

/** Throws everything that is wrong with one of them, each with its line and column. */
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
    const { value, locate } = readDefinitionText(text, { file });
    const profile =
      looksLikeDefinition(value) === undefined
        ? { evaluation: readProfile(text, { file }), pointer: '' }
        : profileWithin(text, file);
    return defined({ agent, file, locate, ...profile, dataset: datasetOf(profile.evaluation) });
  } catch (error) {
    if (!isHostError(error)) throw error;
    const issues = (error.details?.issues ?? []) as readonly Issue[];
    throw profileRefusal(agent.manifest.agentId, error, file, issues);
  }
}

function profileWithin(text: string, file: string): Pick<PackProfile, 'evaluation' | 'pointer'> {
  const agents = readDefinition(text, { file }).agents.filter(({ evaluation }) => evaluation !== undefined);
  const [only] = agents;
  if (only?.evaluation && agents.length === 1)
    return { evaluation: only.evaluation, pointer: profilePointer(only) };
  const message = `Expected a definition in which one agent has a member "evaluation", got ${agents.length} of them. Write that profile alone.`;
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

/** An issue or a warning of the compiler. */
type CompilerNote = { readonly pointer?: string; readonly message: string; readonly line?: number };
type PackLocation = { readonly pointer: string; readonly file: string } & Pick<Issue, 'line' | 'column'>;

/** What stands for a dataset that is no file of the pack. */
const ELSEWHERE = 'dataset';
const PROFILE = '/evaluation';
/** What a definition says of its agent, a pack says in its manifest. */
const OF_AGENT = /^\/(?:metadata|policy|capabilities|config|options)(?:\/|$)/;

/**
 * Adds the file of the pack, and the position in it. The compiler speaks of a definition in which the profile is the
 * member `evaluation`, and gives a line only to what is about a row.
 */
export function locateInPack<T extends CompilerNote>(
  notes: readonly T[],
  profile: PackProfile,
): readonly (T & PackLocation)[] {
  const { file, dataset = ELSEWHERE } = profile;
  const own = notes.flatMap((note) => pointerInProfile(note, profile) ?? []);
  const located = profile.locate(own.map((pointer) => ({ pointer, message: '' })));
  const positions = new Map(
    located.map(({ pointer, line, column }) => [pointer, defined({ line, column })] as const),
  );
  return notes.map((note) => {
    const pointer = pointerInProfile(note, profile);
    if (pointer !== undefined) return { ...note, pointer, file, ...positions.get(pointer) };
    const isOfAgent = note.line === undefined && OF_AGENT.test(note.pointer ?? '');
    return isOfAgent
      ? { ...note, pointer: '/agents', file: MANIFEST_PATH }
      : { ...note, pointer: note.pointer ?? '', file: dataset };
  });
}

/** The pointer in the profile's file; undefined for what is about something else. */
function pointerInProfile({ pointer, line }: CompilerNote, profile: PackProfile): string | undefined {
  const isOwn = pointer === PROFILE || pointer?.startsWith(`${PROFILE}/`);
  return line === undefined && isOwn ? `${profile.pointer}${pointer?.slice(PROFILE.length)}` : undefined;
}

/** An issue with the file of the pack it is about, unless it is about the profile itself. */
type PackIssue = Issue & { readonly file?: string };

/** The refusal of a pack because of an agent's profile. The first issue is in the message, all are in the details. */
export function profileRefusal(
  agentId: string,
  error: HostError,
  profile: string,
  found: readonly PackIssue[],
): HostError {
  const { code, scheme } = error.details ?? {};
  const issues = found.map((issue) => ({ ...issue, file: issue.file ?? profile }));
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const words = first ? `${locationOf(first)}: ${first.message}${more}` : `${profile}: ${error.message}`;
  const file = first?.file ?? profile;
  const details = defined({ code, scheme, agentId, ref: 'evaluation', file, issues });
  return new HostError(error.code, `Agent ${agentId}: ${words}`, details, error);
}

/** `evaluation/rows.jsonl:2:1 /1` */
export function locationOf({ file, line, column, pointer }: PackIssue): string {
  const position = line === undefined ? [file] : [file, line, column];
  return [position.filter((part) => part !== undefined).join(':'), pointer].filter(Boolean).join(' ');
}
