import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { validationError } from '@touchstone/protocol';
import type { DefinitionAgent, DefinitionFile } from '../../profiles/index.js';
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
export async function definitionForm(argument: string, cwd: string): Promise<'A' | 'B' | undefined> {
  const path = resolve(cwd, argument);
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry?.isFile() || entry.size > MOST_BYTES || SUITE_NAME.test(path)) return undefined;
  const { looksLikeDefinition } = await import('../../profiles/index.js');
  const text = readFileSync(path, 'utf8');
  return looksLikeDefinition(/^\s*\{/.test(text) ? jsonOf(text) : topMembers(text));
}

/** A file that is not JSON is reported by the reader that it is given to. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const TOP_MEMBER = /^(["']?)([A-Za-z_]\w*)\1[ \t]*:[ \t]*["']?([^\s"'#]*)/gm;

/** The members of a YAML document by name, without reading it: a slip inside makes it no other document. */
const topMembers = (text: string): object =>
  Object.fromEntries([...text.matchAll(TOP_MEMBER)].map(([, , name = '', value = '']) => [name, value]));

export async function openDefinition(argument: string, cwd: string): Promise<OpenedDefinition> {
  const { readDefinition, refsBelow } = await import('../../profiles/index.js');
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

const unknownAgent = (file: string, named: string, agents: readonly DefinitionAgent[]): UsageError =>
  new UsageError(
    `${file} defines no agent ${named}.`,
    didYouMean(
      named,
      agents.map(({ id }) => id),
      'Its agents',
    ),
  );

/** The dataset of an agent when it is a file beside its definition: where it is, and the pin in its URI. */
export async function localDataset(
  agent: DefinitionAgent,
  definition: string,
): Promise<{ readonly path: string; readonly uri: string; readonly pin?: string } | undefined> {
  const text = agent.evaluation?.golden_dataset_uri;
  if (!text) return undefined;
  const { parseDatasetUri } = await import('../../profiles/index.js');
  const uri = parseDatasetUri(text);
  if (uri.scheme !== 'relative' && uri.scheme !== 'pack') return undefined;
  const path = join(dirname(definition), ...uri.path.split('/'));
  return { path, uri: uri.uri, ...(uri.pin !== undefined && { pin: uri.pin }) };
}

/** Every file whose change may change what a definition compiles to. One that cannot be read is watched by itself. */
export async function definitionPlaces(argument: string, cwd: string): Promise<readonly string[]> {
  const path = resolve(cwd, argument);
  try {
    const { files, loaded } = await openDefinition(argument, cwd);
    const datasets = await Promise.all(loaded.agents.map((agent) => localDataset(agent, path)));
    return [...files, ...datasets.flatMap((dataset) => (dataset ? [dataset.path] : []))];
  } catch {
    return [path];
  }
}
