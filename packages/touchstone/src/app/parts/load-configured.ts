import { HOST_OWNER } from '@touchstone/protocol';
import type { AgentFacts } from '../../ports/index.js';
import { loadAgents, loadPacks, loadSuites, ownedBy } from '../catalogue/boot.js';
import { readJudgeFiles } from '../judges/judge-catalogue.js';
import type { ComposeOptions } from './options.js';
import type { Parts } from './parts.js';

/** Agents, packs and suites that the configuration names. Returns the agents that this process brings along. */
export async function loadConfigured(
  { config, origin, testSeams = false }: ComposeOptions,
  { store, agents, profiles, role, judgeCatalogue }: Parts,
): Promise<readonly AgentFacts[]> {
  const added = await loadAgents(config, agents.registry, testSeams);
  if (!role.prepares) return added;
  const loaded = await loadPacks(config, agents.packs);
  const own = readJudgeFiles(config.judges, config.baseDir);
  for (const judge of own) await judgeCatalogue.replace(HOST_OWNER, judge);
  if (origin === 'host')
    await store.retain(HOST_OWNER, ownedBy(loaded, await loadSuites(config, profiles), own));
  return added;
}

/** What maintenance signs, when the operator has said how often. */
export function dueCheckpoints({ config, checkpoints }: Parts): (() => Promise<unknown>) | undefined {
  const { checkpointEvery } = config.audit;
  return checkpointEvery === undefined ? undefined : () => checkpoints.makeDue(checkpointEvery);
}
