import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { defined, type Json } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';
import { definitionAgentId } from '../../app/index.js';
import { type DatasetLock, type DefinitionAgent, dumpDefinition } from '../../profiles/index.js';
import { type Context, UsageError, writeLine } from '../io.js';
import type { Local } from '../local.js';
import { warningWords } from '../render/compiled.js';
import { printable } from '../render/text.js';
import type { Session } from '../session.js';
import { agentIdOf } from '../verbs/run/agent-choice.js';
import type { RunOptions } from '../verbs/run/run-options.js';
import { compileOptionsOf, contractFiles } from './compile-contract.js';
import { lockDataset, openNamedRows, readDatasetLock } from './dataset-file.js';
import { type OpenedDefinition, openDefinition, profiledAgents } from './definition-file.js';
import { displayPath } from './local-files.js';
import { locateAll, type PlacedWarning, withPlaces } from './locate-issues.js';
import { checkNoContract, type SuiteSource } from './suite-source.js';

/** The contracts of a definition. All of them are compiled before any is run, so a slip in the last costs nothing. */
export async function openProfiles(
  context: Context,
  session: Session,
  argument: string,
  options: RunOptions,
): Promise<readonly SuiteSource[]> {
  const { cwd } = context.io;
  const { client, local } = session;
  checkNoContract(argument, options.contract);
  if (!local && options.agent === undefined)
    throw new UsageError('Which agent? Name one of that host with --agent.');
  const definition = openDefinition(argument, cwd);
  const agents = profiledAgents(definition, options.onlyAgent);
  checkPart(definition.file, agents, options.agent);
  const lock = readDatasetLock(definition.path, cwd);
  const named = options.agent === undefined ? undefined : await agentIdOf(session, options.agent, cwd);
  const sources: SuiteSource[] = [];
  for (const agent of agents)
    sources.push(
      local
        ? await openProfile(context, local, { definition, agent, lock, options, named })
        : await sendProfile(context, client, { definition, agent, lock, options, named }),
    );
  tellWarnings(context, ownWarnings(definition), definition.file);
  return sources;
}

/** One agent of a definition, and what is to be compiled of it. */
type Profile = {
  readonly definition: OpenedDefinition;
  readonly agent: DefinitionAgent;
  readonly lock: DatasetLock | undefined;
  readonly options: RunOptions;
  /** The id of the agent that takes its part. */
  readonly named: string | undefined;
};

/** One agent can take the part of one. */
function checkPart(file: string, agents: readonly DefinitionAgent[], agent: string | undefined): void {
  if (agents.length === 1 || agent === undefined) return;
  throw new UsageError(
    `--agent takes the part of one agent, and ${agents.length} of ${file} have a profile.`,
    `Choose one: ${agents.map(({ id }) => `--only-agent ${id}`).join(', ')}`,
  );
}

async function openProfile(context: Context, { touchstone }: Local, profile: Profile): Promise<SuiteSource> {
  const { definition, agent, lock, options, named } = profile;
  const { path, file } = definition;
  const files = contractFiles(definition, agent, context.io.cwd);
  const compiled = await withPlaces(files, async () => {
    const compiled = await touchstone.profiles.compile({
      agent,
      from: { baseDir: dirname(path), trust: 'operator' },
      options: compileOptionsOf(options, agent, named ?? definitionAgentId(agent)),
      ...defined({ lock, allowUnpinned: options.allowUnpinned }),
    });
    tellWarnings(context, await locateAll(compiled.warnings, files), file);
    return compiled;
  });
  // Only now: what is wrong with the definition is told by its place there, and not as a flaw of the agent made of it.
  const played = named === undefined ? await touchstone.useDefinition(agent) : undefined;
  if (compiled.locked) lockDataset(context, path, compiled.locked);
  const defines = played && `${played.agentId}@${played.version}`;
  return { kind: 'profile', file, of: agent.id, compiled, ...defined({ agent: defines }) };
}

/** Compiled and installed on another host. A path means nothing there, so rows of a dataset at hand go along. */
async function sendProfile(context: Context, client: Client, profile: Profile): Promise<SuiteSource> {
  const { definition, agent, options, named = '' } = profile;
  const rows = await rowsAtHand(context, profile);
  const { suiteRef = '', warnings } = await client.profiles.compile({
    definition: dumpDefinition(definition.loaded.value),
    agent: agent.id,
    targetAgentId: named,
    ...defined({ rows, suiteName: options.suiteName }),
    install: true,
  });
  tellWarnings(context, warnings, definition.file);
  return { kind: 'reference', reference: suiteRef };
}

/** What goes into one request with the definition; the host itself has a limit somewhat above. */
const MOST_BYTES = 10 * 1024 * 1024;

/** The rows of a dataset that lies beside the definition; undefined when it lies elsewhere. */
export function rowsAtHand(
  { io }: Context,
  { definition, agent, lock }: Pick<Profile, 'definition' | 'agent' | 'lock'>,
): Promise<readonly Json[] | undefined> {
  return withPlaces(contractFiles(definition, agent, io.cwd), async () => {
    const named = openNamedRows(agent, definition.path, lock);
    if (!named) return undefined;
    if (statSync(named.path).size > MOST_BYTES) throw tooLong(displayPath(named.path, io.cwd));
    const rows: Json[] = [];
    for await (const { at: _, beside, ...row } of named.rows())
      rows.push({ ...row, ...beside } as unknown as Json);
    return rows;
  });
}

const tooLong = (file: string): UsageError =>
  new UsageError(
    `${file} is longer than 10 MB, which is the most that is sent with a definition.`,
    'Put it where that host can fetch it (https:, s3:), and name it there in "golden_dataset_uri".',
  );

export const ownWarnings = ({ file, loaded }: OpenedDefinition): readonly PlacedWarning[] =>
  loaded.warnings.map((warning) => ({ ...warning, file }));

const SHOWN = 10;

/** A few of them: `touchstone compile --check` shows them all. */
function tellWarnings({ io }: Context, warnings: readonly PlacedWarning[], file: string): void {
  for (const warning of warnings.slice(0, SHOWN))
    writeLine(io.stderr, `note: ${printable(warningWords(warning))}`);
  const more = warnings.length - SHOWN;
  if (more > 0)
    writeLine(io.stderr, `note: … and ${plural(more, 'more note')}: touchstone compile ${file} --check`);
}
