import type { Client } from '@touchstone/sdk';
import { dumpDefinition } from '../../profiles/index.js';
import type { Context } from '../io.js';
import { readConfig } from '../local.js';
import { compileContract, contractFiles } from './compile-contract.js';
import { compileOptionsOf } from './contract-options.js';
import { readDatasetLock } from './dataset-lock.js';
import { localDataset, openDefinition } from './definition-file.js';
import { type PlacedWarning, placeError, placeWarnings } from './locate-issues.js';
import { ownWarnings, rowsAtHand } from './profile-source.js';

/** An agent of a definition: what its contract compiles to, or why it was not compiled. */
export type CheckedAgent = { readonly agentId: string } & (
  | { readonly suite: string; readonly tasks: number }
  | { readonly unchecked: 'no profile' | 'dataset elsewhere' }
);
export type CheckedDefinition = {
  readonly agents: readonly CheckedAgent[];
  readonly warnings: readonly PlacedWarning[];
};

/**
 * Reads a definition, and compiles those of its contracts whose dataset is at hand. Nothing is fetched or written. With
 * a client, they are compiled on that host, and not installed.
 */
export async function checkDefinitionFile(
  context: Context,
  path: string,
  client?: Client,
): Promise<CheckedDefinition> {
  const definition = await openDefinition(path, context.io.cwd);
  const lock = await readDatasetLock(definition.path, context.io.cwd);
  const agents: CheckedAgent[] = [];
  const warnings = [...ownWarnings(definition)];
  for (const agent of definition.loaded.agents) {
    const { id: agentId, evaluation } = agent;
    const uri = evaluation?.golden_dataset_uri;
    const isElsewhere = Boolean(uri) && (await localDataset(agent, path).catch(() => true)) === undefined;
    if (!evaluation || isElsewhere) {
      agents.push({ agentId, unchecked: evaluation ? 'dataset elsewhere' : 'no profile' });
      continue;
    }
    const compiled = client
      ? await compileThere(context, client, { definition, agent, lock })
      : await compileHere(context, { definition, agent, lock });
    agents.push({ agentId, suite: compiled.suite, tasks: compiled.tasks });
    warnings.push(...compiled.warnings);
  }
  return { agents, warnings };
}

type Profile = Pick<Parameters<typeof rowsAtHand>[1], 'definition' | 'agent' | 'lock'>;
type CompiledSuite = {
  readonly suite: string;
  readonly tasks: number;
  readonly warnings: readonly PlacedWarning[];
};

const NOWHERE = { suite: () => undefined, contract: () => undefined };

async function compileHere(context: Context, { definition, agent, lock }: Profile): Promise<CompiledSuite> {
  const request = { agent, options: compileOptionsOf({}, agent), ...(lock && { lock }) };
  const config = await readConfig(context);
  const { head, tasks, warnings } = await compileContract(context, config, definition, request, NOWHERE);
  return { suite: `${head.suiteId}@${head.suiteVersion}`, tasks, warnings };
}

async function compileThere(context: Context, client: Client, profile: Profile): Promise<CompiledSuite> {
  const { definition, agent } = profile;
  const rows = await rowsAtHand(context, profile);
  const files = await contractFiles(context, definition, agent);
  try {
    const { suite, warnings } = await client.profiles.compile({
      definition: dumpDefinition(definition.loaded.value),
      ...(rows && { rows }),
      agent: agent.id,
    });
    const { suiteId, version, tasks } = suite as {
      suiteId: string;
      version: string;
      tasks: readonly unknown[];
    };
    return {
      suite: `${suiteId}@${version}`,
      tasks: tasks.length,
      warnings: await placeWarnings(warnings, files),
    };
  } catch (error) {
    throw await placeError(error, files);
  }
}
