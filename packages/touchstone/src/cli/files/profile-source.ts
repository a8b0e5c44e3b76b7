import { dirname } from 'node:path';
import type { DatasetLock, DefinitionAgent } from '../../profiles/index.js';
import { type Context, writeLine } from '../io.js';
import type { Local } from '../local.js';
import { warningWords } from '../render/compiled.js';
import { printable } from '../render/text.js';
import { plural } from '../render/units.js';
import { UsageError } from '../usage-error.js';
import { agentIdOf } from '../verbs/run/agent-choice.js';
import type { RunOptions } from '../verbs/run/run-options.js';
import { contractFiles } from './compile-contract.js';
import { checkNoContract } from './contract-file.js';
import { compileOptionsOf } from './contract-options.js';
import { lockDataset, readDatasetLock } from './dataset-lock.js';
import { type OpenedDefinition, openDefinition, profiledAgents } from './definition-file.js';
import { type PlacedWarning, placeError, placeWarnings } from './locate-issues.js';
import type { CompiledProfile, SuiteSource } from './suite-source.js';

type ProfileSource = Extract<SuiteSource, { kind: 'profile' }>;

/** The contracts of a definition. All of them are compiled before any is run, so a slip in the last costs nothing. */
export async function openProfiles(
  context: Context,
  local: Local,
  argument: string,
  options: RunOptions,
): Promise<readonly ProfileSource[]> {
  const { cwd } = context.io;
  checkNoContract(argument, options.contract);
  const definition = await openDefinition(argument, cwd);
  const agents = profiledAgents(definition, options.onlyAgent);
  checkPart(definition.file, agents, options.agent);
  const lock = await readDatasetLock(definition.path, cwd);
  const sources: ProfileSource[] = [];
  for (const agent of agents)
    sources.push(await openProfile(context, local, definition, agent, lock, options));
  tellWarnings(context, ownWarnings(definition), definition.file);
  return sources;
}

/** One agent can take the part of one. */
export function checkPart(file: string, agents: readonly DefinitionAgent[], agent: string | undefined): void {
  if (agents.length === 1 || agent === undefined) return;
  throw new UsageError(
    `--agent takes the part of one agent, and ${agents.length} of ${file} have a profile.`,
    `Choose one: ${agents.map(({ id }) => `--only-agent ${id}`).join(', ')}`,
  );
}

async function openProfile(
  context: Context,
  local: Local,
  definition: OpenedDefinition,
  agent: DefinitionAgent,
  lock: DatasetLock | undefined,
  options: RunOptions,
): Promise<ProfileSource> {
  const { touchstone } = local;
  const { definitionAgentId } = await import('../../app/index.js');
  const target =
    options.agent === undefined
      ? definitionAgentId(agent)
      : await agentIdOf(local, options.agent, context.io.cwd);
  const compiled = await compileHere(context, local, definition, {
    agent,
    from: { baseDir: dirname(definition.path), trust: 'operator' },
    options: compileOptionsOf(options, agent, target),
    ...(lock && { lock }),
    ...(options.allowUnpinned && { allowUnpinned: true }),
  });
  // Only now: what is wrong with the definition is told by its place there, and not as a flaw of the agent made of it.
  const played = options.agent === undefined ? await touchstone.useDefinition(agent) : undefined;
  if (compiled.locked) await lockDataset(context, definition.path, compiled.locked);
  return {
    kind: 'profile',
    file: definition.file,
    of: agent.id,
    compiled,
    ...(played && { agent: `${played.agentId}@${played.version}` }),
  };
}

type Request = Parameters<Local['touchstone']['compileProfile']>[0];

async function compileHere(
  context: Context,
  { touchstone }: Local,
  definition: OpenedDefinition,
  request: Request,
): Promise<CompiledProfile> {
  const files = await contractFiles(context, definition, request.agent);
  try {
    const compiled = await touchstone.compileProfile(request);
    tellWarnings(context, await placeWarnings(compiled.warnings, files), definition.file);
    return compiled;
  } catch (error) {
    throw await placeError(error, files);
  }
}

export const ownWarnings = ({ file, loaded }: OpenedDefinition): readonly PlacedWarning[] =>
  loaded.warnings.map((warning) => ({ ...warning, file }));

const TOLD = 10;

/** Whoever runs something has other things to read; `touchstone compile --check` tells them all. */
export function tellWarnings({ io }: Context, warnings: readonly PlacedWarning[], file: string): void {
  for (const warning of warnings.slice(0, TOLD))
    writeLine(io.stderr, `note: ${printable(warningWords(warning))}`);
  const more = warnings.length - TOLD;
  if (more > 0)
    writeLine(io.stderr, `note: … and ${plural(more, 'more note')}: touchstone compile ${file} --check`);
}
