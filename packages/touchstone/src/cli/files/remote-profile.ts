import { statSync } from 'node:fs';
import type { Json } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import type { Context } from '../io.js';
import { UsageError } from '../usage-error.js';
import { readAgentArgument } from '../verbs/run/agent-choice.js';
import type { RunOptions } from '../verbs/run/run-options.js';
import { contractFiles } from './compile-contract.js';
import { openNamedRows } from './contract-rows.js';
import { readDatasetLock } from './dataset-lock.js';
import { type OpenedDefinition, openDefinition, profiledAgents } from './definition-file.js';
import { placeError } from './locate-issues.js';
import { checkPart, ownWarnings, tellWarnings } from './profile-source.js';
import { displayPath, type SuiteSource } from './suite-source.js';

/** What goes into one request with the definition; the host itself has a limit somewhat above. */
const MOST_BYTES = 10 * 1024 * 1024;

/** The contract of a definition, compiled and installed on another host. A dataset at hand is sent with it. */
export async function openRemoteProfiles(
  context: Context,
  client: Client,
  argument: string,
  options: RunOptions,
): Promise<readonly SuiteSource[]> {
  const { cwd } = context.io;
  const targetAgentId = checkRemoteAgent(options.agent, cwd).split('@')[0] ?? '';
  const definition = await openDefinition(argument, cwd);
  const agents = profiledAgents(definition, options.onlyAgent);
  checkPart(definition.file, agents, options.agent);
  const { dumpDefinition } = await import('../../profiles/index.js');
  const sources: SuiteSource[] = [];
  for (const agent of agents) {
    const rows = await rowsAtHand(context, definition, agent);
    const { suiteRef = '', warnings } = await client.profiles.compile({
      definition: dumpDefinition(definition.loaded.value),
      ...(rows && { rows }),
      agent: agent.id,
      targetAgentId,
      ...(options.suiteName !== undefined && { suiteName: options.suiteName }),
      install: true,
    });
    tellWarnings(context, [...ownWarnings(definition), ...warnings], definition.file);
    sources.push({ kind: 'reference', reference: suiteRef });
  }
  return sources;
}

/** The name of an agent of another host. Nothing else could take a part there. */
export function checkRemoteAgent(agent: string | undefined, cwd: string): string {
  if (!agent) throw new UsageError('Which agent? Name one of that host with --agent.');
  if (readAgentArgument(agent, cwd).kind === 'reference') return agent;
  throw new UsageError(
    'A module or URL cannot be run on another host.',
    'Name an agent of that host with --agent.',
  );
}

/** A path means nothing on another host, so the rows go along. */
async function rowsAtHand(
  context: Context,
  definition: OpenedDefinition,
  agent: OpenedDefinition['loaded']['agents'][number],
): Promise<readonly Json[] | undefined> {
  const { cwd } = context.io;
  const files = await contractFiles(context, definition, agent);
  try {
    const lock = await readDatasetLock(definition.path, cwd);
    const named = await openNamedRows(agent, definition.path, lock);
    if (!named) return undefined;
    if (statSync(named.path).size > MOST_BYTES) throw tooLong(displayPath(named.path, cwd));
    const rows: Json[] = [];
    for await (const { at: _, beside, ...row } of named.rows())
      rows.push({ ...row, ...beside } as unknown as Json);
    return rows;
  } catch (error) {
    throw await placeError(error, files);
  }
}

const tooLong = (file: string): UsageError =>
  new UsageError(
    `${file} is longer than 10 MB, which is the most that is sent with a definition.`,
    'Put it where that host can fetch it (https:, s3:), and name it there in "golden_dataset_uri".',
  );
