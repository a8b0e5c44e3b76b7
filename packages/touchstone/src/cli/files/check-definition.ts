import type { Context } from '../io.js';
import { readConfig } from '../local.js';
import { compileContract } from './compile-contract.js';
import { compileOptionsOf } from './contract-options.js';
import { readDatasetLock } from './dataset-lock.js';
import { localDataset, openDefinition } from './definition-file.js';
import type { PlacedWarning } from './locate-issues.js';
import { ownWarnings } from './profile-source.js';

/** What is to be said of an agent of a definition: what its contract compiles to, or why nobody has looked. */
export type CheckedAgent = { readonly agentId: string } & (
  | { readonly suite: string; readonly tasks: number }
  | { readonly unchecked: 'no profile' | 'dataset elsewhere' }
);
export type CheckedDefinition = {
  readonly agents: readonly CheckedAgent[];
  readonly warnings: readonly PlacedWarning[];
};

/** Reads a definition, and compiles those of its contracts whose dataset is at hand. Nothing is fetched or written. */
export async function checkDefinitionFile(context: Context, path: string): Promise<CheckedDefinition> {
  const config = await readConfig(context);
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
    const wish = { agent, options: compileOptionsOf({}, agent), ...(lock && { lock }) };
    const { head, tasks, warnings: more } = await compileContract(context, config, definition, wish, NOWHERE);
    agents.push({ agentId, suite: `${head.suiteId}@${head.suiteVersion}`, tasks });
    warnings.push(...more);
  }
  return { agents, warnings };
}

const NOWHERE = { suite: () => undefined, contract: () => undefined };
