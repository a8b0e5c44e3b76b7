import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defined, parseJson, validationError } from '@touchstone/protocol';
import {
  type DefinitionAgent,
  type DefinitionFile,
  looksLikeDefinition,
  parseDatasetUri,
  readDefinition,
  refsBelow,
} from '../../profiles/index.js';
import { UsageError } from '../io.js';
import { didYouMean } from '../suggest.js';
import { displayPath, readText } from './local-files.js';

/** A definition of agents that was read, and where it came from. */
export type OpenedDefinition = {
  readonly path: string;
  /** The path as a person would type it. */
  readonly file: string;
  readonly text: string;
  readonly loaded: DefinitionFile;
  /** Every file it was put together from, itself first. */
  readonly files: readonly string[];
};

/** At most four bytes make a character, and a definition has at most a million of them. */
const MOST_BYTES = 4 * 1024 * 1024;
const SUITE_NAME = /\.(?:eval|evals|suite)\.(?:json|ya?ml)$/i;

/** Which form of definition a file holds, by what it says; undefined for anything else. */
export function definitionForm(argument: string, cwd: string): 'A' | 'B' | undefined {
  const path = resolve(cwd, argument);
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry?.isFile() || entry.size > MOST_BYTES || SUITE_NAME.test(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  return looksLikeDefinition(/^\s*\{/.test(text) ? parseJson(text) : topMembers(text));
}

const TOP_MEMBER = /^(["']?)([A-Za-z_]\w*)\1[ \t]*:[ \t]*["']?([^\s"'#]*)/gm;

/** The members of a YAML document by name, without reading it: a slip inside makes it no other document. */
const topMembers = (text: string): object =>
  Object.fromEntries([...text.matchAll(TOP_MEMBER)].map(([, , name = '', value = '']) => [name, value]));

export function openDefinition(argument: string, cwd: string): OpenedDefinition {
  const path = resolve(cwd, argument);
  const file = displayPath(path, cwd);
  const text = readText(path, file);
  const folder = dirname(path);
  const files = [path];
  const open = refsBelow(folder);
  const resolveRef = (ref: string): string | undefined => {
    files.push(join(folder, ref));
    return open(ref);
  };
  return { path, file, text, files, loaded: readDefinition(text, { file, resolveRef }) };
}

/** The agents of a definition that carry a test contract, or the one of them that is named. */
export function profiledAgents(
  { file, loaded }: Pick<OpenedDefinition, 'file' | 'loaded'>,
  named?: string,
): readonly DefinitionAgent[] {
  const { agents } = loaded;
  const profiled = agents.filter(({ evaluation }) => evaluation !== undefined);
  if (named === undefined && profiled.length > 0) return profiled;
  const wanted = agents.find(({ id }) => id === named);
  if (wanted?.evaluation) return [wanted];
  throw named === undefined || wanted ? noProfile(file, wanted?.id) : unknownAgent(file, named, agents);
}

function noProfile(file: string, id: string | undefined): Error {
  const who =
    id === undefined
      ? 'No agent of the definition carries an evaluation profile, so there is nothing to hold one to.'
      : `Agent ${id} carries no evaluation profile, so there is nothing to hold it to.`;
  const message = `${who} Add a member "evaluation": a dataset, a grading rubric, an expected latency.`;
  return validationError([{ pointer: '', message }], { code: 'no_profile', file });
}

function unknownAgent(file: string, named: string, agents: readonly DefinitionAgent[]): UsageError {
  const ids = agents.map(({ id }) => id);
  return new UsageError(`${file} defines no agent ${named}.`, didYouMean(named, ids, 'Its agents'));
}

/** The dataset of an agent when it is a file beside its definition: where it is, and the pin in its URI. */
export function localDataset(
  agent: DefinitionAgent,
  definition: string,
): { readonly path: string; readonly uri: string; readonly pin?: string } | undefined {
  const text = agent.evaluation?.golden_dataset_uri;
  if (!text) return undefined;
  const uri = parseDatasetUri(text);
  if (uri.scheme !== 'relative' && uri.scheme !== 'pack') return undefined;
  const path = join(dirname(definition), ...uri.path.split('/'));
  return { path, uri: uri.uri, ...defined({ pin: uri.pin }) };
}

/** Every file whose change may change what a definition compiles to. One that cannot be read is watched by itself. */
export function definitionPlaces(argument: string, cwd: string): readonly string[] {
  const path = resolve(cwd, argument);
  try {
    const { files, loaded } = openDefinition(argument, cwd);
    return [...files, ...loaded.agents.flatMap((agent) => localDataset(agent, path)?.path ?? [])];
  } catch {
    return [path];
  }
}
